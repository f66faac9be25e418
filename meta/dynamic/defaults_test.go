package dynamic_test

import (
	"errors"
	goruntime "runtime"
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

// thing returns a kind with a schema of the spec, and an object of it.
func thing(t *testing.T, schemaOfSpec, spec string) (*runtime.Kind, runtime.Object) {
	t.Helper()
	things, err := dynamic.New(dynamic.Definition{
		Group: "a.b", Kind: "Thing", Resource: "things",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(withSpec(schemaOfSpec))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(things.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := f.Decode([]byte(`{"apiVersion":"a.b/v1","kind":"Thing","spec":`+spec+`}`), serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return k, obj
}

// TestManyDefaults checks that short elements whose defaults are long or many are an error, before
// they take memory, in an object and in a default.
func TestManyDefaults(t *testing.T) { // not in parallel: it counts what is allocated
	elements := "[" + strings.Repeat("{},", 99_999) + "{}]"
	var members strings.Builder
	for i := range 100 {
		members.WriteString(`,"m` + strconv.Itoa(i) + `":{"type":"integer","default":1}`)
	}
	for name, items := range map[string]string{
		"long": `{"type":"object","properties":{"a":{"type":"string","default":"` + strings.Repeat("x", 1500) + `"}}}`,
		"many": `{"type":"object","properties":{` + members.String()[1:] + `}}`,
	} {
		k, obj := thing(t, `{"type":"array","items":`+items+`}`, elements)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		err := k.Default(obj)
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, runtime.ErrLimit) || used > 64<<20 {
			t.Errorf("%s: got %v, with %d bytes", name, err, used)
		}
		if got := specOf(t, obj); got != elements {
			t.Errorf("%s: the object is changed: %.100s", name, got)
		}
		goruntime.ReadMemStats(&before)
		err = dynamic.Check(dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things",
			Versions: []dynamic.Version{{
				Name: "v1", Storage: true, Schema: []byte(withSpec(`{"type":"array","default":` + elements + `,"items":` + items + `}`)),
			}},
		})
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 96<<20 ||
			!strings.Contains(err.Error(), "the defaults of the schema have more than 262144 bytes together") {
			t.Errorf("%s: got %v, with %d bytes", name, err, used)
		}
	}
}
