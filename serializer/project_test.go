package serializer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	gofuzz "github.com/google/gofuzz"

	"github.com/askind/askind/conversion"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1alpha1 "github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/fuzz"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

func projectFactory(t testing.TB, groups ...func(*runtime.Builder)) *serializer.Factory {
	t.Helper()
	groups = append(groups, metav1.AddTo, metav1.AddViewsTo, fleetv1.AddTo, fleetv1beta1.AddTo, fleetv1alpha1.AddTo,
		inventoryv1.AddTo, workshopv1.AddTo, workshopv1beta1.AddTo)
	scheme, err := runtime.NewScheme(groups...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format(),
		csv.Format(), text.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	asMetadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asTable    = ";as=Table;g=meta.k8s.io;v=v1"
)

// accepts are the representations of these tests: each format that has the target, and the forms
// that differ.
var accepts = []string{
	"application/json" + asMetadata, "application/json;pretty=1" + asMetadata, "application/yaml" +
		asMetadata, "application/vnd.kubernetes.protobuf" + asMetadata, "application/cbor" + asMetadata,
	"application/json" + asTable, "application/json;includeObject=None" +
		asTable, "application/json;includeObject=Object" + asTable, "application/json;pretty=1" + asTable,
	"application/yaml" + asTable, "application/cbor" + asTable, "text/csv", "text/plain" + asTable,
	"application/json;as=TabularOutput;g=meta.k8s.io;v=v1",
}

var sources = []string{
	"application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
	"application/cbor",
}

// then is the time from which ages are told.
var then = time.Unix(1_790_000_000, 0)

func represent(t testing.TB, f *serializer.Factory, accept string,
	offer schema.GroupVersionKind,
) *serializer.Representation {
	t.Helper()
	rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: offer})
	if err != nil {
		t.Fatalf("%s of %s: %v", accept, offer, err)
	}
	return rep.With(conversion.ScopeOptions{Now: then})
}

// TestProjectOptions makes tables with options, which ask for more of the objects than their
// columns.
func TestProjectOptions(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	list := &workshopv1.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for i := range 20 {
		var o workshopv1.Order
		fuzz.Filler(int64(i)).NumElements(0, 4).Fuzz(&o)
		o.Labels = map[string]string{"team": string(rune('z' - i)), "example.com/shift": "late"}
		list.Items = append(list.Items, o)
	}
	src, err := f.Append(nil, list, serializer.EncodeOptions{MediaType: "application/json"})
	if err != nil {
		t.Fatal(err)
	}
	for _, options := range []any{
		&metav1.TableOptions{IncludeObject: "Unheard"}, &metav1.TableOptions{IncludeObject: metav1.IncludeNone},
		(*metav1.TableOptions)(nil), "unknown options",
		&metav1.TableOptions{SortBy: []string{"Team"}}, &metav1.TableOptions{
			SortBy:        []string{"-Age"},
			IncludeObject: metav1.IncludeNone,
		},
		&metav1.TableOptions{NoHeaders: new(true)}, &metav1.TableOptions{Wide: new(false)},
		&metav1.TableOptions{LabelColumns: []string{"example.com/shift,team"}},
		&metav1.TableOptions{SortBy: []string{"Unheard"}}, &metav1.TableOptions{IncludeObject: metav1.IncludeObject},
	} {
		for _, accept := range []string{
			"application/json" + asTable, "application/yaml" + asTable, "text/csv",
			"text/plain" + asTable,
		} {
			rep := represent(t, f, accept,
				workshopv1.GroupVersion.WithKind("OrderList")).With(conversion.ScopeOptions{
				Now:     then,
				Options: options,
			})
			compare(t, f, rep, src, serializer.DecodeOptions{})
		}
	}
}

// addRules adds rules to kinds of a version that has none.
func addRules(b *runtime.Builder) {
	runtime.AddValidation(b, func(_ context.Context, in *workshopv1beta1.Order) (errs runtime.FieldErrors) {
		if in.Spec.Client == "" {
			errs = append(errs, runtime.Required(schema.NewPath("spec", "client"), "orders have clients"))
		}
		return errs
	})
	runtime.AddValidation(b, func(_ context.Context, in *workshopv1beta1.OrderList) (errs runtime.FieldErrors) {
		if len(in.Items) == 0 {
			errs = append(errs, runtime.Required(schema.NewPath("items"), "lists have orders"))
		}
		return errs
	})
}

