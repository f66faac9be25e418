package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// TestSeedReportsEverything checks that one file that cannot be read does not hide what is wrong
// with others.
func TestSeedReportsEverything(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	_, err := server.New(fleet(t), db, server.Seed(fstest.MapFS{
		"a.yaml": {Data: []byte("kind: Machine")}, "b.yaml/c": {}, "d.json": {Data: []byte("{")},
	}))
	for _, name := range []string{"a.yaml", "b.yaml", "d.json"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnersCountOnce checks that an owner that is named twice is stored once, with a warning, even
// if it is the controller.
func TestOwnersCountOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const ref = `{"apiVersion":"example.com/v1","kind":"Owner","name":"o","uid":"u","controller":true}`
	const stored, warning = `"ownerReferences":[` + ref + `]`, "metadata.ownerReferences has entries that are equal"
	twice := strings.Replace(site("a"), `"name"`, `"ownerReferences":[`+ref+`,`+ref+`],"name"`, 1)
	run(t, s, sites, []step{
		{name: "create", method: "POST", body: twice, code: http.StatusCreated, want: []string{stored, warning}},
		{name: "update", method: "PUT", path: "a", body: twice, code: http.StatusOK, want: []string{stored, warning}},
		{
			name: "patch", method: "PATCH", path: "a", headers: []string{"Content-Type: application/json-patch+json"},
			body: `[{"op":"add","path":"/metadata/ownerReferences/-","value":` + ref + `}]`,
			code: http.StatusOK, want: []string{stored, warning},
		},
		{
			name: "two controllers", method: "PUT", path: "a",
			body: strings.Replace(twice, `"uid":"u"`, `"uid":"v"`, 1),
			code: http.StatusUnprocessableEntity, want: []string{"Only one reference can have Controller set to true"},
		},
	})
}

// TestNamespaceOutsideOfNamespaces checks that the namespace that an object states is ignored if
// objects of its kind are outside of namespaces, as many manifests have it.
func TestNamespaceOutsideOfNamespaces(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	body := strings.Replace(site("a"), `"metadata":{`, `"metadata":{"namespace":"default",`, 1)
	not := []string{"namespace"}
	merge, apply := "Content-Type: application/merge-patch+json", "Content-Type: application/apply-patch+yaml"
	run(t, s, sites, []step{
		{name: "create", method: "POST", body: body, code: http.StatusCreated, not: not},
		{name: "update", method: "PUT", path: "a", body: body, code: http.StatusOK, not: not},
		{
			name: "patch", method: "PATCH", path: "a", body: body, headers: []string{merge},
			code: http.StatusOK, not: not,
		},
		{
			name: "apply", method: "PATCH", path: "a?fieldManager=m&force=true", body: body, headers: []string{apply},
			code: http.StatusOK, not: not,
		},
		{
			name: "apply a new one", method: "PATCH", path: "b?fieldManager=m",
			body:    strings.Replace(body, `"name":"a"`, `"name":"b"`, 1),
			headers: []string{apply}, code: http.StatusCreated, not: not,
		},
	})
}

func TestCreate(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, machines, []step{
		{
			name: "an object gets what the server sets", method: "POST",
			body: machine(
				`"name":"a","uid":"mine","generation":7,"creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z","selfLink":"/x","managedFields":[{"manager":"m","operation":"Apply"}]`,
			), code: http.StatusCreated,
			want: []string{
				`"name":"a"`, `"namespace":"default"`, `"uid":"`, `"generation":1`, `"drainTimeout":"5m0s"`,
				`"resourceVersion":"`,
			}, not: []string{
				`"uid":"mine"`, `"creationTimestamp":"2001`, "selfLink", "deletionTimestamp",
				"managedFields",
			},
		},
		{name: "it is there", method: "GET", path: "a", code: http.StatusOK, want: []string{`"uid":"{uid}"`}},
		{
			name: "a name that is taken", method: "POST", body: machine(`"name":"a"`), code: http.StatusConflict,
			want: []string{`machines.fleet.example.com \"a\" already exists`, `"reason":"AlreadyExists"`},
		},
		{
			name: "a name that is made up", method: "POST", body: machine(`"generateName":"web-"`),
			code: http.StatusCreated, want: []string{`"name":"web-`, `"generateName":"web-"`},
		},
		{
			name: "a long manager", method: "POST", path: "?fieldManager=" + strings.Repeat("m", 129),
			body: machine(`"name":"z"`), code: http.StatusUnprocessableEntity, want: []string{`"kind":"CreateOptions"`},
		},
		{
			name: "no name", method: "POST", body: machine(``), code: http.StatusUnprocessableEntity,
			want: []string{"metadata.name", "name or generateName is required"},
		},
		{
			name: "a bad name", method: "POST", body: machine(`"name":"A_b"`), code: http.StatusUnprocessableEntity,
			want: []string{`"field":"metadata.name"`},
		},
		{
			name: "a bad label", method: "POST", body: machine(`"name":"b","labels":{"a b":"c"}`),
			code: http.StatusUnprocessableEntity, want: []string{`"field":"metadata.labels"`},
		},
		{
			name: "a version", method: "POST", body: machine(`"name":"b","resourceVersion":"5"`),
			code: http.StatusBadRequest, want: []string{"a new object has none"},
		},
		{
			name: "any version", method: "POST", path: "?dryRun=All",
			body: machine(`"name":"any","resourceVersion":"0"`), code: http.StatusCreated,
		},
		{
			name: "another namespace", method: "POST", body: machine(`"name":"b","namespace":"other"`),
			code: http.StatusBadRequest, want: []string{"does not match"},
		},
		{
			name: "no namespace at all", method: "POST", path: "/apis/fleet.example.com/v1/machines",
			body: machine(`"name":"b"`), code: http.StatusBadRequest, want: []string{"are in namespaces"},
		},
		{
			name: "the namespace of the object", method: "POST", path: "/apis/fleet.example.com/v1/machines",
			body: machine(`"name":"b","namespace":"other"`), code: http.StatusCreated,
			want: []string{`"namespace":"other"`},
		},
		{name: "a status is not written here", method: "POST", body: strings.Replace(machine(`"name":"c"`), `"spec"`,
			`"status":{"phase":"Running"},"spec"`, 1), code: http.StatusCreated, not: []string{"Running"}},
		{
			name: "a rule of the kind", method: "POST", path: sites, body: `{"metadata":{"name":"x"},"spec":{}}`,
			code: http.StatusUnprocessableEntity, want: []string{`"field":"spec.address"`},
		},
		{
			name: "an empty object has the kind of the endpoint", method: "POST", path: sites, body: `{}`,
			code: http.StatusUnprocessableEntity, want: []string{`"field":"metadata.name"`},
		},
		{
			name: "an object of another kind", method: "POST", path: sites, body: machine(`"name":"x"`),
			code: http.StatusBadRequest, not: []string{"v1.Machine"},
			want: []string{"which cannot be stored as a inventory.example.com/v1, Kind=Site\""},
		},
		{
			name: "a list", method: "POST", body: `{"apiVersion":"fleet.example.com/v1","kind":"MachineList"}`,
			code: http.StatusBadRequest, not: []string{"v1.Machine"},
			want: []string{"which cannot be stored as a fleet.example.com/v1, Kind=Machine\""},
		},
		{
			name: "a value that the stored version cannot have", method: "POST",
			path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machines",
			body: `{"metadata":{"name":"x"},"spec":{"zone":"fra-1","cpu":"four","memory":"1Gi"}}`,
			code: http.StatusBadRequest, want: []string{
				`which cannot be stored as a fleet.example.com/v1, Kind=Machine: spec.cpu: \"four\" is not a whole number`,
			},
		},
		{
			name: "a dry run", method: "POST", path: "?dryRun=All", body: machine(`"name":"dry"`),
			code: http.StatusCreated, want: []string{`"name":"dry"`, `"uid"`},
		},
		{name: "leaves nothing", method: "GET", path: "dry", code: http.StatusNotFound},
		{
			name: "another stage", method: "POST", path: "?dryRun=Some", body: machine(`"name":"dry"`),
			code: http.StatusUnprocessableEntity,
		},
		{name: "unknown fields are warned of", method: "POST", body: strings.Replace(machine(`"name":"d"`), `"spec":{`,
			`"spec":{"zoone":"x",`, 1), code: http.StatusCreated, want: []string{"Warning: 299", "zoone"}},
		{
			name: "or ignored", method: "POST", path: "?fieldValidation=Ignore",
			body: strings.Replace(machine(`"name":"e"`), `"spec":{`, `"spec":{"zoone":"x",`,
				1), code: http.StatusCreated, not: []string{"zoone"},
		},
		{
			name: "or refused", method: "POST", path: "?fieldValidation=Strict",
			body: strings.Replace(machine(`"name":"f"`), `"spec":{`, `"spec":{"zoone":"x",`,
				1), code: http.StatusBadRequest, want: []string{`strict decoding error: unknown field \"spec.zoone\"`},
		},
		{
			name: "another version in YAML, the answer in a third", method: "POST",
			path: "/apis/fleet.example.com/v1beta1/namespaces/default/machinepools", body: pool("p",
				2), headers: []string{"Content-Type: application/yaml", "Accept: application/json;v=v1alpha1"},
			code: http.StatusCreated, want: []string{`"apiVersion":"fleet.example.com/v1alpha1"`, `"size":2`},
		},
		{name: "what is not an object", method: "POST", body: `[]`, code: http.StatusBadRequest},
		{
			name: "another format", method: "POST", body: `x`, headers: []string{"Content-Type: text/html"},
			code: http.StatusUnsupportedMediaType,
		},
	})
}
