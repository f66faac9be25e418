package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// workshopFactory knows orders, whose extra field holds any object, in all formats.
func workshopFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	return factoryOf(t, metav1.AddTo, workshop.AddTo)
}

// factoryOf knows what the groups add, in all formats that can be read.
func factoryOf(t testing.TB, groups ...func(*runtime.Builder)) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(groups...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const orderVersion = `"apiVersion":"workshop.example.com/v1"`

// order is an order in JSON with something in its extra field.
func order(extra string) string {
	return `{"kind":"Order",` + orderVersion + `,"metadata":{"name":"o"},"spec":{"customer":"c","extra":` + extra + `}}`
}

// marked takes the marks out of a text and returns where they were.
func marked(text string) (data []byte, places []string) {
	for i, part := range strings.Split(text, "§") {
		if i > 0 {
			p := schema.PositionOf(data, len(data))
			places = append(places, fmt.Sprintf("line %d, column %d: ", p.Line, p.Column))
		}
		data = append(data, part...)
	}
	return data, places
}

// problemsOf shows each problem of an error, with its cause.
func problemsOf(err error) []string {
	d, ok := errors.AsType[*runtime.DecodeError](err)
	if !ok {
		return nil
	}
	var out []string
	for i := range d.Problems {
		out = append(out, d.Problems[i].Error())
	}
	return out
}

func TestStrictInsideEmbedded(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	deep := `{"kind":"Other","apiVersion":"example.com/v1"}`
	for range 40 {
		deep = order(deep)
	}
	for _, c := range []struct {
		name, data string // with a § in front of each offending token
		want       []string
	}{
		{name: "nothing odd", data: order(
			order(`{"kind":"Other","apiVersion":"example.com/v1","any":{"any":[{"a":1},{"a":1}]}}`),
		)},
		{
			name: "unknown field of a known kind", data: order("\n " + `{"kind":"Order",` + orderVersion +
				`,"spec":{§"custmer":"c"}}`),
			want: []string{`spec.extra.spec.custmer: unknown field "custmer" (did you mean "customer"?)`},
		},
		{
			name: "duplicate field of a known kind", data: order(`{"kind":"Order",` + orderVersion +
				`,"spec":{"customer":"c",§"customer":"d"}}`),
			want: []string{`spec.extra.spec.customer: duplicate field "customer"`},
		},
		{
			name: "a value that its kind does not take", data: order(`{"kind":"Order",` + orderVersion +
				`,"spec":{"customer":§[7]}}`),
			want: []string{`spec.extra.spec.customer: expected string, found array`},
		},
		{
			name: "two levels down", data: order(order(`{"kind":"Order",` + orderVersion + `,§"specs":{}}`)),
			want: []string{`spec.extra.spec.extra.specs: unknown field "specs" (did you mean "spec"?)`},
		},
		{
			name: "kind behind everything else", data: order(`{§"specs":{},` + orderVersion + `,"kind":"Order"}`),
			want: []string{`spec.extra.specs: unknown field "specs" (did you mean "spec"?)`},
		},
		{
			name: "duplicate keys of an unknown kind",
			data: order(
				`{"kind":"Other","apiVersion":"example.com/v1","a":{"b":[1,{"c":1,§"\u0063":2,"d":"c","e":"d"}]},"f":1,§"f":2}`,
			),
			want: []string{`spec.extra.a.b[1].c: duplicate field "c"`, `spec.extra.f: duplicate field "f"`},
		},
		{
			name: "duplicate keys of no kind", data: order(`{"a":1,§"a":2}`),
			want: []string{`spec.extra.a: duplicate field "a"`},
		},
		{
			name: "items of a list", data: `{"kind":"List","apiVersion":"meta.k8s.io/v1","items":[` + order("null") +
				`,{"kind":"Order",` + orderVersion + `,"metadata":{§"nam":"o"}}]}`,
			want: []string{`items[1].metadata.nam: unknown field "nam" (did you mean "name"?)`},
		},
		{
			name: "sets of managed fields", data: `{"kind":"Order",` + orderVersion +
				`,"metadata":{"managedFields":[{"manager":"m","fieldsV1":{"f:spec":{"f:a":{},§"f:a":{}}}}]},"spec":{"customer":"c"}}`,
			want: []string{`metadata.managedFields[0].fieldsV1[f:spec][f:a]: duplicate field "f:a"`},
		},
		{
			name: "embedded deeper than is checked", data: deep,
			want: []string{
				`not checked: objects are embedded more than 32 levels deep; raise Limits.Embedded to check it`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data, places := marked(c.data)
			for _, format := range []string{"application/json", "application/yaml"} {
				plain, err := f.Decode(data, serializer.DecodeOptions{MediaType: format})
				if err != nil {
					t.Fatalf("%s: lenient decoding: %v", format, err)
				}
				obj, err := f.Decode(data, serializer.DecodeOptions{
					MediaType: format, Strictness: serializer.FailOnProblems,
				})
				got := problemsOf(err)
				if len(got) != len(c.want) || (err != nil) != (len(c.want) > 0) {
					t.Fatalf("%s: problems %q, want %q", format, got, c.want)
				}
				for i := range got {
					want := c.want[i]
					if len(places) > 0 {
						want = places[i] + want
					}
					if !strings.HasSuffix(got[i], want) {
						t.Errorf("%s: problem %q, want %q", format, got[i], want)
					}
				}
				if obj == nil {
					t.Fatalf("%s: no object came with the problems", format)
				}
				if a, b := encoded(t, f, "application/json", plain), encoded(t, f, "application/json",
					obj); !bytes.Equal(a, b) {
					t.Errorf("%s: strict decoding made another object (-lenient +strict):\n%s", format,
						cmp.Diff(string(a), string(b)))
				}
			}
		})
	}
}

func TestStrictInsideEmbeddedWarns(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	var warnings []runtime.Problem
	_, err := f.Decode([]byte(order(`{"kind":"Order",`+orderVersion+`,"spec":{"customer":7}}`)),
		serializer.DecodeOptions{
			Strictness: serializer.WarnAboutProblems, Warn: func(p runtime.Problem) { warnings = append(warnings, p) },
		})
	if err != nil || len(warnings) != 1 || !errors.Is(&warnings[0], runtime.ErrInvalidEmbedded) {
		t.Errorf("warnings %v, error %v", warnings, err)
	}
}

func TestStrictInsideEmbeddedBinary(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	inner := []byte(order(`{"a":1,"a":2}`))
	for _, c := range []struct {
		name string
		raw  []byte
		want []string
	}{
		{name: "nothing odd", raw: []byte(order("null"))},
		{name: "no object", raw: []byte("\x01\x02")},
		{name: "JSON", raw: inner, want: []string{`spec.extra.a: duplicate field "a"`}},
		{
			name: "JSON with an unknown field", raw: []byte(`{"kind":"Order",` + orderVersion + `,"specs":{}}`),
			want: []string{`specs: unknown field "specs" (did you mean "spec"?)`},
		},
		{
			name: "an envelope that is broken", raw: []byte("k8s\x00\x0a\x20\x0a\x17workshop.example.com/v1"),
			want: []string{`the envelope of the embedded object: `},
		},
	} {
		list := &metav1.List{Items: []runtime.RawExtension{{Raw: c.raw}}}
		data := encoded(t, f, "application/vnd.kubernetes.protobuf", list)
		_, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		got := problemsOf(err)
		if len(got) != len(c.want) {
			t.Errorf("%s: problems %q (%v), want %q", c.name, got, err, c.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: problem %q, want %q", c.name, got[i], c.want[i])
			}
		}
	}

	// An object in protobuf in another: the problem stands where its field does.
	one := encoded(t, f, "application/vnd.kubernetes.protobuf",
		&workshop.Order{Spec: workshop.OrderSpec{Customer: "c"}})
	at := bytes.Index(one, []byte("\x12\x05Order")) + len("\x12\x05Order")
	broken := slices.Concat(one[:at+1], []byte{one[at+1] + 3}, []byte("\xf8\x06\x01"), one[at+2:]) // field 111
	data := encoded(t, f, "application/vnd.kubernetes.protobuf",
		&metav1.List{Items: []runtime.RawExtension{{Raw: broken}}})
	_, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	want := fmt.Sprintf("at byte %d: unknown field 111", bytes.Index(data, []byte("\xf8\x06\x01")))
	if got := problemsOf(err); len(got) != 1 || got[0] != want {
		t.Errorf("problems %q, want %q", got, want)
	}

	// The same in CBOR, where the embedded object is a map of the document.
	var extra runtime.RawExtension
	extra.Raw = []byte(`{"kind":"Order",` + orderVersion + `,"specs":{}}`)
	data = encoded(t, f, "application/cbor", &workshop.Order{Spec: workshop.OrderSpec{Extra: &extra}})
	obj, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if got := problemsOf(err); len(got) != 1 || obj == nil ||
		!strings.HasSuffix(got[0], `unknown field "specs" (did you mean "spec"?)`) {
		t.Errorf("CBOR: problems %q", got)
	}
}

// encoded is an object in a format.
func encoded(t testing.TB, f *serializer.Factory, mediaType string, obj runtime.Object) []byte {
	t.Helper()
	out, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
