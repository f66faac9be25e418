package serializer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/internal/plain"

	cargov1 "github.com/askind/askind/internal/cargo/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// box holds boxes, and elements that are much larger in memory than on the wire.
type box struct {
	APIVersion, Kind string

	In   []runtime.Embedded[any]
	Foam [][64]int64
}

// boxes is a factory for boxes. The function is called for each box that is decoded.
func boxes(t *testing.T, read func()) *serializer.Factory {
	t.Helper()
	spec := &runtime.KindSpec[box]{
		GroupVersionKind: schema.GroupVersionKind{Group: "box.example.com", Version: "v1", Kind: "Box"},
		TypeMeta:         func(b *box) (apiVersion, kind *string) { return &b.APIVersion, &b.Kind },
		AppendJSONFields: func(dst []byte, b *box) ([]byte, error) {
			dst = append(dst, `,"in":[`...)
			for i := range b.In {
				if i > 0 {
					dst = append(dst, ',')
				}
				var err error
				if dst, err = runtime.AppendJSONEmbedded(dst, &b.In[i]); err != nil {
					return dst, err
				}
			}
			return append(dst, "]"...), nil
		},
		DecodeJSON: func(r *jsonwire.Reader, out *box) {
			read()
			for key := r.Object(); key != nil; key = r.NextKey() {
				switch string(key) {
				case "kind", "apiVersion":
					r.Skip()
				case "in":
					from := r.Offset()
					for more := r.Array(); more; more = r.NextElem() {
						out.In = jsonwire.Extend(r, out.In, from)
						runtime.DecodeJSONEmbedded(r, &out.In[len(out.In)-1])
					}
				case "foam":
					from := r.Offset()
					for more := r.Array(); more; more = r.NextElem() {
						out.Foam = jsonwire.Extend(r, out.Foam, from)
						r.Skip()
					}
				default:
					r.Unknown(key, nil)
				}
			}
		},
		PrependProto: func(w *pbwire.Writer, b *box) {
			for i := len(b.In) - 1; i >= 0; i-- {
				mark := w.Mark()
				runtime.PrependProtoEmbedded(w, &b.In[i])
				w.Message(1, mark)
			}
		},
		DecodeProto: func(r *pbwire.Reader, out *box) {
			read()
			for r.Next() {
				switch r.Field() {
				case 1:
					out.In = append(out.In, runtime.Embedded[any]{})
					saved := r.Message()
					runtime.DecodeProtoEmbedded(r, &out.In[len(out.In)-1])
					r.EndMessage(saved)
				case 2:
					out.Foam = pbwire.Extend(r, out.Foam)
					r.Skip()
				default:
					r.Unknown()
				}
			}
		},
	}
	return factoryOf(t, func(b *runtime.Builder) { runtime.AddKind(b, spec) })
}

const boxType = `"kind":"Box","apiVersion":"box.example.com/v1"`

// nested is a box in so many others.
func nested(levels int) string {
	return strings.Repeat(`{`+boxType+`,"in":[`, levels) + `{` + boxType + `}` + strings.Repeat(`]}`, levels)
}

// TestEmbeddedIsReadOnce checks that objects which are embedded in one another are decoded once,
// and once more by a decoder that is strict, however deep they are.
func TestEmbeddedIsReadOnce(t *testing.T) {
	t.Parallel()
	const levels = 12
	for _, strictness := range []serializer.Strictness{serializer.IgnoreProblems, serializer.FailOnProblems} {
		for _, mediaType := range mediaTypes {
			read := 0
			f := boxes(t, func() { read++ })
			object, err := f.Decode([]byte(nested(levels)), serializer.DecodeOptions{Embedded: true})
			if err != nil {
				t.Fatal(err)
			}
			data := encoded(t, f, mediaType, object)
			read = 0
			object, err = f.Decode(data, serializer.DecodeOptions{
				MediaType: mediaType, Embedded: true,
				Strictness: strictness,
			})
			if err != nil {
				t.Fatal(err)
			}
			want := levels + 1
			if strictness == serializer.FailOnProblems {
				want += levels
			}
			if mediaType == mediaCBOR && strictness == serializer.FailOnProblems && !plain.Enabled {
				want++ // what has embedded objects to check is read as a text
			}
			if read != want {
				t.Errorf("%s, strict %t: %d boxes were decoded, want %d", mediaType, strictness == serializer.FailOnProblems,
					read, want)
			}
			for range levels {
				object = object.(*box).In[0].Object
			}
			if b, ok := object.(*box); !ok || b.In != nil {
				t.Errorf("%s: innermost is %+v", mediaType, object)
			}
		}
	}
}

