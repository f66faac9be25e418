package dynamic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func boats() dynamic.Definition {
	return dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Columns: []dynamic.Column{
			{Name: "Crew", Type: "integer", JSONPath: ".spec.crew"},
			{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`},
			{Name: "Ports", Type: "string", JSONPath: ".spec.ports[*]"},
			{Name: "First", Type: "string", JSONPath: ".spec.ports[0]"},
			{Name: "Dock", Type: "string", JSONPath: `.metadata.labels.harbor\.example\.com/dock`},
		}}},
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(d *dynamic.Definition)
		want   string
	}{
		{"group", func(d *dynamic.Definition) { d.Group = "a/b" }, "spec.group: "},
		{"plural", func(d *dynamic.Definition) { d.Resource = "Boats" }, "spec.names.plural: "},
		{"kind", func(d *dynamic.Definition) { d.Kind = "2boat" }, "spec.names.kind: "},
		{"storage", func(d *dynamic.Definition) { d.Versions[0].Storage = false }, "spec.versions: "},
		{"version twice", func(d *dynamic.Definition) {
			d.Versions = append(d.Versions, dynamic.Version{Name: "v1"})
		}, "spec.versions[1].name: Duplicate"},
		{"status of another version", func(d *dynamic.Definition) {
			d.Versions = append(d.Versions, dynamic.Version{Name: "v2", Status: true})
			d.Versions[0].Status = false
		}, "spec.versions[1].subresources.status: Invalid value: true: the storage version must have"},
		{
			"column type", func(d *dynamic.Definition) { d.Versions[0].Columns[0].Type = "int" },
			"spec.versions[0].additionalPrinterColumns[0].type: ",
		},
		{
			"column path", func(d *dynamic.Definition) { d.Versions[0].Columns[0].JSONPath = ".a[1:2]" },
			"spec.versions[0].additionalPrinterColumns[0].jsonPath: ",
		},
		{
			"field", func(d *dynamic.Definition) { d.Versions[0].SelectableFields = []string{".spec.a[0]"} },
			"spec.versions[0].selectableFields[0].jsonPath: ",
		},
		{"scale", func(d *dynamic.Definition) {
			d.Versions[0].Scale = &dynamic.Scale{SpecReplicas: ".status.n", StatusReplicas: ".status.n"}
		}, "spec.versions[0].subresources.scale.specReplicasPath: "},
		{
			"schema", func(d *dynamic.Definition) { d.Versions[0].Schema = []byte("[]") },
			"spec.versions[0].schema.openAPIV3Schema: ",
		},
		{"comparison", func(d *dynamic.Definition) {
			d.Versions[0].Columns[0].JSONPath = ".spec.list[?(@.size>3)].name"
		}, "spec.versions[0].additionalPrinterColumns[0].jsonPath: "},
		{"list type", func(d *dynamic.Definition) {
			d.Versions[0].Schema = []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array",` +
				`"items":{"type":"string"},"x-kubernetes-list-type":"bag"}}}}}`)
		}, `properties[a].properties[b].x-kubernetes-list-type: Unsupported value: "bag"`},
		{"list keys", func(d *dynamic.Definition) {
			d.Versions[0].Schema = []byte(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"},` +
				`"x-kubernetes-list-type":"map"}}}`)
		}, "properties[a].x-kubernetes-list-map-keys: Required value"},
		{"map type", func(d *dynamic.Definition) {
			d.Versions[0].Schema = []byte(`{"type":"object","properties":{"a":{"type":"object","x-kubernetes-map-type":"flat"}}}`)
		}, `properties[a].x-kubernetes-map-type: Unsupported value: "flat"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := boats()
			tt.change(&d)
			_, err := dynamic.New(d)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	r, err := dynamic.New(boats())
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewScheme(metav1.AddTo, r.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	o := new(dynamic.Object)
	o.SetType("harbor.example.com/v1", "Boat")
	o.Name, o.Labels = "a", map[string]string{"harbor.example.com/dock": "7"}
	for path, value := range map[string]any{
		"spec.crew": 3, "spec.ports": []any{"x", "y"},
		"status.conditions": []any{
			map[string]any{"type": "Old", "status": "False"}, map[string]any{"type": "Ready", "status": "True"},
		},
	} {
		if err := o.Content.Set(value, strings.Split(path, ".")...); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := s.As(o, metav1.GroupVersion.WithKind("Table"))
	if err != nil {
		t.Fatal(err)
	}
	got := shown.(*metav1.Table).Rows[0].Cells
	if want := []any{"a", int64(3), "True", "x y", "x", "7"}; !slices.Equal(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestFromCRDRefuses(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"kind: ":       `{"apiVersion":"v1","kind":"Pod"}`,
		"spec.scope: ": `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"scope":"World"}}`,
		"spec.group: Required": `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",` +
			`"spec":{"scope":"Cluster"}}`,
		"spec.group: ":    `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":5,"scope":"Cluster"}}`,
		"spec.versions: ": `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"scope":"Cluster","versions":5}}`,
		"metadata.name: Invalid value: \"cars.a.example.com\"": `{"apiVersion":"apiextensions.k8s.io/v1",` +
			`"kind":"CustomResourceDefinition","metadata":{"name":"cars.a.example.com"},` +
			`"spec":{"group":"b.example.com","scope":"Cluster","names":{"plural":"cars"}}}`,
		"spec.versions[0].additionalPrinterColumns[0].priority: Invalid value: 4294967296": `{` +
			`"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"scope":"Cluster",` +
			`"versions":[{"additionalPrinterColumns":[{"priority":4294967296}]}]}}`,
		"strategy: ": `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",` +
			`"spec":{"scope":"Cluster","conversion":{"strategy":"Webhook"}}}`,
	} {
		var o unstructured.Object
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := dynamic.FromCRD(&o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestUnstructured(t *testing.T) {
	t.Parallel()
	o := new(dynamic.Object)
	o.SetType("harbor.example.com/v1", "Boat")
	o.Name = "a"
	if err := o.Content.Set("red", "spec", "color"); err != nil {
		t.Fatal(err)
	}
	u, err := o.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	if gvk, err := u.GroupVersionKind(); err != nil || gvk != (schema.GroupVersionKind{
		Group: "harbor.example.com", Version: "v1", Kind: "Boat",
	}) || u.Name() != "a" {
		t.Errorf("got %v, %v", u, err)
	}
	if o.Content.Has("metadata") {
		t.Error("the content has been changed")
	}
}

// TestText checks that only strings, numbers and booleans have a text, by which objects are
// selected.
func TestText(t *testing.T) {
	t.Parallel()
	o := new(dynamic.Object)
	if err := o.Content.UnmarshalJSON([]byte(
		`{"spec":{"text":"red","number":7,"bool":true,"null":null,"object":{"a":"b"},"array":["a"]}}`,
	)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"text": "red", "number": "7", "bool": "true", "null": "", "object": "", "array": "", "missing": "",
	} {
		if got := o.Text("spec", name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
