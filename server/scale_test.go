package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/server"
)

// TestManagersOfScale changes the size of a pool through the subresource scale, by each kind of
// write. The pool has the manager with the field of the pool, in the version of the request, and
// the manager of the size before has lost it. A Scale itself shows no managed fields.
func TestManagersOfScale(t *testing.T) {
	t.Parallel()
	const old = "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools"
	for _, tt := range []struct {
		name, method, base, contentType, body string
		version, field                        string
	}{
		{
			"update", "PUT", pools, "application/json",
			`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"},"spec":{"replicas":5}}`,
			"fleet.example.com/v1", `{"f:spec":{"f:replicas":{}}}`,
		},
		{
			"merge patch", "PATCH", pools, "application/merge-patch+json", `{"spec":{"replicas":5}}`,
			"fleet.example.com/v1", `{"f:spec":{"f:replicas":{}}}`,
		},
		{
			"JSON patch in another version", "PATCH", old, "application/json-patch+json",
			`[{"op":"replace","path":"/spec/replicas","value":5}]`,
			"fleet.example.com/v1alpha1", `{"f:spec":{"f:size":{}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, server.ManagedFields(apply.Always))
			if w := request(s, "POST", pools+"?fieldManager=author", pool("web", 2)); w.Code != http.StatusCreated {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			w := request(s, tt.method, tt.base+"/web/scale?fieldManager=scaler", tt.body, "Content-Type: "+tt.contentType)
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if m := managersIn(t, w.Body.Bytes()); len(m) > 0 {
				t.Errorf("the scale has managed fields: %v", m)
			}
			got := managersIn(t, request(s, "GET", pools+"/web", "").Body.Bytes())
			if len(got) != 2 {
				t.Fatalf("got %v", got)
			}
			scaler, author := got["scaler"], got["author"]
			if scaler.Operation != "Update" || scaler.Subresource != "scale" || scaler.APIVersion != tt.version ||
				scaler.FieldsV1.String() != tt.field {
				t.Errorf("got %+v %s", scaler, scaler.FieldsV1)
			}
			if strings.Contains(author.FieldsV1.String(), "f:replicas") {
				t.Errorf("the author still manages the size: %s", author.FieldsV1)
			}
		})
	}
}

// TestApplyScale applies sizes through the subresource scale, beside managers of the pool.
func TestApplyScale(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	const old = "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools"
	s := newServer(t, server.ManagedFields(apply.Always))
	size := func(text string) string {
		return `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"},"spec":{` + text + `}}`
	}
	run(t, s, pools, []step{
		{
			name: "of nothing", method: "PATCH", path: "web/scale?fieldManager=scaler", headers: []string{media},
			body: size(`"replicas":3`), code: http.StatusNotFound,
		},
		{name: "a pool", method: "POST", path: "?fieldManager=author", body: pool("web", 2), code: http.StatusCreated},
		{
			name: "without a manager", method: "PATCH", path: "web/scale", headers: []string{media},
			body: size(`"replicas":3`), code: http.StatusUnprocessableEntity, want: []string{"fieldManager"},
		},
		{
			name: "without a size", method: "PATCH", path: "web/scale?fieldManager=scaler", headers: []string{media},
			body: size(``), code: http.StatusUnprocessableEntity, want: []string{"spec.replicas", "Required"},
		},
		{
			name: "with null as a size", method: "PATCH", path: "web/scale?fieldManager=scaler", headers: []string{media},
			body: size(`"replicas":null`), code: http.StatusUnprocessableEntity,
			want: []string{"spec.replicas", "Required"},
		},
		{
			name: "with a size twice", method: "PATCH", path: "web/scale?fieldManager=scaler&fieldValidation=Strict",
			headers: []string{media}, body: size(`"replicas":3,"replicas":4`), code: http.StatusBadRequest,
			want: []string{"spec.replicas"},
		},
		{
			name: "of another object", method: "PATCH", path: "web/scale?fieldManager=scaler", headers: []string{media},
			body: strings.Replace(size(`"replicas":3`), `"web"`, `"db"`, 1), code: http.StatusBadRequest,
		},
		{
			name: "another kind", method: "PATCH", path: "web/scale?fieldManager=scaler", headers: []string{media},
			body: pool("web", 3), code: http.StatusBadRequest, want: []string{"MachinePool", "Scale"},
		},
		{
			name: "of another version", method: "PATCH", path: "web/scale?fieldManager=scaler&force=true",
			headers: []string{media}, body: strings.Replace(size(`"replicas":3`), `"name":"web"`, `"uid":"other"`, 1),
			code: http.StatusConflict,
		},
		{
			name: "a size that somebody manages", method: "PATCH", path: "web/scale?fieldManager=scaler",
			headers: []string{media}, body: size(`"replicas":3`), code: http.StatusConflict,
			want: []string{`"reason":"FieldManagerConflict"`, `"field":".spec.replicas"`, `\"author\"`},
		},
		{
			name: "by force", method: "PATCH", path: "web/scale?fieldManager=scaler&force=true",
			headers: []string{media}, body: size(`"replicas":3`), code: http.StatusOK,
			want: []string{`"kind":"Scale"`, `"spec":{"replicas":3}`}, not: []string{"managedFields"},
		},
		{
			name: "the pool has the manager", method: "GET", path: "web", code: http.StatusOK,
			want: []string{
				`"replicas":3`,
				`{"manager":"scaler","operation":"Apply","apiVersion":"fleet.example.com/v1",`,
				`"fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"}`, `"zone":"fra-1"`,
			},
		},
		{
			name: "none in YAML, in another version", method: "PATCH", path: old + "/web/scale?fieldManager=scaler",
			headers: []string{media}, body: "kind: Scale\napiVersion: autoscaling/v1\nspec: {replicas: 0}\n",
			code: http.StatusOK, want: []string{`"spec":{}`},
		},
		{
			name: "is the manager's", method: "GET", path: old + "/web", code: http.StatusOK,
			want: []string{`"size":0`, `"apiVersion":"fleet.example.com/v1alpha1"`, `{"f:spec":{"f:size":{}}}`},
		},
	})
}

// managersIn returns the managed fields of an object by manager.
func managersIn(t *testing.T, body []byte) map[string]metav1.ManagedFieldsEntry {
	t.Helper()
	var obj struct{ Metadata metav1.ObjectMeta }
	if err := json.Unmarshal(body, &obj); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	out := map[string]metav1.ManagedFieldsEntry{}
	for _, m := range obj.Metadata.ManagedFields {
		out[m.Manager] = m
	}
	return out
}

// TestScaleIsChecked checks that a Scale is that of the object at the path, and has a size that is
// not negative.
func TestScaleIsChecked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if w := request(s, "POST", pools, pool("web", 2)); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	const media, apply = "Content-Type: application/merge-patch+json", "Content-Type: application/apply-patch+yaml"
	scale := func(metadata string, replicas int) string {
		return fmt.Sprintf(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{%s},"spec":{"replicas":%d}}`,
			metadata, replicas)
	}
	var steps []step
	for _, kind := range []step{
		{method: "PUT", path: "web/scale"},
		{method: "PATCH", path: "web/scale", headers: []string{media}},
		{method: "PATCH", path: "web/scale?fieldManager=m&force=true", headers: []string{apply}},
	} {
		for _, c := range []struct {
			name, body string
			code       int
			want       string
		}{
			{"another name", scale(`"name":"db"`, 3), http.StatusBadRequest, "does not match the name on the URL"},
			{
				"another namespace", scale(`"name":"web","namespace":"other"`, 3), http.StatusBadRequest,
				"does not match the namespace",
			},
			{"negative", scale(`"name":"web"`, -1), http.StatusUnprocessableEntity, "must be greater than or equal to 0"},
			{"another version", scale(`"name":"web","resourceVersion":"1"`, 3), http.StatusConflict, "has been modified"},
			{"any version", scale(`"name":"web","resourceVersion":"0"`, 3), http.StatusOK, `"replicas":3`},
		} {
			one := kind
			one.name, one.body, one.code, one.want = c.name, c.body, c.code, []string{c.want}
			steps = append(steps, one)
		}
	}
	run(t, s, pools, append(steps, step{
		name: "strictly", method: "PUT", path: "web/scale?fieldValidation=Strict",
		body: strings.Replace(scale(`"name":"web"`, 3), `"replicas"`, `"size":1,"replicas"`, 1),
		code: http.StatusBadRequest, want: []string{`strict decoding error: unknown field \"spec.size\"`},
	}))
}

// TestScaleTable checks that a size is shown with the columns that clusters show it with, and that
// the size 0 is not left out.
func TestScaleTable(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if w := request(s, "POST", pools, pool("web", 0)); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := request(s, "GET", pools+"/web/scale", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table struct {
		ColumnDefinitions []struct{ Name string }
		Rows              []struct{ Cells []any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &table); err != nil || len(table.Rows) != 1 {
		t.Fatalf("%v %d %s", err, w.Code, w.Body)
	}
	names := make([]string, len(table.ColumnDefinitions))
	for i, c := range table.ColumnDefinitions {
		names[i] = c.Name
	}
	if got, want := strings.Join(names, " "), "Name Desired Available Age"; got != want {
		t.Errorf("the columns are %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(table.Rows[0].Cells[:3]), "[web 0 0]"; got != want {
		t.Errorf("the row begins with %s, want %s", got, want)
	}
}
