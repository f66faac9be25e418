package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	workshop "github.com/askind/askind/internal/workshop/v1"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
)

// limitOf sets one of the limits by its name.
func limitOf(name string, n int) (l schema.Limits) {
	reflect.ValueOf(&l).Elem().FieldByName(name).SetInt(int64(n))
	return l
}

// exceeded returns the error of a limit, failing unless it is that of the limit with that name and
// says how to raise it.
func exceeded(t *testing.T, err error, name string, limit int) *schema.LimitError {
	t.Helper()
	e, ok := errors.AsType[*schema.LimitError](err)
	if !ok || !errors.Is(err, runtime.ErrLimit) || !errors.Is(err, schema.ErrLimit) {
		t.Fatalf("limit %d: error %v, want one of the limit %s", limit, err, name)
	}
	if e.Limit != name || e.Max != limit || !strings.Contains(err.Error(), "raise Limits."+name) {
		t.Fatalf("limit %d: error %v (%+v), want one of the limit %s", limit, err, e, name)
	}
	return e
}

func orderWith(change func(*workshop.OrderSpec)) *workshop.Order {
	o := new(workshop.Order)
	o.Kind, o.APIVersion, o.Name = "Order", "workshop.example.com/v1", "o"
	change(&o.Spec)
	return o
}

var mediaTypes = []string{mediaJSON, mediaYAML, mediaCBOR, mediaProtobuf}

func untypedKind(gvk schema.GroupVersionKind) *runtime.Kind { return unstructured.Kind(gvk) }

// TestLimits finds, for each format and limit, what an input comes to by reading it under a low
// limit: it must be read then under a limit of exactly that and be refused under one that is lower
// by one, in all ways in which inputs are read.
func TestLimits(t *testing.T) {
	t.Parallel()
	typed := workshopFactory(t)
	deep := orderWith(func(s *workshop.OrderSpec) {
		s.Lines = []workshop.Line{{Steps: []workshop.Step{{Options: map[string]string{"a": "b"}}}}}
	})
	many := orderWith(func(s *workshop.OrderSpec) { s.Lines = make([]workshop.Line, 20) })
	texts := orderWith(func(s *workshop.OrderSpec) { s.Tags = make([]string, 20) })
	members := orderWith(func(s *workshop.OrderSpec) {
		s.Drawings = map[string]string{}
		for i := range 20 {
			s.Drawings[fmt.Sprint(i)] = "x"
		}
	})
	long := orderWith(func(s *workshop.OrderSpec) { s.Notes = strings.Repeat("é\n", 100) })
	longName := orderWith(func(s *workshop.OrderSpec) { s.Drawings = map[string]string{strings.Repeat("k", 300): ""} })
	for _, c := range []struct {
		name, limit string
		object      *workshop.Order
		low         int
		got         map[string]int // by media type; blank for all
	}{
		{"size", "Size", many, 10, nil},
		{"depth", "Depth", deep, 2, map[string]int{mediaJSON: 7, mediaYAML: 7, mediaCBOR: 7, mediaProtobuf: 4}},
		{"list of objects", "Items", many, 15, map[string]int{"": 20}},
		{"list of strings", "Items", texts, 15, map[string]int{"": 20}},
		{"map", "Items", members, 15, map[string]int{"": 20}},
		{"string", "String", long, 100, map[string]int{"": 300}},
		{"name", "String", longName, 100, map[string]int{"": 300}},
	} {
		for _, mediaType := range mediaTypes {
			data := encoded(t, typed, mediaType, c.object)
			want, ok := c.got[mediaType]
			if !ok {
				want = c.got[""]
			}
			read := func(name string, decode func(schema.Limits) error) {
				t.Run(c.name+" "+mediaType+" "+name, func(t *testing.T) {
					t.Parallel()
					if err := decode(schema.Limits{}); err != nil {
						t.Fatalf("with the defaults: %v", err)
					}
					low := exceeded(t, decode(limitOf(c.limit, c.low)), c.limit, c.low)
					got := low.Got
					if c.limit == "Depth" { // what is deeper is not gone into
						got = want
					}
					if want > 0 && got != want || want == 0 && name != "by the format alone" && got != len(data) {
						t.Errorf("the error says %d, want %d", got, want)
					}
					if err := decode(limitOf(c.limit, got)); err != nil {
						t.Errorf("just below the limit: %v", err)
					}
					if over := exceeded(t, decode(limitOf(c.limit, got-1)), c.limit, got-1); over.Got != got {
						t.Errorf("just above the limit the error says %d, want %d", over.Got, got)
					}
				})
			}
			read("typed", func(l schema.Limits) error {
				_, err := typed.Decode(data, serializer.DecodeOptions{
					MediaType: mediaType, Limits: l,
					Strictness: serializer.FailOnProblems,
				})
				return err
			})
			read("every document", func(l schema.Limits) error {
				for _, err := range typed.DecodeAll(data, serializer.DecodeOptions{Limits: l}) {
					if err != nil {
						return err
					}
				}
				return nil
			})
			read("of the factory", func(l schema.Limits) error {
				f, err := serializer.FactoryOptions{Limits: l}.NewFactory(typed.Scheme(), formatsOf(t, typed)...)
				if err != nil {
					return err
				}
				_, err = f.Decode(data, serializer.DecodeOptions{MediaType: mediaType})
				return err
			})
			read("by the format alone", func(l schema.Limits) error {
				format, _ := typed.ForContentType(mediaType)
				for doc, err := range format.Documents(data, schema.Limits{}) {
					if err != nil {
						return err
					}
					k, _ := typed.Scheme().KindOf(c.object)
					if problems := doc.Decode(k, k.New(), runtime.ReadOptions{Limits: l}); problems != nil {
						return &problems[0]
					}
				}
				return nil
			})
			if mediaType != mediaProtobuf {
				read("untyped", func(l schema.Limits) error {
					data := bytes.Replace(data, []byte("Order"), []byte("Other"), 1)
					_, err := typed.Decode(data, serializer.DecodeOptions{
						MediaType: mediaType, Limits: l,
						Unknown: untypedKind,
					})
					return err
				})
			}
		}
	}
}

