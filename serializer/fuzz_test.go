package serializer_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	cargov1 "github.com/askind/askind/internal/cargo/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
)

// framed are the formats of watch events, one for each number that a fuzz target gets.
var framed = []string{"application/json", "application/yaml", "application/cbor", protobuf.MediaType}

// FuzzEvents reads a stream of watch events in each format: whole and one byte at a time, which
// must give the same.
func FuzzEvents(f *testing.F) {
	factory := newFleet(f)
	for i, mediaType := range framed[:3] {
		rep, err := factory.Negotiate([]string{mediaType}, serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")})
		if err != nil {
			f.Fatal(err)
		}
		var stream bytes.Buffer
		w, err := rep.Events(&stream)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range []string{"a", "b\n---\n"} {
			if err := w.Send(metav1.WatchModified, named(name, "1")); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(byte(i), stream.Bytes())
	}
	f.Add(byte(3), []byte("\x00\x00\x00\x08\x0a\x05ADDED\x12\x00\x00\x00\x00\x00\xff\xff\xff\xff"))
	f.Add(
		byte(0), []byte(
			`{"type":"BOOKMARK","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1"}} {"type":7}`,
		),
	)
	f.Fuzz(func(t *testing.T, format byte, data []byte) {
		o := serializer.DecodeOptions{MediaType: framed[int(format)%len(framed)], Limits: schema.Limits{Item: 1 << 12}}
		whole := eventsOf(t, factory, bytes.NewReader(data), o)
		bit := eventsOf(t, factory, &slow{data}, o)
		if diff := cmp.Diff(whole, bit); diff != "" {
			t.Errorf("%q read in one piece and byte by byte (-whole +bytes):\n%s", data, diff)
		}
	})
}

// slow yields one byte at a time.
type slow struct{ data []byte }

func (s *slow) Read(b []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(1, len(b))], s.data)
	s.data = s.data[n:]
	return n, nil
}

// eventsOf reads all events of a stream, in words. There cannot be more than there are bytes.
func eventsOf(t *testing.T, f *serializer.Factory, r io.Reader, o serializer.DecodeOptions) []string {
	t.Helper()
	e, err := serializer.NewEventReader(r, f, o)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for event, err := range e.All() {
		text := event.Type
		if event.Object != nil {
			written, err := f.Append(nil, event.Object, serializer.EncodeOptions{MediaType: "application/json"})
			if err != nil {
				t.Errorf("an object that was read cannot be written: %v", err)
			}
			text += string(written)
		}
		if err != nil {
			text += err.Error()
		}
		if out = append(out, text); len(out) > 1<<16 {
			t.Fatal("the events have no end")
		}
	}
	return out
}

