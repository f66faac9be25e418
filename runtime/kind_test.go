package runtime_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	plainbuild "github.com/askind/askind/internal/plain"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestKindJSON(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	k, err := s.Kind(v1.WithKind("Gadget"))
	if err != nil {
		t.Fatal(err)
	}
	text := `{"kind":"Gadget","apiVersion":"toys.example.com/v1","name":"robot","size":7}`
	got, err := k.AppendJSON([]byte("before "), sample())
	if err != nil || string(got) != "before "+text {
		t.Errorf("got %s, %v", got, err)
	}
	obj := k.New()
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
	if err := k.DecodeJSON(r, obj); err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	if g := obj.(*Gadget); g.Meta.Name != "robot" || g.Size != 7 || g.Kind != "Gadget" ||
		g.APIVersion != "toys.example.com/v1" {
		t.Errorf("got %+v", g)
	}
	if _, err := k.AppendJSON(nil, &Toy{}); !errors.Is(err, runtime.ErrNotObject) {
		t.Errorf("another type: got %v", err)
	}
	toy, _ := s.Kind(shop.WithKind("Toy"))
	if _, err := toy.AppendJSON(nil, &Toy{}); !errors.Is(err, runtime.ErrNoFunction) {
		t.Errorf("a kind without the function: got %v", err)
	}
}