func formatsOf(t *testing.T, f *serializer.Factory) []*format.Format {
	t.Helper()
	var out []*format.Format
	for _, mediaType := range mediaTypes {
		format, err := f.ForContentType(mediaType)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, format)
	}
	return out
}

// TestLimitsOfTexts are those that only formats with digits and aliases have.
func TestLimitsOfTexts(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	number := "1." + strings.Repeat("3", 38) // 40 characters
	discount := func(value string) string {
		return `{"kind":"Order",` + orderVersion + `,"spec":{"customer":"c","discount":` + value + `}}`
	}
	// 20 values of 2 × 46 bytes, each with a mark
	aliases := "kind: Other\n" + `apiVersion: example.com/v1` + "\na: &a [x,x,x,x,x,x,x,x,x]\nb: [*a,*a]\n"
	for _, c := range []struct {
		name, mediaType, data, limit string
		most                         int
		counted                      bool // to the end
	}{
		{"float", mediaJSON, discount(number), "Number", 40, true},
		{"float in YAML", mediaYAML, discount(number), "Number", 40, true},
		{"plain float", mediaYAML, "kind: Order\napiVersion: workshop.example.com/v1\nspec:\n  discount: " + number +
			"\n", "Number", 40, true},
		{"integer", mediaJSON, `{"kind":"Order",` + orderVersion + `,"spec":{"priority":` + strings.Repeat("1", 40) +
			`}}`, "Number", 40, true},
		{
			"short integer", mediaJSON, `{"kind":"Order",` + orderVersion + `,"spec":{"priority":12345}}`,
			"Number", 5, true,
		},
		{
			"short integer in YAML", mediaYAML,
			"kind: Order\napiVersion: workshop.example.com/v1\nspec:\n  priority: 12345\n", "Number", 5, true,
		},
		{
			"negative integer", mediaJSON, `{"kind":"Order",` + orderVersion + `,"spec":{"priority":-1234}}`,
			"Number", 5, true,
		},
		{
			"generation", mediaJSON, `{"kind":"Order",` + orderVersion + `,"metadata":{"generation":12345}}`,
			"Number", 5, true,
		},
		{"untyped", mediaJSON, `{"kind":"Other","apiVersion":"example.com/v1","x":` + number + `}`, "Number", 40, true},
		{
			"untyped in YAML", mediaYAML, "kind: Other\napiVersion: example.com/v1\nx: " + number + "\n",
			"Number", 40, true,
		},
		{"values of aliases", mediaYAML, aliases, "AliasValues", 20, false},
		{"bytes of aliases", mediaYAML, aliases, "AliasBytes", 2 * 46, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			decode := func(l schema.Limits) error {
				_, err := f.Decode([]byte(c.data), serializer.DecodeOptions{
					MediaType: c.mediaType, Limits: l,
					Unknown: untypedKind,
				})
				if errors.Is(err, runtime.ErrOutOfRange) { // the integer
					return nil
				}
				return err
			}
			if err := decode(limitOf(c.limit, c.most)); err != nil {
				t.Errorf("just below the limit: %v", err)
			}
			if e := exceeded(t, decode(limitOf(c.limit, c.most-1)), c.limit, c.most-1); c.counted && e.Got != c.most {
				t.Errorf("the error says %d, want %d", e.Got, c.most)
			}
		})
	}
	if _, err := f.Decode([]byte(discount(strings.Repeat("1", 5000))), serializer.DecodeOptions{}); err == nil {
		t.Error("a number of 5000 digits is read by default")
	} else if e := exceeded(t, err, "Number", 4096); e.Got != 5000 ||
		!strings.Contains(err.Error(), "line 1, column") || !strings.Contains(err.Error(), "spec.discount") {
		t.Errorf("error %v", err)
	}
}