// FuzzLazy checks that a Lazy says of an object what decoding the whole of it says, and that
// changing its metadata changes nothing else.
func FuzzLazy(f *testing.F) {
	factory := newFleet(f)
	for i, mediaType := range framed[:3] {
		data, err := factory.Append(nil, named("a", "1"), serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), data)
	}
	partial := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name:   "a",
		Labels: map[string]string{"b": "c"}, Finalizers: []string{"d"},
	}}
	f.Add(byte(slices.Index(framed, protobuf.MediaType)), encoded(f, factory, protobuf.MediaType, partial))
	f.Add(byte(0), []byte(lazyMachine))
	f.Add(byte(0), []byte("\xef\xbb\xbf"+lazyMachine))
	f.Add(
		byte(0), []byte(
			`{"metadata":{"name":"a","name":"b"},"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"c"}}`,
		),
	)
	f.Add(
		byte(1), []byte(
			"kind: Machine\napiVersion: fleet.example.com/v1\nmetadata: {name: a, labels: {version: 1.10, old: no}}\n",
		),
	)
	f.Add(byte(1), []byte(lazyYAML))
	f.Add(
		byte(0), []byte(
			`{"metadata":{"labels":{"a":"b"}},"kind":"Machine","spec":{},"apiVersion":"fleet.example.com/v1","metadata":null}`,
		),
	)
	f.Fuzz(func(t *testing.T, format byte, data []byte) {
		o := serializer.DecodeOptions{MediaType: framed[int(format)%len(framed)]}
		lazy, err := factory.Lazy(data, o)
		if err != nil {
			return
		}
		obj, err := lazy.Object()
		want, wantErr := factory.Decode(data, o)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(obj, want) {
			t.Fatalf("%q is read as %+v, %v, and at once as %+v, %v", data, obj, err, want, wantErr)
		}
		if err != nil {
			return
		}
		before, ok := lazy.Kind().Metadata(want).(*metav1.ObjectMeta)
		if !ok {
			return
		}
		if meta, err := lazy.ObjectMeta(); err != nil || !cmp.Equal(meta, before) {
			t.Fatalf("%q: metadata %+v, %v, want %+v", data, meta, err, before)
		}
		changed, err := lazy.WithMetadata(func(m *metav1.ObjectMeta) { m.Name = "changed" })
		if errors.Is(err, runtime.ErrUnknownField) {
			o.Strictness = serializer.FailOnProblems
			if _, strict := factory.Decode(data, o); !errors.Is(strict, runtime.ErrUnknownField) {
				t.Fatalf("%q: no field is unknown: %v", data, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: the name cannot be changed: %v", data, err)
		}
		got, err := changed.Object()
		if err != nil {
			t.Fatalf("%q became %q: %v", data, changed.Bytes(), err)
		}
		before.Name = "changed"
		// An object that is written anew has what its format keeps of it, which knows no empty map
		// where a field is left out when it is empty.
		if written, err := factory.Append(nil, want, serializer.EncodeOptions{MediaType: o.MediaType}); err == nil &&
			bytes.Equal(written, changed.Bytes()) {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", data, changed.Bytes(), diff)
		}
	})
}

// FuzzEmbedded reads objects with others in them, in each format, and has those decoded: the object
// is accepted or not as it is without, what it holds can be asked for, and what is written of it is
// read to the same object again.
func FuzzEmbedded(f *testing.F) {
	factory := cargoFactory(f)
	crate := `{"kind":"Crate",` + cargoBeta + `,"metadata":{"name":"c"},"mass":7}`
	text := truck(crate, `{"kind":"Tank",`+cargoVersion+`,"metadata":{"name":"d"},"litres":3}`)
	obj, err := factory.Decode([]byte(text), serializer.DecodeOptions{Embedded: true})
	if err != nil {
		f.Fatal(err)
	}
	for i, mediaType := range framed {
		f.Add(byte(i), encoded(f, factory, mediaType, obj))
	}
	empty := obj.(*cargov1.Truck)
	empty.Spec.Spare = new(runtime.Embedded[*cargov1.Crate]) // a pointer to no object, which only protobuf has
	f.Add(byte(slices.Index(framed, protobuf.MediaType)), encoded(f, factory, protobuf.MediaType, empty))
	f.Add(byte(0), []byte(truck(truck(crate, ""), unknownLoad)))
	f.Add(byte(0), []byte(truck(`{"kind":"Crate",`+cargoBeta+`,"mass":"x","mass":8}`, "null")))
	f.Fuzz(func(t *testing.T, format byte, data []byte) {
		o := serializer.DecodeOptions{MediaType: framed[int(format)%len(framed)], Limits: schema.Limits{Size: 1 << 14}}
		_, plainErr := factory.Decode(data, o)
		o.Embedded = true
		obj, err := factory.Decode(data, o)
		if (err == nil) != (plainErr == nil) {
			t.Fatalf("%q: decoding what is embedded makes the error %v of %v", data, err, plainErr)
		}
		truck, ok := obj.(*cargov1.Truck)
		if !ok {
			return
		}
		_, _ = truck.Spec.First.Get(nil) // an error or not
		first, err := factory.Append(nil, obj, serializer.EncodeOptions{MediaType: "application/json"})
		if err != nil {
			return // bytes of no format
		}
		for _, mediaType := range framed {
			out, err := factory.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
			if err != nil {
				continue // a number that only text has
			}
			if _, err := factory.Decode(out, serializer.DecodeOptions{
				MediaType: mediaType,
				Embedded:  true,
			}); err != nil {
				t.Fatalf("%q: cannot be read again as %s: %v", data, mediaType, err)
			}
			// What stayed as its bytes may say a name twice, which other formats do not, so it
			// stays bytes here as well.
			again, err := factory.Decode(out, serializer.DecodeOptions{MediaType: mediaType})
			if err != nil {
				t.Fatalf("%q: cannot be read again as %s: %v", data, mediaType, err)
			}
			second, err := factory.Append(nil, again, serializer.EncodeOptions{MediaType: "application/json"})
			var want, got any
			if stdjson.Unmarshal(first, &want) != nil {
				continue // a number that Go does not have
			}
			err = errors.Join(err, stdjson.Unmarshal(second, &got))
			withoutSpare(want)
			withoutSpare(got)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q by way of %s is (error %v)\n%s, want\n%s", data, mediaType, err, second, first)
			}
		}
	})
}

// withoutSpare removes the spare load of a truck that is null: what protobuf has as a pointer to no
// object is null in the other formats, and null is read as no pointer.
func withoutSpare(truck any) {
	o, _ := truck.(map[string]any)
	if spec, ok := o["spec"].(map[string]any); ok && spec["spare"] == nil {
		delete(spec, "spare")
	}
}
