package serializer_test

import (
	"errors"
	"fmt"
	"log"
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/fuzz"
	cargov1 "github.com/askind/askind/internal/cargo/v1"
	cargov1beta1 "github.com/askind/askind/internal/cargo/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

func cargoFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	return factoryOf(t, metav1.AddTo, cargov1.AddTo, cargov1beta1.AddTo)
}

const (
	cargoVersion = `"apiVersion":"cargo.example.com/v1"`
	cargoBeta    = `"apiVersion":"cargo.example.com/v1beta1"`
	unknownLoad  = `{"apiVersion":"other.example.com/v1","kind":"Barrel","x":[1]}`
)

// truck is a truck in JSON, with what it carries.
func truck(first, load string) string {
	if load == "" {
		return `{"kind":"Truck",` + cargoVersion + `,"metadata":{"name":"t"},"spec":{"first":` + first + `}}`
	}
	return `{"kind":"Truck",` + cargoVersion + `,"metadata":{"name":"t"},"spec":{"first":` + first + `,"loads":[` +
		load + `],"named":{"a":` + load + `}}}`
}

// TestEmbedded decodes, defaults, converts and writes objects with the one that they are in, in
// every format.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	crate := `{"kind":"Crate",` + cargoBeta + `,"metadata":{"name":"c"},"mass":7}`
	text := truck(crate, `{"kind":"Tank",`+cargoVersion+`,"metadata":{"name":"d"},"litres":3}`)
	raw, err := f.Decode([]byte(text), serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		t.Fatal(err)
	}
	if e := raw.(*cargov1.Truck).Spec.First; string(e.Raw) != crate || e.Object != nil {
		t.Errorf("not asked for, the object is decoded: %+v", e)
	}
	typed, err := f.Decode([]byte(text), serializer.DecodeOptions{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range mediaTypes {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			for name, obj := range map[string]runtime.Object{"raw": raw, "typed": typed} {
				data := encoded(t, f, mediaType, obj)
				for _, strictness := range []serializer.Strictness{
					serializer.IgnoreProblems, serializer.FailOnProblems,
				} {
					got, err := f.Decode(data, serializer.DecodeOptions{
						MediaType: mediaType, Embedded: true,
						Default: true, Strictness: strictness,
					})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					spec := got.(*cargov1.Truck).Spec
					old, ok := spec.First.Object.(*cargov1beta1.Crate)
					if !ok || spec.First.Raw != nil || old.Mass != 7 || old.Material != "wood" || old.Kind != "Crate" ||
						old.APIVersion != "cargo.example.com/v1beta1" {
						t.Errorf("%s: the first is %+v", name, spec.First)
					}
					crate, err := spec.First.Get(nil)
					if err != nil || crate.Weight != 7 || crate.Material != "wood" ||
						crate.APIVersion != "cargo.example.com/v1" {
						t.Errorf("%s: as a crate it is %+v, error %v", name, crate, err)
					}
					for _, e := range []runtime.Embedded[cargov1.Load]{spec.Loads[0], spec.Named["a"]} {
						if load, err := e.Get(nil); err != nil || load.Kilograms() != 3 ||
							load.(*cargov1.Tank).Name != "d" {
							t.Errorf("%s: the load is %+v, error %v", name, load, err)
						}
					}
				}
				// What is not decoded can be, and goes from format to format.
				got, err := f.Decode(data, serializer.DecodeOptions{MediaType: mediaType})
				if err != nil {
					t.Fatal(err)
				}
				e := got.(*cargov1.Truck).Spec.First
				if e.Object != nil || e.Raw == nil {
					t.Errorf("%s: not asked for, the object is decoded: %+v", name, e)
				}
				if crate, err := e.Get(nil); err != nil || crate.Weight != 7 || crate.Name != "c" {
					t.Errorf("%s: as a crate the bytes are %+v, error %v", name, crate, err)
				}
				for _, other := range mediaTypes {
					again, err := f.Decode(encoded(t, f, other, got), serializer.DecodeOptions{
						MediaType: other,
						Embedded:  true,
					})
					if err != nil || string(encoded(t, f, mediaJSON, again)) != string(encoded(t, f,
						mediaJSON, typed)) {
						t.Errorf("%s: by way of %s: %v", name, other, err)
					}
				}
			}
		})
	}
}

// TestEmbeddedBytes checks that an Embedded has the bytes of a RawExtension.
func TestEmbeddedBytes(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	object := &cargov1.Truck{Spec: cargov1.TruckSpec{Driver: "d"}}
	e, err := runtime.NewEmbedded[*cargov1.Crate](f.Scheme(), &cargov1.Crate{Weight: 1})
	if err != nil {
		t.Fatal(err)
	}
	object.Spec.First = e
	data := string(encoded(t, f, mediaProtobuf, object))
	crate := string(encoded(t, f, mediaProtobuf, &cargov1.Crate{Weight: 1}))
	if !strings.Contains(data, "\x12"+uvs("\x0a"+uvs(crate))) {
		t.Errorf("the message has no RawExtension of the crate: %q", data)
	}
	if got, want := string(encoded(t, f, mediaJSON, object)), `"spec":{"driver":"d","first":{"kind":"Crate",`+
		cargoVersion+`,"metadata":{},"weight":1}}`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	if _, err := runtime.NewEmbedded[*reflect.Value](f.Scheme(), nil); !errors.Is(err, runtime.ErrNotObject) &&
		!errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("error %v", err)
	}
}