// TestEmbeddedWithinLimits checks that what is embedded meets the limits of the document that it is
// in.
func TestEmbeddedWithinLimits(t *testing.T) {
	t.Parallel()
	f := boxes(t, func() {})
	// The depth to which objects are decoded.
	for _, mediaType := range mediaTypes {
		object, err := f.Decode([]byte(nested(4)), serializer.DecodeOptions{Embedded: true})
		if err != nil {
			t.Fatal(err)
		}
		data := encoded(t, f, mediaType, object)
		if object, err = f.Decode(data, serializer.DecodeOptions{
			MediaType: mediaType, Embedded: true,
			Limits: schema.Limits{Embedded: 2},
		}); err != nil {
			t.Fatal(err)
		}
		levels := 0
		for object != nil {
			levels++
			in := object.(*box).In[0]
			object = in.Object
		}
		if levels != 3 {
			t.Errorf("%s: %d levels are decoded, want the outermost and 2", mediaType, levels)
		}
	}
	// The memory for all of them. The elements of one box are below the mebibyte that any document
	// may have, those of all boxes are not.
	const many = 40
	foam := `{` + boxType + `,"foam":[` + strings.Repeat("0,", 100) + `0]}`
	envelope := func(b string) string {
		return "k8s\x00" + "\x0a\x19\x0a\x12box.example.com/v1\x12\x03Box" + "\x12" + uvs(b)
	}
	text := `{` + boxType + `,"in":[` + strings.Repeat(foam+",", many) + foam + `]}`
	messages := envelope(strings.Repeat("\x0a"+uvs("\x0a"+uvs(envelope(strings.Repeat("\x12\x00", 100)))), many))
	texts := envelope(strings.Repeat("\x0a"+uvs("\x0a"+uvs(foam)), many))
	for _, c := range []struct{ name, mediaType, data string }{
		{"JSON", mediaJSON, text},
		{"YAML", mediaYAML, text},
		{"protobuf", mediaProtobuf, messages},
		{"JSON in protobuf", mediaProtobuf, texts},
	} {
		for _, strictness := range []serializer.Strictness{serializer.IgnoreProblems, serializer.FailOnProblems} {
			t.Run(fmt.Sprint(c.name, " ", strictness), func(t *testing.T) {
				t.Parallel()
				o := serializer.DecodeOptions{
					MediaType: c.mediaType, Embedded: true, Strictness: strictness,
					Limits: schema.Limits{Memory: 1000},
				}
				object, err := f.Decode([]byte(c.data), o)
				if err != nil || object.(*box).In[many-1].Object == nil {
					t.Fatalf("within the limit: %v", err)
				}
				o.Limits = schema.Limits{Memory: 1}
				_, err = f.Decode([]byte(c.data), o)
				exceeded(t, err, "Memory", 1)
			})
		}
	}
}

// TestEmbeddedBytesThatAreNothing tells bytes that stand for no object from bytes that are broken.
func TestEmbeddedBytesThatAreNothing(t *testing.T) {
	t.Parallel()
	s := boxes(t, func() {}).Scheme()
	envelope := "k8s\x00\x0a\x19\x0a\x12box.example.com/v1\x12\x03Box"
	for _, c := range []struct {
		raw, want string // blank for no object and no error
	}{
		{"", ""},
		{"null", ""},
		{" null\n", ""},
		{"nope", "expected null"},
		{"null x", "expected the end of the text"},
		{envelope + "\x1a\x04gzip", `encoding "gzip"`},
		{envelope + "\x22\x03xml", `content type "xml"`},
	} {
		e := runtime.Embedded[any]{RawExtension: runtime.RawExtension{Raw: []byte(c.raw)}}
		obj, err := e.Get(s)
		if obj != nil || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, error %v, want %q", c.raw, obj, err, c.want)
		}
	}
}

// TestStrictEmbeddedEnvelopes looks into envelopes that hold JSON as into others.
func TestStrictEmbeddedEnvelopes(t *testing.T) {
	t.Parallel()
	f := boxes(t, func() {})
	envelope := func(b, rest string) string {
		return "k8s\x00" + "\x0a\x19\x0a\x12box.example.com/v1\x12\x03Box" + "\x12" + uvs(b) + rest
	}
	inner := envelope(`{`+boxType+`,"inn":[]}`, "\x22\x10application/json")
	data := envelope("\x0a"+uvs("\x0a"+uvs(inner)), "")
	for _, embedded := range []bool{false, true} {
		object, err := f.Decode([]byte(data), serializer.DecodeOptions{
			MediaType: mediaProtobuf, Embedded: embedded,
			Strictness: serializer.FailOnProblems,
		})
		want := fmt.Sprintf("at byte %d: inn: unknown field", strings.Index(data, `"inn"`))
		if object == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("embedded %t: error %v, want %s", embedded, err, want)
		}
	}
}

// TestEmbeddedWithoutScheme asks for embedded objects where there is no scheme to know them.
func TestEmbeddedWithoutScheme(t *testing.T) {
	t.Parallel()
	f := cargoFactory(t)
	object, err := f.Decode([]byte(truck(`{"kind":"Crate",`+cargoVersion+`}`, "")), serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := f.Scheme().KindOf(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range mediaTypes {
		format, err := f.ForContentType(mediaType)
		if err != nil {
			t.Fatal(err)
		}
		for doc, err := range format.Documents(encoded(t, f, mediaType, object), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			got := new(cargov1.Truck)
			if problems := doc.Decode(k, got, runtime.ReadOptions{Embedded: true, Strict: true}); problems != nil ||
				got.Spec.First.Raw == nil {
				t.Errorf("%s: problems %v, first %+v", mediaType, problems, got.Spec.First)
			}
		}
	}
}
