package server_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	other := strings.Replace(machine(`"name":"a"`), "fra-1", "fra-2", 1)
	run(t, s, machines, []step{
		{name: "an object", method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated},
		{
			name: "no change keeps the version", method: "PUT", path: "a", body: machine(`"name":"a"`),
			code: http.StatusOK, want: []string{`"resourceVersion":"{version}"`, `"generation":1`, `"uid":"{uid}"`},
		},
		{
			name: "a label is not a generation", method: "PUT", path: "a", body: machine(`"name":"a","labels":{"a":"b"}`),
			code: http.StatusOK, want: []string{
				`"generation":1`,
				`"a":"b"`,
			}, not: []string{`"resourceVersion":"{version}"`},
		},
		{
			name: "a change", method: "PUT", path: "a", body: other, code: http.StatusOK,
			want: []string{`"generation":2`, `"zone":"fra-2"`},
		},
		{name: "the status is kept", method: "PUT", path: "a", body: strings.Replace(other, `"spec"`,
			`"status":{"phase":"Running"},"spec"`, 1), code: http.StatusOK, not: []string{"Running"}},
		{
			name: "the version that is there", method: "PUT", path: "a",
			body: machine(`"name":"a","resourceVersion":"{version}"`), code: http.StatusOK,
			want: []string{`"generation":3`},
		},
		{
			name: "a version that was there", method: "PUT", path: "a",
			body: machine(`"name":"a","resourceVersion":"1"`),
			code: http.StatusConflict, want: []string{"the object has been modified", `"reason":"Conflict"`},
		},
		{
			name: "any version", method: "PUT", path: "a", body: machine(`"name":"a","resourceVersion":"0"`),
			code: http.StatusOK, want: []string{`"resourceVersion":"{version}"`, `"generation":3`},
		},
		{
			name: "a UID that was never there", method: "PUT", path: "a", body: machine(`"name":"a","uid":"x"`),
			code: http.StatusConflict,
		},
		{
			name: "the tag of another version", method: "PUT", path: "a", headers: []string{`If-Match: "1.x"`},
			body: machine(`"name":"a"`), code: http.StatusPreconditionFailed,
		},
		{
			name: "a long manager", method: "PUT", path: "a?fieldManager=" + strings.Repeat("m", 129), body: other,
			code: http.StatusUnprocessableEntity, want: []string{`"kind":"UpdateOptions"`},
		},
		{name: "another name", method: "PUT", path: "a", body: machine(`"name":"b"`), code: http.StatusBadRequest},
		{name: "what is not there", method: "PUT", path: "b", body: machine(`"name":"b"`), code: http.StatusNotFound},
		{
			name: "a dry run", method: "PUT", path: "a?dryRun=All", body: other, code: http.StatusOK,
			want: []string{`"generation":4`},
		},
		{name: "changes nothing", method: "GET", path: "a", code: http.StatusOK, want: []string{`"generation":3`}},
		{
			name: "a bad object", method: "PUT", path: "a", body: strings.Replace(other, `"cores":4`, `"cores":0`, 1),
			code: http.StatusUnprocessableEntity, want: []string{"spec.hardware.cores"},
		},
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	running := strings.Replace(machine(`"name":"a","labels":{"new":"label"}`), `"spec"`,
		`"status":{"phase":"Running"},"spec"`, 1)
	run(t, s, machines, []step{
		{name: "an object", method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated},
		{name: "its status", method: "GET", path: "a/status", code: http.StatusOK, want: []string{`"kind":"Machine"`}},
		{
			name: "the status alone is written", method: "PUT", path: "a/status", body: strings.Replace(running,
				"fra-1",
				"fra-9", 1), code: http.StatusOK, want: []string{
				`"phase":"Running"`, `"zone":"fra-1"`,
				`"generation":1`,
			},
			not: []string{"label"},
		},
		{
			name: "a patch of it", method: "PATCH", path: "a/status",
			headers: []string{"Content-Type: application/merge-patch+json"},
			body:    `{"spec":{"zone":"x"},"status":{"phase":"Failed"}}`, code: http.StatusOK,
			want: []string{`"phase":"Failed"`, `"zone":"fra-1"`},
		},
		{
			name: "a patch in the words of another version", method: "PATCH", path: "a/status",
			headers: []string{"Content-Type: application/merge-patch+json"},
			body:    `{"apiVersion":"fleet.example.com/v1beta1","status":{"phase":"Running"}}`, code: http.StatusOK,
			want: []string{`"phase":"Running"`, `"boot":{`, `"drainTimeout":`}, not: []string{"bootSource"},
		},
		{
			name: "that would lose a part of it", method: "PATCH", path: "a/status",
			headers: []string{"Content-Type: application/merge-patch+json"},
			body:    `{"apiVersion":"fleet.example.com/v1beta1","status":{"nothing":1}}`,
			code:    http.StatusUnprocessableEntity, want: []string{`unknown field \"status.nothing\"`},
		},
		{
			name: "that of another object", method: "PUT", path: "a/status",
			body: strings.Replace(running, `"name":"a"`, `"name":"a","uid":"x"`, 1), code: http.StatusConflict,
		},
		{
			name: "it is not made", method: "POST", path: "a/status", body: running, code: http.StatusMethodNotAllowed,
			want: []string{"Allow: GET, HEAD, OPTIONS, PATCH, PUT"},
		},
		{name: "a kind without one", method: "GET", path: sites + "/x/status", code: http.StatusNotFound},
	})
}

func TestScale(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, pools, []step{
		{name: "a pool", method: "POST", body: pool("web", 2), code: http.StatusCreated},
		{
			name: "its size", method: "GET", path: "web/scale", code: http.StatusOK,
			want: []string{`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"`, `"replicas":2`},
		},
		{
			name: "as the kind of meta", method: "GET", path: "web/scale",
			headers: []string{"Accept: application/json;g=meta.k8s.io;v=v1;as=Scale"}, code: http.StatusOK,
			want: []string{`"apiVersion":"meta.k8s.io/v1"`},
		},
		{
			name: "of an older version", method: "GET",
			path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools/web/scale", code: http.StatusOK,
			want: []string{`"replicas":2`},
		},
		{
			name: "a patch without a kind", method: "PATCH", path: "web/scale",
			headers: []string{"Content-Type: application/merge-patch+json"}, body: `{"spec":{"replicas":5}}`,
			code: http.StatusOK, want: []string{`"spec":{"replicas":5}`},
		},
		{
			name: "a size without a Content-Type", method: "PUT", path: "web/scale",
			body: `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":3}}`, code: http.StatusOK, want: []string{`"spec":{"replicas":3}`},
		},
		{
			name: "of the kind of meta", method: "PUT", path: "web/scale",
			body: `{"kind":"Scale","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web"},"spec":{"replicas":4}}`,
			code: http.StatusOK, want: []string{`"spec":{"replicas":4}`},
		},
		{
			name: "for another version", method: "PUT", path: "web/scale",
			body: `{"metadata":{"name":"web","resourceVersion":"1"},"spec":{"replicas":4}}`, code: http.StatusConflict,
		},
		{
			name: "for another object", method: "PUT", path: "web/scale",
			body: `{"metadata":{"name":"db"},"spec":{"replicas":4}}`, code: http.StatusBadRequest,
		},
		{
			name: "a dry run", method: "PUT", path: "web/scale?dryRun=All",
			body: `{"metadata":{"name":"web"},"spec":{"replicas":6}}`, code: http.StatusOK,
			want: []string{`"spec":{"replicas":6}`},
		},
		{
			name: "a dry run of a patch", method: "PATCH", path: "web/scale?dryRun=All",
			headers: []string{"Content-Type: application/merge-patch+json"}, body: `{"spec":{"replicas":6}}`,
			code: http.StatusOK, want: []string{`"spec":{"replicas":6}`},
		},
		{
			name: "a patch with an unknown field", method: "PATCH", path: "web/scale?fieldValidation=Strict",
			headers: []string{"Content-Type: application/merge-patch+json"}, body: `{"spec":{"replica":6}}`,
			code: http.StatusUnprocessableEntity, want: []string{"spec.replica"},
		},
		{
			name: "a patch with a size twice", method: "PATCH", path: "web/scale?fieldValidation=Strict",
			headers: []string{"Content-Type: application/merge-patch+json"}, body: `{"spec":{"replicas":6,"replicas":7}}`,
			code: http.StatusBadRequest, want: []string{"replicas"},
		},
		{
			name: "the object has it", method: "GET", path: "web", code: http.StatusOK,
			want: []string{`"replicas":4`, `"generation":4`},
		},
		{name: "of nothing", method: "GET", path: "db/scale", code: http.StatusNotFound},
		{
			name: "a negative one", method: "PUT", path: "web/scale",
			body: `{"metadata":{"name":"web"},"spec":{"replicas":-1}}`, code: http.StatusUnprocessableEntity,
		},
	})
}

// TestManagersOutOfTurn checks that a client cannot give managers to an object that has none.
func TestManagersOutOfTurn(t *testing.T) {
	t.Parallel()
	managed := strings.Replace(site("a"), `"metadata":{`, `"metadata":{"managedFields":[{"manager":"me",`+
		`"operation":"Update","apiVersion":"inventory.example.com/v1","fieldsType":"FieldsV1",`+
		`"fieldsV1":{"f:spec":{"f:address":{}}}}],`, 1)
	run(t, newServer(t), sites, []step{
		{name: "create", method: "POST", body: managed, code: http.StatusCreated, not: []string{"managedFields"}},
		{name: "update", method: "PUT", path: "a", body: managed, code: http.StatusOK, not: []string{"managedFields"}},
	})
}