// TestProjectReports requests reports about values that are not shown.
func TestProjectReports(t *testing.T) {
	t.Parallel()
	f := projectFactory(t, addRules)
	order := new(workshopv1.Order)
	order.Name, order.Spec.Delivery = "a", &workshopv1.Delivery{Way: "drone"}
	src := encoded(t, f, mediaJSON, order)
	one := represent(t, f, mediaJSON+asMetadata, workshopv1beta1.GroupVersion.WithKind("Order"))
	all := represent(t, f, mediaJSON+asMetadata, workshopv1beta1.GroupVersion.WithKind("OrderList"))
	var dropped []string
	report := func(d conversion.DroppedValue) { dropped = append(dropped, d.Path) }
	terms := conversion.ScopeOptions{Now: then, Dropped: report}
	for _, tt := range []struct {
		name    string
		o       serializer.DecodeOptions
		terms   conversion.ScopeOptions
		invalid bool
		dropped string
	}{
		{"nothing", serializer.DecodeOptions{}, conversion.ScopeOptions{Now: then}, false, "[]"},
		{"validation", serializer.DecodeOptions{ValidateConverted: true}, conversion.ScopeOptions{}, true, "[]"},
		{
			"dropped values",
			serializer.DecodeOptions{Dropped: report},
			conversion.ScopeOptions{},
			false,
			"[spec.delivery.way]",
		},
		{"dropped values, by the terms", serializer.DecodeOptions{}, terms, false, "[spec.delivery.way]"},
	} {
		if tt.o.Version = workshopv1beta1.GroupVersion; tt.terms.Dropped != nil {
			tt.o.Version = schema.GroupVersion{}
		}
		for name, project := range map[string]func() (serializer.Projected, error){
			"one": func() (serializer.Projected, error) {
				_, how, err := one.With(tt.terms).Project(nil, src, tt.o)
				return how, err
			},
			"list": func() (serializer.Projected, error) {
				return all.With(tt.terms).EncodeProjected(io.Discard, new(workshopv1beta1.OrderList),
					func(yield func([]byte, error) bool) { yield(src, nil) }, tt.o)
			},
		} {
			dropped = nil
			how, err := project()
			if _, invalid := errors.AsType[runtime.FieldErrors](err); invalid != tt.invalid || !invalid && err != nil {
				t.Errorf("%s of %s: %v", tt.name, name, err)
			}
			if fmt.Sprint(dropped) != tt.dropped {
				t.Errorf("%s of %s: got %q, want %s", tt.name, name, dropped, tt.dropped)
			}
			if fast := tt.name == "nothing"; fast != (how.Fast == 1) {
				t.Errorf("%s of %s: %+v", tt.name, name, how)
			}
		}
	}
}

// compare projects a document and holds the result to that of decoding and encoding it.
func compare(t testing.TB, f *serializer.Factory, rep *serializer.Representation, src []byte,
	o serializer.DecodeOptions,
) serializer.Projected {
	t.Helper()
	var want []byte
	obj, wantErr := f.Decode(src, o)
	if wantErr == nil {
		want, wantErr = rep.Append(nil, obj)
	}
	const before = "before"
	got, how, err := rep.Project([]byte(before), src, o)
	switch {
	case wantErr == nil && err != nil:
		t.Fatalf("%s: %v, although it can be decoded\n%s", rep.ContentType(), err, src)
	case wantErr == nil && string(got) != before+string(want):
		t.Fatalf("%s (%+v) of\n%s\n got %s\nwant %s", rep.ContentType(), how, src,
			strings.TrimPrefix(string(got), before), want)
	case errors.Is(wantErr, runtime.ErrSyntax) && err == nil && !pbwire.HasMagic(src):
		t.Fatalf("%s (%+v) of\n%s\n got %s\nalthough %v", rep.ContentType(), how, src, got, wantErr)
	case err != nil && string(got) != before:
		t.Fatalf("%s: with an error comes %q", rep.ContentType(), got)
	}
	return how
}