// TestEmbeddedWithItsParent converts and copies an object with the one that it is in.
func TestEmbeddedWithItsParent(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	text := []byte(truck(`{"kind":"Crate",`+cargoVersion+`,"weight":7}`, unknownLoad))
	beta := cargov1beta1.GroupVersion
	obj, err := f.Decode(text, serializer.DecodeOptions{Embedded: true, Default: true, Version: beta})
	if err != nil {
		t.Fatal(err)
	}
	spec := obj.(*cargov1beta1.Truck).Spec
	if crate, ok := spec.First.Object.(*cargov1beta1.Crate); !ok || crate.Mass != 7 || crate.Material != "wood" ||
		crate.APIVersion != beta.String() {
		t.Errorf("the crate is %+v", spec.First.Object)
	}
	if string(spec.Loads[0].Raw) != unknownLoad || spec.Loads[0].Object != nil {
		t.Errorf("a kind that is not known is %+v", spec.Loads[0])
	}
	if _, err := spec.Loads[0].Get(nil); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("error %v", err)
	}
	if err := spec.Loads[0].Decode(nil); err != nil || string(spec.Loads[0].Raw) != unknownLoad {
		t.Errorf("%+v, error %v", spec.Loads[0], err)
	}
	// There and back, copied and shared.
	before := string(encoded(t, f, mediaJSON, obj))
	back, err := f.Scheme().ConvertTo(obj, cargov1.GroupVersion)
	if err != nil {
		t.Fatal(err)
	}
	crate, err := back.(*cargov1.Truck).Spec.First.Get(nil)
	if err != nil || crate.Weight != 7 || crate != back.(*cargov1.Truck).Spec.First.Object {
		t.Errorf("back it is %+v, error %v", crate, err)
	}
	crate.Weight = 9
	c, err := f.Scheme().DeepCopy(back)
	if err != nil {
		t.Fatal(err)
	}
	c.(*cargov1.Truck).Spec.First.Object.(*cargov1.Crate).Weight = 11
	if after := string(encoded(t, f, mediaJSON, obj)); after != before || crate.Weight != 9 {
		t.Errorf("memory is shared:\n%s\n%s", before, after)
	}
	// To the version of a store.
	e := back.(*cargov1.Truck).Spec.First
	if err := e.ConvertTo(f.Scheme(), beta); err != nil || e.Object.(*cargov1beta1.Crate).Mass != 9 {
		t.Errorf("%+v, error %v", e, err)
	}
	if err := e.ConvertTo(nil, schema.GroupVersion{Group: "cargo.example.com", Version: "v9"}); err == nil {
		t.Error("it is converted to a version that does not exist")
	}
	var none runtime.Embedded[*cargov1.Crate]
	if crate, err := none.Get(nil); crate != nil || err != nil {
		t.Errorf("nothing is %+v, error %v", crate, err)
	}
	none.Raw = []byte(`{"kind":"Crate",` + cargoVersion + `,"weight":"heavy"}`)
	if err := none.Decode(f.Scheme()); !errors.Is(err, runtime.ErrWrongType) || none.Object != nil {
		t.Errorf("a crate with a wrong weight is %+v, error %v", none, err)
	}
	none.Raw = []byte(`{"kind":"Crate"}`)
	if _, err := none.Get(nil); err == nil {
		t.Error("bytes are decoded without a scheme")
	}
}

