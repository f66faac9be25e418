package dynamic_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestManyNulls checks that removing the nulls of a map takes time proportional to their number,
// and that the rest of the object gets its defaults as in an object with few of them.
func TestManyNulls(t *testing.T) {
	t.Parallel()
	towns, err := dynamic.New(dynamic.Definition{
		Group: "a.b", Kind: "Town", Resource: "towns",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(withSpec(`{"type":"object","properties":{
			"names":{"type":"object","additionalProperties":{"type":"string"}},
			"houses":{"type":"array","items":{"type":"object","nullable":true,"properties":{
				"color":{"type":"string","default":"red"},"owner":{"type":"string"},"note":{"type":"string","nullable":true}}}},
			"sizes":{"type":"object","additionalProperties":{"type":"integer","default":7}},
			"size":{"type":"integer","default":1}}}`))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(towns.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Town"})
	if err != nil {
		t.Fatal(err)
	}
	for _, nulls := range []int{1, 200_000} {
		var names strings.Builder
		for i := range nulls {
			names.WriteString(`"` + strconv.Itoa(i) + `":null,`)
		}
		obj, err := f.Decode([]byte(`{"apiVersion":"a.b/v1","kind":"Town","spec":{"names":{`+names.String()+`"x":"y"},
			"houses":[{"owner":null,"note":null},{"color":null},null,{"color":"blue"}],"sizes":{"a":null,"b":2}}}`),
			serializer.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		took := cputime.Of(func() { err = k.Default(obj) })
		if err != nil {
			t.Fatal(err)
		}
		want := `{"houses":[{"color":"red","note":null},{"color":"red"},null,{"color":"blue"}],"names":{"x":"y"},"size":1,` +
			`"sizes":{"a":7,"b":2}}`
		if got := specOf(t, obj); got != want || took > 5*time.Second {
			t.Errorf("%d nulls: got %s, want %s, in %v", nulls, got, want, took)
		}
	}
}
