package server_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	merge, operations := []string{"Content-Type: application/merge-patch+json"},
		[]string{"Content-Type: application/json-patch+json"}
	s := newServer(t)
	run(t, s, machines, []step{
		{
			name: "an object", method: "POST", body: machine(`"name":"a","labels":{"app":"web"}`),
			code: http.StatusCreated,
		},
		{
			name: "a merge patch", method: "PATCH", path: "a", headers: merge,
			body: `{"metadata":{"labels":{"app":null,"tier":"front"}},"spec":{"zone":"fra-2"}}`, code: http.StatusOK,
			want: []string{`"labels":{"tier":"front"}`, `"zone":"fra-2"`, `"generation":2`},
		},
		{
			name: "a JSON patch", method: "PATCH", path: "a", headers: operations,
			body: `[{"op":"test","path":"/spec/zone","value":"fra-2"},{"op":"replace","path":"/spec/zone","value":"fra-3"}]`, code: http.StatusOK, want: []string{`"zone":"fra-3"`},
		},
		{
			name: "a test that fails", method: "PATCH", path: "a", headers: operations,
			body: `[{"op":"test","path":"/spec/zone","value":"fra-2"}]`, code: http.StatusUnprocessableEntity,
		},
		{
			name: "a long manager", method: "PATCH", path: "a?fieldManager=" + strings.Repeat("m", 129), headers: merge,
			body: `{}`, code: http.StatusUnprocessableEntity, want: []string{`"kind":"PatchOptions"`},
		},
		{
			name: "in the words of another version", method: "PATCH",
			path: "/apis/fleet.example.com/v1beta1/namespaces/default/machines/a", headers: merge,
			body: `{"metadata":{"labels":{"x":"y"}}}`, code: http.StatusOK,
			want: []string{`"apiVersion":"fleet.example.com/v1beta1"`, `"x":"y"`},
		},
		{
			name: "the server's fields are kept", method: "PATCH", path: "a", headers: merge,
			body: `{"metadata":{"generation":99,"creationTimestamp":null}}`, code: http.StatusOK,
			want: []string{`"generation":3`, `"creationTimestamp":"2`},
		},
		{
			name: "the name is kept", method: "PATCH", path: "a", headers: merge, body: `{"metadata":{"name":"b"}}`,
			code: http.StatusBadRequest,
		},
		{
			name: "the kind is kept", method: "PATCH", path: "a", headers: merge, body: `{"kind":"MachinePool"}`,
			code: http.StatusBadRequest,
		},
		{
			name: "which makes an object of another version", method: "PATCH", path: "a", headers: merge,
			body: `{"apiVersion":"fleet.example.com/v1beta1","spec":{"boot":null,"drainTimeout":null,` +
				`"bootSource":{"image":{"name":"debian-14"}}}}`, code: http.StatusOK,
			want: []string{`"apiVersion":"fleet.example.com/v1"`, `"image":{"name":"debian-14"`},
		},
		{
			name: "as operations", method: "PATCH", path: "a", headers: operations, code: http.StatusOK,
			body: `[{"op":"replace","path":"/apiVersion","value":"fleet.example.com/v1beta1"},` +
				`{"op":"remove","path":"/spec/drainTimeout"},` +
				`{"op":"move","from":"/spec/boot","path":"/spec/bootSource"}]`,
			want: []string{`"image":{"name":"debian-14"`},
		},
		{
			name: "but loses nothing that is stored", method: "PATCH", path: "a", headers: merge,
			body: `{"apiVersion":"fleet.example.com/v1beta1"}`, code: http.StatusUnprocessableEntity,
			want: []string{`unknown field \"spec.boot\"`},
		},
		{
			name: "an unknown version", method: "PATCH", path: "a", headers: merge,
			body: `{"apiVersion":"fleet.example.com/v9"}`, code: http.StatusUnprocessableEntity,
		},
		{
			name: "another version of the object", method: "PATCH", path: "a", headers: merge,
			body: `{"metadata":{"resourceVersion":"1"}}`, code: http.StatusConflict,
		},
		{
			name: "any version", method: "PATCH", path: "a", headers: merge,
			body: `{"metadata":{"resourceVersion":"0"}}`, code: http.StatusOK,
		},
		{
			name: "another object of the name", method: "PATCH", path: "a", headers: merge,
			body: `{"metadata":{"uid":"x"}}`, code: http.StatusConflict,
		},
		{
			name: "unknown fields are warned of", method: "PATCH", path: "a", headers: merge,
			body: `{"spec":{"zoone":"x"}}`, code: http.StatusOK, want: []string{"Warning: 299", "zoone"},
		},
		{
			name: "or refused as kubectl edit expects it", method: "PATCH", path: "a?fieldValidation=Strict", headers: merge,
			body: `{"spec":{"zoone":"x"}}`, code: http.StatusUnprocessableEntity,
			want: []string{
				`"message":"Machine.fleet.example.com \"a\" is invalid: strict decoding error: unknown field \"spec.zoone\"`,
				`"details":{"name":"a","group":"fleet.example.com","kind":"Machine","causes":[`, `"field":"spec.zoone"`,
			},
		},
		{
			name: "a value of another type", method: "PATCH", path: "a", headers: merge,
			body: `{"spec":{"zone":5}}`, code: http.StatusUnprocessableEntity,
			want: []string{`"field":"spec.zone"`, "expected string, found number"},
		},
		{
			name: "not an object", method: "PATCH", path: "a", headers: merge, body: `[1]`,
			code: http.StatusUnprocessableEntity, want: []string{`"field":"patch"`, "expected an object"},
		},
		{
			name: "or ignored", method: "PATCH", path: "a?fieldValidation=Ignore", headers: merge,
			body: `{"spec":{"zoone":"x"}}`, code: http.StatusOK, not: []string{"zoone"},
		},
		{
			name: "plain JSON is not a patch", method: "PATCH", path: "a",
			headers: []string{"Content-Type: application/json"}, body: `{}`, code: http.StatusUnsupportedMediaType,
			want: []string{"Accept-Patch: application/json-patch+json, application/merge-patch+json"},
		},
		{
			name: "what is not a patch", method: "PATCH", path: "a", headers: operations, body: `{}`,
			code: http.StatusBadRequest,
		},
		{
			name: "a dry run", method: "PATCH", path: "a?dryRun=All", headers: merge, body: `{"spec":{"zone":"dry"}}`,
			code: http.StatusOK, want: []string{`"zone":"dry"`},
		},
		{name: "changes nothing", method: "GET", path: "a", code: http.StatusOK, want: []string{`"zone":"fra-3"`}},
		{
			name: "force is for apply patches", method: "PATCH", path: "a?force=true", headers: merge, body: `{}`,
			code: http.StatusUnprocessableEntity,
		},
		{name: "what is not there", method: "PATCH", path: "b", headers: merge, body: `{}`, code: http.StatusNotFound},
	})
}

