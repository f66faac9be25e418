package runtime_test

import (
	"slices"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestMergeTypes(t *testing.T) {
	t.Parallel()
	below := &runtime.Schemas{Types: []runtime.MergeType{
		{Name: "b.One"},
		{Name: "b.Two", Fields: []runtime.MergeField{{Name: "x", Map: true}}},
	}}
	above := &runtime.Schemas{
		Types: []runtime.MergeType{{Name: "a.One", Fields: []runtime.MergeField{
			{Name: "p", Type: "b.Two"},
			{Name: "q", List: runtime.ListSet},
		}}},
		Imports: []*runtime.Schemas{below},
	}
	below.Imports = []*runtime.Schemas{above} // which generated code never has, and which must not hang
	for _, c := range []struct {
		name, typ, field string
		found            bool
	}{
		{"own type", "a.One", "q", true},
		{"imported type", "b.Two", "x", true},
		{"scalar field", "b.Two", "y", false},
		{"unknown type", "c.One", "x", false},
	} {
		if got := fieldOf(above.MergeType(c.typ), c.field); (got != nil) != c.found {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
	if (*runtime.Schemas)(nil).MergeType("a.One") != nil {
		t.Error("no schemas have a type")
	}
}

// fieldOf returns a field of a type, nil if there is no such field or type.
func fieldOf(t *runtime.MergeType, name string) *runtime.MergeField {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.Fields, func(f runtime.MergeField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}

func TestSchemaOfKind(t *testing.T) {
	t.Parallel()
	type thing struct{}
	type other struct{}
	schemas := &runtime.Schemas{}
	gvk := schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[thing]{
			GroupVersionKind: gvk, SchemaName: "b.a.v1.Thing",
			Schemas: schemas,
		})
		runtime.AddKind(b, &runtime.KindSpec[other]{GroupVersionKind: gvk.GroupVersion().WithKind("Other")})
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.KindOf(&thing{})
	if err != nil {
		t.Fatal(err)
	}
	if info := k.Info(); info.SchemaName != "b.a.v1.Thing" || info.Schemas != schemas {
		t.Errorf("got %q, %p", info.SchemaName, info.Schemas)
	}
	if k, err = s.KindOf(&other{}); err != nil {
		t.Fatal(err)
	}
	if info := k.Info(); info.SchemaName != "" || info.Schemas != nil {
		t.Errorf("got %q, %p for a kind without", info.SchemaName, info.Schemas)
	}
}
