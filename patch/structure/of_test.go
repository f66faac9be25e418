package structure_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

type web struct{}

// kindOf returns a kind with the schema of a name.
func kindOf(t testing.TB, name string, in *runtime.Schemas) *runtime.Kind {
	t.Helper()
	gvk := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Web"}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[web]{GroupVersionKind: gvk, SchemaName: name, Schemas: in})
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gvk)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var schemas = &runtime.Schemas{
	Types: []runtime.MergeType{
		{Name: "Owner", Atomic: true},
		{Name: "Port", Fields: []runtime.MergeField{{Name: "protocol", Default: `"TCP"`}}},
		{Name: "Web", Fields: []runtime.MergeField{
			{Name: "args", List: runtime.ListAtomic},
			{Name: "child", Type: "Web"},
			{Name: "free"},
			{Name: "labels", Map: true},
			{Name: "merged", Strategy: "merge"},
			{Name: "metadata", Type: "Meta"},
			{Name: "owners", Type: "Owner", List: runtime.ListMap, Keys: []string{"uid"}},
			{
				Name: "ports", Type: "Port", List: runtime.ListMap, Keys: []string{"port", "protocol"},
				Strategy: "merge", MergeKey: "port",
			},
			{Name: "raw", Unknown: true},
			{Name: "selector", Map: true, Atomic: true},
			{Name: "strategy", Type: "Strategy", Strategy: "retainKeys"},
			{Name: "whole", Type: "Strategy", Atomic: true, Strategy: "replace"},
			{Name: "words", List: runtime.ListSet, Strategy: "merge,retainKeys"},
		}},
	},
	Imports: []*runtime.Schemas{{Types: []runtime.MergeType{
		{Name: "Meta", Fields: []runtime.MergeField{{Name: "finalizers", List: runtime.ListSet, Strategy: "merge"}}},
	}}},
}

func TestOf(t *testing.T) {
	t.Parallel()
	s := structure.Of(kindOf(t, "Web", schemas))
	field := func(name string) structure.Field {
		f := s.Field(name)
		if f == nil {
			t.Fatalf("there is no field %s", name)
		}
		return *f
	}
	if s.Kind != structure.Struct || field("child").Type != s {
		t.Errorf("got %+v", s)
	}
	for _, tt := range []struct {
		name string
		got  any
		want any
	}{
		{"an atomic list", field("args").Type.Kind == structure.List && !field("args").Type.Set &&
			field("args").Type.Keys == nil, true},
		{"a map", *field("labels").Type, structure.Type{Kind: structure.Map, Elem: structure.Deduced}},
		{"a struct of another package", field("metadata").Type.Field("finalizers").Type.Set, true},
		{"the keys of a list", fmt.Sprint(field("ports").Type.Keys), "[port protocol]"},
		{"the default of a key", field("ports").Type.Element().Field("protocol").Default, `"TCP"`},
		{"an atomic element", field("owners").Type.Element().Atomic, true},
		{"the strategy of a list", field("ports").Merge && field("ports").MergeKey == "port", true},
		{"a list for which only the strategy is known", field("merged").Type.Kind, structure.List},
		{"any object", *field("raw").Type, structure.Type{Atomic: true}},
		{"an atomic map", field("selector").Type.Atomic, true},
		{"members that are not retained", field("strategy").RetainKeys && !field("strategy").Type.Atomic, true},
		{"a struct that is replaced", field("whole").Replace && field("whole").Type.Atomic, true},
		{"several strategies", field("words").Merge && field("words").RetainKeys && field("words").Type.Set, true},
		{"a field with only a name", field("free").Type, structure.Deduced},
		{"a field that is not listed", s.Member("replicas"), structure.Deduced},
		{"a member of any object", s.Member("raw").Member("x"), s.Member("raw")},
		{"a member of a map", s.Member("labels").Member("x"), structure.Deduced},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestOfKindsWithoutSchemas(t *testing.T) {
	t.Parallel()
	if s := structure.Of(kindOf(t, "", nil)); s != nil {
		t.Errorf("got %+v", s)
	}
	if s := structure.Of(kindOf(t, "Unknown", schemas)); s != nil {
		t.Errorf("got %+v", s)
	}
}

func ExampleOf() {
	s := structure.Of(kindOf(&testing.T{}, "Web", schemas))
	f := s.Field("ports")
	fmt.Println(f.Type.Keys, f.Merge, f.MergeKey)
	// Output: [port protocol] true port
}