// TestEmbeddedOfAnotherFamily keeps what does not belong, and tells where it is asked to.
func TestEmbeddedOfAnotherFamily(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	tank := `{"kind":"Tank",` + cargoVersion + `,"litres":3}`
	for _, c := range []struct{ name, data, want string }{
		{
			"another kind", truck(tank, ""),
			"a cargo.example.com/v1, Kind=Tank is embedded where a *v1.Crate is expected",
		},
		{
			"no implementation", truck("null", `{"kind":"Truck",`+cargoVersion+`,"spec":{}}`),
			"is embedded where a v1.Load is expected",
		},
		{"unknown field", truck(strings.Replace(tank, "Tank", "Crate", 1), ""), `unknown field "litres"`},
		{
			"wrong value", truck(`{"kind":"Crate",`+cargoVersion+`,"weight":"x"}`, ""),
			"spec.first.weight: expected integer, found string",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := []byte(c.data)
			obj, err := f.Decode(data, serializer.DecodeOptions{Embedded: true, Strictness: serializer.FailOnProblems})
			if obj == nil || err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "line 1, column") {
				t.Fatalf("error %v, want %s", err, c.want)
			}
			if c.name == "unknown field" {
				return
			}
			lenient, err := f.Decode(data, serializer.DecodeOptions{Embedded: true})
			if err != nil {
				t.Fatal(err)
			}
			e := lenient.(*cargov1.Truck).Spec.First
			if _, err := e.Get(nil); c.name != "no implementation" && (err == nil || e.Raw == nil) {
				t.Errorf("it is held as %+v, error %v", e, err)
			}
			for _, mediaType := range mediaTypes {
				// YAML sorts the members of what is kept raw, as CBOR does.
				again, err := f.Decode(encoded(t, f, mediaType, lenient), serializer.DecodeOptions{
					MediaType: mediaType,
					Embedded:  true,
				})
				if err != nil || string(encoded(t, f, mediaYAML, again)) != string(encoded(t, f, mediaYAML, lenient)) {
					t.Errorf("%s: %v", mediaType, err)
				}
			}
		})
	}
}

// TestEmbeddedRoundTrip runs the kit on kinds with such fields.
func TestEmbeddedRoundTrip(t *testing.T) {
	t.Parallel()
	fuzz.RoundTrip(t, cargoFactory(t).Scheme(), fuzz.Seed(1))
}

// A pool of templates: each holds an object of a family, whatever its version.
func ExampleDecodeOptions_embedded() {
	scheme, err := runtime.NewScheme(cargov1.AddTo, cargov1beta1.AddTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		log.Fatal(err)
	}
	text := []byte(`{"kind":"Truck","apiVersion":"cargo.example.com/v1","spec":{
	  "first":{"kind":"Crate","apiVersion":"cargo.example.com/v1beta1","mass":7},
	  "loads":[{"kind":"Tank","apiVersion":"cargo.example.com/v1","litres":3},{"kind":"Barrel","apiVersion":"example.com/v1"}]}}`)
	truck, err := serializer.Decode[cargov1.Truck](f, text, serializer.DecodeOptions{Embedded: true, Default: true})
	if err != nil {
		log.Fatal(err)
	}
	crate, err := truck.Spec.First.Get(nil)
	fmt.Println(crate.Weight, crate.Material, err)
	for i := range truck.Spec.Loads {
		load, err := truck.Spec.Loads[i].Get(nil)
		if errors.Is(err, runtime.ErrUnknownKind) {
			fmt.Println("kept as it is:", string(truck.Spec.Loads[i].Raw))
			continue
		}
		fmt.Println(load.Kilograms(), err)
	}
	// Output:
	// 7 wood <nil>
	// 3 <nil>
	// kept as it is: {"kind":"Barrel","apiVersion":"example.com/v1"}
}

// TestEmbeddedRandom writes random objects with random objects in them, and reads them with these
// decoded and as bytes: both are written as they were.
func TestEmbeddedRandom(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	for seed := range int64(60) {
		filler := fuzz.Filler(seed)
		truck := &cargov1.Truck{Spec: cargov1.TruckSpec{Named: map[string]runtime.Embedded[cargov1.Load]{}}}
		filler.Fuzz(&truck.ObjectMeta)
		for _, load := range []cargov1.Load{new(cargov1.Crate), new(cargov1.Tank)} {
			filler.Fuzz(load)
			e, err := runtime.NewEmbedded(f.Scheme(), load)
			if err != nil {
				t.Fatal(err)
			}
			truck.Spec.Loads, truck.Spec.Named[fmt.Sprint(seed)] = append(truck.Spec.Loads, e), e
		}
		crate := new(cargov1beta1.Crate)
		filler.Fuzz(crate)
		e, err := f.Scheme().Embed(crate)
		if err != nil {
			t.Fatal(err)
		}
		truck.Spec.First.RawExtension = e
		for _, mediaType := range mediaTypes {
			data := encoded(t, f, mediaType, truck)
			for _, o := range []serializer.DecodeOptions{
				{},
				{Embedded: true},
				{Embedded: true, Strictness: serializer.FailOnProblems},
			} {
				o.MediaType = mediaType
				got, err := f.Decode(data, o)
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, mediaType, err)
				}
				spec := &got.(*cargov1.Truck).Spec
				if decoded := spec.First.Object != nil && spec.Loads[1].Object != nil &&
					spec.Named[fmt.Sprint(seed)].Object != nil; decoded != o.Embedded {
					t.Fatalf("seed %d, %s: decoded is %t: %+v", seed, mediaType, decoded, spec)
				}
				if again := encoded(t, f, mediaType, got); string(again) != string(data) {
					t.Fatalf("seed %d, %s, embedded %t: got\n%q\nwant\n%q", seed, mediaType, o.Embedded, again, data)
				}
			}
		}
	}
}