// TestDuplicatesInPatches sends patches in which a member occurs twice.
func TestDuplicatesInPatches(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, sites, []step{{name: "create", method: "POST", body: site("a"), code: http.StatusCreated}})
	const gv = `{"apiVersion":"inventory.example.com/v1","kind":"Site","metadata":{"name":"a","labels":{"x":"1","x":"2"}}}`
	for mediaType, body := range map[string]string{
		"application/merge-patch+json":           `{"metadata":{"labels":{"x":"1","x":"2"}}}`,
		"application/strategic-merge-patch+json": `{"metadata":{"labels":{"x":"1","x":"2"}}}`,
		"application/json-patch+json":            `[{"op":"add","path":"/metadata/labels","value":{"x":"1","x":"2"}}]`,
		"application/apply-patch+yaml":           gv,
	} {
		header := "Content-Type: " + mediaType
		const message = `duplicate field`
		const path = "a?dryRun=All&fieldManager=m"
		run(t, s, sites, []step{
			{
				name: "strict", method: "PATCH", path: path + "&fieldValidation=Strict", body: body, headers: []string{header},
				code: http.StatusBadRequest, want: []string{"strict decoding error", message, "line 1, column"},
			},
			{
				name: "warn", method: "PATCH", path: path, body: body, headers: []string{header},
				code: http.StatusOK, want: []string{"Warning: 299", message},
			},
			{
				name: "ignore", method: "PATCH", path: path + "&fieldValidation=Ignore", body: body, headers: []string{header},
				code: http.StatusOK, not: []string{message},
			},
		})
	}
}