// TestProjectRandom shows random objects and lists of all kinds, in all formats and versions, in
// both ways.
func TestProjectRandom(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	rounds := int64(6)
	if testing.Short() {
		rounds = 2
	}
	fast, decoded := map[string]int{}, map[string]int{}
	for k := range f.Scheme().Kinds() {
		if _, ok := f.Scheme().CanAs(k.GroupVersionKind(), metav1.GroupVersion.WithKind("Table")); !ok ||
			k.GroupVersion() == metav1.GroupVersion {
			continue
		}
		for round := range rounds {
			obj := k.New()
			fuzz.Filler(seed+round).NumElements(0, 4).Fuzz(obj)
			if err := k.SetType(obj); err != nil {
				t.Fatal(err)
			}
			for _, source := range sources {
				if source == "application/vnd.kubernetes.protobuf" && !k.Info().Proto {
					continue
				}
				src, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: source})
				if err != nil {
					t.Fatal(err)
				}
				for _, gv := range f.Scheme().VersionsOf(k.GroupVersionKind().GroupKind()) {
					offer := gv.WithKind(k.Name())
					for _, accept := range accepts {
						if _, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: offer}); err != nil {
							continue
						}
						how := compare(t, f, represent(t, f, accept, offer), src,
							serializer.DecodeOptions{MediaType: source, Default: round%2 == 1})
						name := fmt.Sprintf("%s from %s %s to %s of %s", accept, source, k.GroupVersion(), gv, k.Name())
						fast[name] += how.Fast
						decoded[name] += how.Decoded
					}
				}
			}
		}
	}
	for name, n := range decoded {
		// What v1alpha1 carries of a MachinePool is an annotation, which takes the whole object.
		carries := strings.Contains(name, "to fleet.example.com/v1alpha1 of MachinePool")
		if strings.Contains(name, "as=PartialObjectMetadata") && n > 0 && !carries &&
			!strings.Contains(name, "from application/yaml") {
			t.Errorf("%s: %d were decoded, %d went the fast way", name, n, fast[name])
		}
	}
}

// blobs yields encoded objects in one buffer that is used again, as a reader of a store may have
// it.
func blobs(all [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var buf []byte
		for _, b := range all {
			buf = append(buf[:0], b...)
			if !yield(buf, nil) {
				return
			}
			for i := range buf {
				buf[i] = '#'
			}
		}
	}
}

// TestEncodeProjected makes one list of objects that are stored one by one, in several formats and
// versions.
func TestEncodeProjected(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	for _, n := range []int{0, 1, 5, 60} {
		list := &workshopv1.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "12", Continue: "x"}}
		var stored [][]byte
		for i := range n {
			var o workshopv1.Order
			// the older version has smaller numbers
			fuzz.Filler(seed+int64(i), func(v *int64, c gofuzz.Continue) { *v = int64(c.Int31()) }).NumElements(0,
				4).Fuzz(&o)
			list.Items = append(list.Items, o)
			gv := workshopv1.GroupVersion
			if i%5 == 4 {
				gv = workshopv1beta1.GroupVersion
			}
			b, err := f.Append(nil, &o, serializer.EncodeOptions{MediaType: sources[i%len(sources)], Version: gv})
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, b)
			obj, err := f.Decode(b, serializer.DecodeOptions{Version: workshopv1.GroupVersion})
			if err != nil {
				t.Fatal(err)
			}
			list.Items[i] = *obj.(*workshopv1.Order)
		}
		for _, gv := range []schema.GroupVersion{workshopv1.GroupVersion, workshopv1beta1.GroupVersion} {
			for _, accept := range append([]string{"application/json", "application/yaml"}, accepts...) {
				rep := represent(t, f, accept, gv.WithKind("OrderList"))
				want, err := rep.Append(nil, list)
				if err != nil {
					t.Fatal(err)
				}
				head := &workshopv1.OrderList{ListMeta: list.ListMeta, Items: make([]workshopv1.Order, 3)}
				var got bytes.Buffer
				how, err := rep.EncodeProjected(&got, head, blobs(stored), serializer.DecodeOptions{})
				if err != nil || got.String() != string(want) {
					t.Fatalf("%s, %d items (%+v): %v\n got %s\nwant %s", rep.ContentType(), n, how, err, &got, want)
				}
				if how.Fast+how.Decoded != n {
					t.Errorf("%s: %+v of %d items", rep.ContentType(), how, n)
				}
			}
		}
	}
}