// TestKindIsFormattedOnce checks that the members kind and apiVersion of a kind are escaped, and
// formatted only for the first of its objects.
func TestKindIsFormattedOnce(t *testing.T) { // not parallel, because it counts allocations
	type object struct{ apiVersion, kind string }
	gvk := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: `O"`}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[object]{
			GroupVersionKind: gvk,
			TypeMeta:         func(o *object) (apiVersion, kind *string) { return &o.apiVersion, &o.kind },
			AppendJSONFields: func(dst []byte, _ *object) ([]byte, error) { return dst, nil },
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gvk)
	if err != nil {
		t.Fatal(err)
	}
	obj, dst := new(object), make([]byte, 0, 100)
	got, err := k.AppendJSON(dst, obj)
	if want := `{"kind":"O\"","apiVersion":"g/v1"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = k.AppendJSON(dst, obj) }); n > 0 && !plainbuild.Enabled {
		t.Errorf("%v allocations", n)
	}
}

// TestKindHasWhatItsSpecStates sets one part of a spec at a time, and looks for it in the kind.
func TestKindHasWhatItsSpecStates(t *testing.T) {
	t.Parallel()
	parts := reflect.TypeFor[runtime.KindInfo]()
	for i := range parts.NumField() {
		name := parts.Field(i).Name
		spec := runtime.KindSpec[Gadget]{GroupVersionKind: v1.WithKind("Gadget"), Resource: "gadgets", ABI: wire.Kinds}
		part := reflect.ValueOf(&spec).Elem().FieldByName(name)
		if !part.IsValid() || name == "SchemaName" || name == "Schemas" { // derived from functions, or used together
			continue
		}
		switch p := part.Addr().Interface().(type) {
		case *string:
			*p = "a-" + strings.ToLower(name)
		case *[]string:
			*p = []string{".a", name}
		case *bool:
			*p = true
		case *runtime.Scope:
			*p = runtime.Cluster
		default:
			t.Fatalf("a part of type %T", p)
		}
		s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &spec) })
		if err != nil {
			t.Fatal(err)
		}
		k, err := s.Kind(v1.WithKind("Gadget"))
		if err != nil {
			t.Fatal(err)
		}
		got, stated := reflect.ValueOf(k.Info()), reflect.ValueOf(spec)
		for other := range parts.Fields() {
			defaulted := other.Name == "Source" || other.Name == "Singular"
			want := stated.FieldByName(other.Name)
			if !want.IsValid() || defaulted && other.Name != name {
				continue
			}
			if got := got.FieldByName(other.Name); !reflect.DeepEqual(got.Interface(), want.Interface()) {
				t.Errorf("with %s: %s is %v, want %v", name, other.Name, got, want)
			}
		}
	}
}

func TestKindResource(t *testing.T) {
	t.Parallel()
	spec := gadgetSpec
	spec.Status, spec.Unserved, spec.Deprecated, spec.SelectableFields = true, true, "use v2", []string{".size"}
	spec.List = ""
	gadget := gadgetSpec
	gadget.List = ""
	s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &spec) })
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(v1.WithKind("Gadget"))
	if err != nil {
		t.Fatal(err)
	}
	if !k.Info().Status || !k.Info().Unserved || k.Info().Deprecated != "use v2" ||
		!slices.Equal(k.Info().SelectableFields, []string{".size"}) {
		t.Errorf("got %t, %t, %q, %q", k.Info().Status, k.Info().Unserved,
			k.Info().Deprecated, k.Info().SelectableFields)
	}
	if _, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &spec)
		runtime.AddKind(b, &gadget)
	}); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("two specs that say different things: got %v", err)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	e := runtime.Embed(&gadgetSpec, sample())
	want := `{"kind":"Gadget","apiVersion":"toys.example.com/v1","name":"robot","size":7}`
	if got, err := e.MarshalJSON(); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	var c runtime.RawExtension
	runtime.DeepCopyIntoRawExtension(&e, &c)
	if c.Object == e.Object || !reflect.DeepEqual(c.Object, e.Object) {
		t.Errorf("got %+v", c.Object)
	}
	s := newScheme(t)
	e, err := s.Embed(sample())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.MarshalJSON(); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for name, row := range map[string]struct {
		e    runtime.RawExtension
		want string
	}{
		"nothing": {runtime.RawExtension{}, "null"},
		"raw":     {runtime.RawExtension{Raw: []byte(` {"a": 1} `)}, `{"a":1}`},
	} {
		if got, err := row.e.MarshalJSON(); err != nil || string(got) != row.want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	if _, err := (runtime.RawExtension{Object: sample()}).MarshalJSON(); err == nil {
		t.Error("an object put in by hand was written")
	}
	if _, err := (runtime.RawExtension{Raw: []byte(`{"a"`)}).MarshalJSON(); err == nil {
		t.Error("broken bytes were written")
	}
}

type withHidden struct {
	Seen   map[string][]*int
	Any    any
	Raw    runtime.RawExtension
	Arrays [2][]string
	hidden *int
}

func TestDeepCopyByReflection(t *testing.T) {
	t.Parallel()
	add := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[withHidden]{GroupVersionKind: v1.WithKind("Hidden")})
		runtime.AddKind(b, &runtime.KindSpec[nested]{GroupVersionKind: v1.WithKind("Nested")})
	}
	s := newScheme(t, append(all[:len(all):len(all)], add)...)
	if _, err := s.DeepCopy(&withHidden{hidden: new(int)}); err == nil {
		t.Error("an unexported reference was shared")
	}
	one := 1
	in := &nested{
		Map: map[string][]*int{"a": {&one, nil}}, Any: map[string]any{"b": []any{"c", int64(1)}},
		Raw: runtime.RawExtension{Raw: []byte("{}")}, Arrays: [2][]string{{"x"}, nil},
	}
	out, err := s.DeepCopy(in)
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Fatalf("got %+v, %v", out, err)
	}
	c := out.(*nested)
	*c.Map["a"][0], c.Any.(map[string]any)["b"].([]any)[0], c.Raw.Raw[0], c.Arrays[0][0] = 2, "changed", '[', "changed"
	if one != 1 || in.Any.(map[string]any)["b"].([]any)[0] != "c" || in.Raw.Raw[0] != '{' || in.Arrays[0][0] != "x" {
		t.Errorf("the copy shares memory: %+v", in)
	}
}

type nested struct {
	Map    map[string][]*int
	Any    any
	Raw    runtime.RawExtension
	Arrays [2][]string
}

func ExampleNewScheme() {
	s, err := runtime.NewScheme(addAlpha, addBeta, addV1, addViews)
	if err != nil {
		fmt.Println(err)
		return
	}
	old := &GadgetAlpha{Shape[string]{Meta: Meta{Name: "robot"}, Size: "7"}}
	new, err := runtime.ConvertTo[Gadget](s, old)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(new.APIVersion, new.Kind, new.Meta.Name, new.Size)

	_, err = s.Kind(schema.GroupVersionKind{Group: "toys.example.com", Version: "v1", Kind: "Gadgets"})
	fmt.Println(err)
	// Output:
	// toys.example.com/v1 Gadget robot 7
	// runtime: no kind "Gadgets" is registered in toys.example.com/v1 (did you mean "Gadget"?); toys.example.com has the versions v1, v1beta1, v1alpha1; if the kind is new, generate its code, or add it with AddKind
}

func ExampleScheme_As() {
	s, err := runtime.NewScheme(all...)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := &GadgetList{ShapeList[Gadget]{Items: []Gadget{*sample(), *sample()}}}
	roll, err := runtime.As[Roll](s, list)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(roll.Kind, roll.Tags)
	// Output: Roll [robot=7 robot=7]
}

// A router that passes stored objects on, each to the queue of its kind, without decoding them.
func ExampleScheme_LookupText() {
	s, err := runtime.NewScheme(all...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{
		`{"kind":"Gadget","apiVersion":"toys.example.com/v1beta1","metadata":{"name":"robot"}}`,
		`{"kind":"Sprocket","apiVersion":"toys.example.com/v1"}`,
	} {
		if k := s.LookupText([]byte(text)); k != nil {
			fmt.Println(k.GroupVersionKind())
		} else {
			fmt.Println("not ours:", text)
		}
	}
	// Output:
	// toys.example.com/v1beta1, Kind=Gadget
	// not ours: {"kind":"Sprocket","apiVersion":"toys.example.com/v1"}
}