// TestLimitsOfStreams are those of one item of a list and one event of a watch.
func TestLimitsOfStreams(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	o := orderWith(func(s *workshop.OrderSpec) { s.Notes = strings.Repeat("x", 1000) })
	list := &workshop.OrderList{Items: []workshop.Order{*o}}
	list.Kind, list.APIVersion = "OrderList", o.APIVersion
	k, err := f.Scheme().KindOf(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range mediaTypes {
		listed := encoded(t, f, mediaType, list)
		format, err := f.ForContentType(mediaType)
		if err != nil {
			t.Fatal(err)
		}
		event, err := format.Events.Append(nil, "ADDED", k, o)
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func(serializer.DecodeOptions) error{
			"item": func(o serializer.DecodeOptions) error {
				for _, err := range f.ReadList(bytes.NewReader(listed), o).Items() {
					if err != nil {
						return err
					}
				}
				return nil
			},
			"event": func(o serializer.DecodeOptions) error {
				r, err := serializer.NewEventReader(bytes.NewReader(event), f, o)
				if err != nil {
					return err
				}
				for _, err := range r.All() {
					return err
				}
				return errors.New("there is no event")
			},
		} {
			t.Run(mediaType+" "+name, func(t *testing.T) {
				t.Parallel()
				decode := func(l schema.Limits) error {
					return read(serializer.DecodeOptions{
						MediaType: mediaType,
						Limits:    l,
					})
				}
				got := exceeded(t, decode(schema.Limits{Item: 300}), "Item", 300).Got
				if got < 1000 || got > 1200 {
					t.Errorf("the error says %d bytes", got)
				}
				if err := decode(schema.Limits{Item: got}); err != nil {
					t.Errorf("just below the limit: %v", err)
				}
				exceeded(t, decode(schema.Limits{Item: got - 1}), "Item", got-1)
				// What is in the item or event meets the limits as well.
				exceeded(t, decode(schema.Limits{String: 999}), "String", 999)
				if err := decode(schema.Limits{String: 1000}); err != nil {
					t.Errorf("string just below the limit: %v", err)
				}
			})
		}
	}
}

// TestLimitsOfStrictness are those of what strict decoding looks into and of what it tells.
func TestLimitsOfStrictness(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	raw := order(order(order(`{"kind":"Order",` + orderVersion + `,"specs":{}}`)))
	obj, err := f.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range []string{mediaJSON, mediaYAML, mediaCBOR} {
		data := encoded(t, f, mediaType, obj)
		decode := func(l schema.Limits) string {
			_, err := f.Decode(data, serializer.DecodeOptions{
				MediaType: mediaType, Limits: l,
				Strictness: serializer.FailOnProblems,
			})
			return fmt.Sprint(err)
		}
		if got := decode(schema.Limits{Embedded: 3}); !strings.Contains(got, `unknown field "specs"`) {
			t.Errorf("%s: at the limit: %s", mediaType, got)
		}
		if got := decode(schema.Limits{Embedded: 2}); strings.Contains(got, "unknown field") ||
			!strings.Contains(got, "raise Limits.Embedded") {
			t.Errorf("%s: beyond the limit: %s", mediaType, got)
		}
	}
	for _, mediaType := range mediaTypes {
		data := []byte(`{"kind":"Order",` + orderVersion + `,"a":1,"b":2,"c":3,"d":4,"e":5}`)
		switch mediaType {
		case mediaCBOR:
			data = encoded(t, f, mediaType, untyped(t, data))
		case mediaProtobuf:
			data = []byte(
				"k8s\x00\x0a\x20\x0a\x17workshop.example.com/v1\x12\x05Order\x12\x0a\x50\x01\x58\x01\x60\x01\x68\x01\x70\x01",
			)
		}
		for _, most := range []int{3, 4, 5} {
			_, err := f.Decode(data, serializer.DecodeOptions{
				MediaType: mediaType,
				Limits:    schema.Limits{Problems: most}, Strictness: serializer.FailOnProblems,
			})
			if got := len(problemsOf(err)); got != most && got != most+1 { // with one that says how many there are more
				t.Errorf("%s: %d problems with a limit of %d: %v", mediaType, got, most, err)
			}
		}
	}
}

// untyped is an object in JSON of no known type.
func untyped(t testing.TB, data []byte) runtime.Object {
	t.Helper()
	u := new(unstructured.Object)
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u
}

// TestLimitsAreMerged gives limits at the call and at the factory.
func TestLimitsAreMerged(t *testing.T) {
	t.Parallel()
	scheme := workshopFactory(t)
	f, err := serializer.FactoryOptions{Limits: schema.Limits{String: 100, Items: 5}}.NewFactory(scheme.Scheme(),
		formatsOf(t, scheme)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range mediaTypes {
		data := encoded(t, f, mediaType, orderWith(func(s *workshop.OrderSpec) {
			s.Notes, s.Tags = strings.Repeat("x", 150), []string{"a", "b", "c", "d", "e"}
		}))
		decode := func(l schema.Limits) error {
			_, err := f.Decode(data, serializer.DecodeOptions{MediaType: mediaType, Limits: l})
			return err
		}
		exceeded(t, decode(schema.Limits{}), "String", 100)
		exceeded(t, decode(schema.Limits{String: 200, Items: 4}), "Items", 4)
		if err := decode(schema.Limits{String: 200}); err != nil {
			t.Errorf("%s: %v", mediaType, err)
		}
	}
}