// TestEncodeProjectedErrors holds that errors tell which item they are of, and leave nothing
// behind.
func TestEncodeProjectedErrors(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	const order = `{"kind":"Order","apiVersion":"workshop.example.com/v1","metadata":{"name":"a"},"spec":{"customer":"c"}}`
	failure := errors.New("the store is gone")
	for _, accept := range []string{
		"application/json" + asMetadata, "application/json" + asTable,
		"application/vnd.kubernetes.protobuf" + asMetadata, "application/cbor" + asTable, "application/json",
	} {
		rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind("OrderList"))
		for name, tt := range map[string]struct {
			items []string
			err   error
			want  string
		}{
			"broken": {[]string{
				order,
				`{"kind":"Order","apiVersion":"workshop.example.com/v1","metadata":{"name":1}}`,
			}, nil, "items[1]: "},
			"not an object": {[]string{`[]`}, nil, "items[0]: "},
			"cut off":       {[]string{order, order, order[:60]}, nil, "items[2]: "},
			"another kind": {[]string{
				order,
				`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"}}`,
			}, nil, ""},
			"a list": {
				[]string{`{"kind":"OrderList","apiVersion":"workshop.example.com/v1","metadata":{},"items":[]}`},
				nil,
				"",
			},
			"an unknown kind": {
				[]string{`{"kind":"Ordr","apiVersion":"workshop.example.com/v1","metadata":{},"items":[]}`},
				nil,
				"items[0]: ",
			},
			"the store": {[]string{order}, failure, "the store is gone"},
		} {
			items := func(yield func([]byte, error) bool) {
				for _, s := range tt.items {
					if !yield([]byte(s), nil) {
						return
					}
				}
				if tt.err != nil {
					yield(nil, tt.err)
				}
			}
			var got bytes.Buffer
			how, err := rep.EncodeProjected(&got, &workshopv1.OrderList{}, items,
				serializer.DecodeOptions{MediaType: "application/json"})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || tt.err != nil && !errors.Is(err, tt.err) ||
				got.Len() > 0 || how != (serializer.Projected{}) {
				t.Errorf("%s, %s: got %q, %+v, %v", accept, name, &got, how, err)
			}
		}
	}
}

// TestProjectUnusual has inputs that are not trouble to decoding, or that it refuses.
func TestProjectUnusual(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	const typed = `"kind":"Order","apiVersion":"workshop.example.com/v1"`
	const list = `"kind":"OrderList","apiVersion":"workshop.example.com/v1"`
	for _, src := range []string{
		`{` + typed + `}`,
		`{` + typed + `,"metadata":null}`,
		`{` + typed + `,"metadata":{}}`,
		`{"metadata":{"name":"a"},"apiVersion":"workshop.example.com/v1","spec":{},"kind":"Order"}`,
		"\xEF\xBB\xBF \n{" + typed + `,"metadata":{"name":"a"}} ` + "\n",
		`{` + typed + `,"metadata":{"name":"a"},"metadata":{"namespace":"b"}}`,
		`{` + typed + `,"metadata":{"name":"a","name":"b","labels":{"y":"1","x":"2"}}}`,
		`{` + typed + `,"metadata":{"name":"a","unknown":{"x":[1,2,{}]}},"unknown":[]}`,
		`{` + typed + `,"metadata":{"name":1}}`,
		`{` + typed + `,"metadata":[]}`,
		`{` + typed + `,"metadata":{"creationTimestamp":"2026-01-02T03:04:05.678+02:00"}}`,
		`{` + typed + `,"metadata":{"creationTimestamp":"yesterday"}}`,
		`{` + typed + `,"metadata":{"managedFields":[{"fieldsV1":{"f:a" : {}, "x":"<"}}]}}`,
		`{` + typed + `,"metadata":{"name":"a"},"kind":"Other","apiVersion":"x"}`,
		`{` + typed + `,"metadata":{"name":"a"},"kind":1}`,
		`{` + typed + `,"metadata":{"name":"a"},"spec":{"customer":"\ud800"}}`,
		`{` + typed + `,"metadata":{"name":"a"},"spec":{"customer":"` + "\xff" + `"}}`,
		`{` + typed + `,"metadata":{"name":"a"},"spec":` + strings.Repeat("[", 20_000) + `}`,
		`{` + typed + `,"metadata":{"name":"a"}} {}`,
		`{` + typed + `,"metadata":{"name":"a"}}x`,
		`{` + typed + `,"metadata":{"name":"a"},}`,
		`{` + typed + `,"metadata":{"name":"a"},"spec":{"customer":tru}}`,
		`{` + typed + `,"metadata":{"name":"a"}`,
		`{"kind":"Order","metadata":{"name":"a"}}`,
		`{"kind":"Order","apiVersion":"workshop.example.com/v7"}`,
		`{"kind":"Order","apiVersion":"a/b/c"}`,
		`{"kind":"Status","apiVersion":"v1","metadata":{}}`,
		`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}`,
		`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"a"},"spec":{}}`,
		`null`, `[]`, ``, `{}`,
		`{` + list + `,"metadata":{"resourceVersion":"1"},"items":[]}`,
		`{` + list + `,"metadata":{"resourceVersion":"1"},"items":null}`,
		`{` + list + `,"items":[null]}`,
		`{` + list + `,"items":[{}]}`,
		`{` + list + `,"items":[1]}`,
		`{` + list + `,"items":{}}`,
		`{` + list + `,"items":[{"metadata":{"name":"a"}},]}`,
		`{` + list + `,"items":[{"metadata":{"name":"a"}}]`,
		`{` + list + `}`,
		`{"items":[{"metadata":{"name":"a"}},{"kind":"Other","spec":{"customer":"x"}}],"metadata":{"continue":"c"},` +
			list + `}`,
		`{` + list + `,"items":[{"metadata":{"name":"a"}}],"metadata":{"continue":"c"}}`,
		`{` + list + `,"items":[{"metadata":{"name":"a"}}],"items":[{"metadata":{"name":"b"}}]}`,
		`{` + list + `,"items":[{"metadata":{"name":"a"}}]} x`,
		`{` + list + `,"metadata":{"resourceVersion":1},"items":[]}`,
	} {
		for _, accept := range accepts {
			for _, kind := range []string{"Order", "OrderList"} {
				rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind(kind))
				compare(t, f, rep, []byte(src), serializer.DecodeOptions{MediaType: "application/json"})
				compare(t, f, rep, []byte(src), serializer.DecodeOptions{
					MediaType:   "application/json",
					DefaultKind: workshopv1.GroupVersion.WithKind("Order"),
				})
				compare(t, f, rep, []byte(src), serializer.DecodeOptions{Version: workshopv1beta1.GroupVersion})
			}
		}
	}
}

// TestProjectUnusualMessages does the same for messages.
func TestProjectUnusualMessages(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	const name, namespace = "\x0a\x03\x0a\x01a", "\x0a\x03\x1a\x01b" // metadata
	for _, message := range []string{
		"", name, "\x0a\x00", name + namespace, namespace + "\x12\x00" + name, name + name, "\x0a\x00" + name,
		name + "\xfa\x01\x01x", name + "\x08\x01", "\x08\x01" + name, name + "\x0a", name + "\x12\x7f",
		"\x0a\x03\x0a\x01",
		"\x0a\x02\x08\x01", "\x0a\x03\x0a\x01\xff", name + "\x12\x02\x08\x01", name + "\x12\x03\x0a\x01\xff",
	} {
		for _, kind := range []string{"Order", "OrderList", "Other"} {
			w := pbwire.NewWriter(nil)
			mark := w.OpenEnvelope()
			w.Raw([]byte(message))
			w.CloseEnvelope(mark, workshopv1.GroupVersion.WithKind(kind))
			for _, accept := range accepts {
				rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind("Order"))
				compare(t, f, rep, w.Bytes(), serializer.DecodeOptions{})
				compare(t, f, rep, w.Bytes(), serializer.DecodeOptions{Version: workshopv1beta1.GroupVersion})
			}
		}
	}
}

// TestReadsOnlyMetadata checks that objects without their other members are asked for only where
// they make no difference.
func TestReadsOnlyMetadata(t *testing.T) {
	t.Parallel()
	f := projectFactory(t, corev1.AddTo)
	const asMetadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	namespace, pod := corev1.GroupVersion.WithKind("Namespace"), corev1.GroupVersion.WithKind("Pod")
	machine, pool := fleetv1.GroupVersion.WithKind("Machine"), fleetv1.GroupVersion.WithKind("MachinePool")
	for _, tt := range []struct {
		name, accept  string
		stored, offer schema.GroupVersionKind
		want          bool
	}{
		{"metadata", "application/json" + asMetadata, machine, machine, true},
		{"in another format", "application/vnd.kubernetes.protobuf" + asMetadata, machine, machine, true},
		{
			"of a version that a conversion leads to which keeps it", "application/json" + asMetadata, machine,
			fleetv1alpha1.GroupVersion.WithKind("Machine"),
			true,
		},
		{
			"of one whose conversion adds an annotation", "application/json" + asMetadata, pool,
			fleetv1alpha1.GroupVersion.WithKind("MachinePool"),
			false,
		},
		{"a column that reads metadata", "application/json" + asTable, namespace, namespace, true},
		{"without the object", "application/json;includeObject=None" + asTable, namespace, namespace, true},
		{"with the whole object", "application/json;includeObject=Object" + asTable, namespace, namespace, false},
		{"a column that reads the status", "application/json" + asTable, pod, pod, false},
		{"whole objects", "application/json", namespace, namespace, false},
		{"for export", "application/json;export=1" + asMetadata, machine, machine, false},
	} {
		stored, err := f.Scheme().Kind(tt.stored)
		if err != nil {
			t.Fatal(err)
		}
		if got := represent(t, f, tt.accept, tt.offer).ReadsOnlyMetadata(stored); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
