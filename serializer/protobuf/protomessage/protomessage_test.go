package protomessage_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/askind/askind/internal/gadgets"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/protobuf/protomessage"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

var gv = schema.GroupVersion{Group: "gadgets.example.com", Version: "v1"}

func newFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(
			b, protomessage.Complete(runtime.KindSpec[gadgets.Gadget]{
				GroupVersionKind: gv.WithKind("Gadget"),
				Resource:         "gadgets",
			}),
		)
		runtime.AddKind(b, protomessage.Complete(runtime.KindSpec[gadgets.Note]{
			GroupVersionKind: gv.WithKind("Note"),
			Resource:         "notes",
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func gadget() *gadgets.Gadget {
	return &gadgets.Gadget{
		Kind: "Gadget", ApiVersion: "gadgets.example.com/v1",
		Metadata: &gadgets.Metadata{
			Name: "no", Labels: map[string]string{"b": "<2>", "a": "1"},
			CreationTimestamp: timestamppb.New(timestamppb.New(noon).AsTime()),
		},
		Spec: &gadgets.Spec{
			SerialNumber: 1<<53 + 1, Mode: gadgets.Mode_MODE_FAST, Parts: []*gadgets.Part{{
				Name:  "wheel",
				Parts: []*gadgets.Part{{Name: "spoke"}},
			}, {}},
			Power: &gadgets.Spec_Volts{Volts: 12}, Firmware: []byte{0, 0xFF}, Enabled: new(false), Weight: 1.5,
			Slots: map[int32]*gadgets.Part{-1: {Name: "left"}, 2: {}}, Channels: []uint32{1, 300},
		},
		Extra: &structpb.Struct{Fields: map[string]*structpb.Value{"x": structpb.NewNullValue()}},
	}
}

// gadgetJSON is what protojson makes of the gadget, without white space and with kind and
// apiVersion first.
const gadgetJSON = `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"no","labels":{"a":"1","b":"\u003c2\u003e"},"creationTimestamp":"2026-11-21T12:00:00Z"},` +
	`"spec":{"serialNumber":"9007199254740993","mode":"MODE_FAST","parts":[{"name":"wheel","parts":[{"name":"spoke"}]},{}],"volts":12,"firmware":"AP8=","enabled":false,"weight":1.5,` +
	`"slots":{"-1":{"name":"left"},"2":{}},"channels":[1,300]},"extra":{"x":null}}` + "\n"

// TestFormats writes and reads messages in every format, changing nothing.
func TestFormats(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, in := range []proto.Message{
		gadget(), &gadgets.Gadget{Kind: "Gadget", ApiVersion: "gadgets.example.com/v1"},
		&gadgets.Note{Text: "on"}, &gadgets.Note{},
	} {
		before := proto.Clone(in)
		for _, mediaType := range []string{
			json.Format().MediaTypes[0], yaml.Format().MediaTypes[0], protobuf.Format().MediaTypes[0], cbor.MediaType,
		} {
			o := serializer.EncodeOptions{MediaType: mediaType}
			data, err := f.Append(nil, in, o)
			if err != nil {
				t.Fatalf("%s: %v", mediaType, err)
			}
			for range 20 { // protojson varies its output
				if again, err := f.Append(nil, in, o); err != nil || string(again) != string(data) {
					t.Fatalf("%s: %v, %q, then %q", mediaType, err, data, again)
				}
			}
			if _, ok := in.(*gadgets.Gadget); ok && mediaType == "application/json" &&
				before.ProtoReflect().Has(before.ProtoReflect().Descriptor().Fields().ByName("spec")) &&
				string(data) != gadgetJSON {
				t.Errorf("got  %s\nwant %s", data, gadgetJSON)
			}
			out, err := f.Decode(data, serializer.DecodeOptions{
				MediaType: mediaType, Strictness: serializer.FailOnProblems,
			})
			if err != nil {
				t.Fatalf("%s: %v\n%s", mediaType, err, data)
			}
			clear(data) // nothing of it may be kept
			if !proto.Equal(out.(proto.Message), in) {
				t.Errorf("%s: got %v, want %v", mediaType, out, in)
			}
			copied, err := f.Scheme().DeepCopy(out)
			if err != nil || !proto.Equal(copied.(proto.Message), in) || copied == out {
				t.Errorf("the copy is %v, %v", copied, err)
			}
		}
		if !proto.Equal(in, before) {
			t.Errorf("encoding has changed %v to %v", before, in)
		}
	}
}

// TestEnvelope checks that the message in an envelope is the message of the library but for its
// kind and apiVersion.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	data, err := newFactory(t).Append(nil, gadget(), serializer.EncodeOptions{MediaType: protobuf.MediaType})
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := pbwire.ParseEnvelope(data)
	if err != nil {
		t.Fatal(err)
	}
	want := gadget()
	want.Kind, want.ApiVersion = "", ""
	got := new(gadgets.Gadget)
	if err := proto.Unmarshal(envelope.Raw, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v: got %v, want %v", err, got, want)
	}
}

// TestReadsLikeProtojson compares with protojson alone: what that reads is read as the same, and
// what is read differently is said here.
func TestReadsLikeProtojson(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, row := range []struct{ name, spec, differs string }{
		{name: "names of the file", spec: `{"serial_number":1}`},
		{name: "numbers as strings", spec: `{"serialNumber":"12","channels":["1",2e2],"weight":"NaN"}`},
		{name: "an integer with an exponent", spec: `{"serialNumber":1e3}`},
		{name: "an enumeration by number", spec: `{"mode":2}`},
		{name: "an enumeration by an unknown number", spec: `{"mode":77}`},
		{name: "nulls", spec: `{"mode":null,"parts":null,"slots":null,"weight":null,"volts":null,"enabled":null}`},
		{name: "base64 for URLs", spec: `{"firmware":"AP8"}`},
		{name: "nothing", spec: `{}`},
		{name: "a null element", spec: `{"parts":[null]}`},
		{name: "a null value of a map", spec: `{"slots":{"1":null}}`},
		{name: "a key that is not a number", spec: `{"slots":{"x":{}}}`},
		{name: "a fraction", spec: `{"serialNumber":1.5}`},
		{name: "too large", spec: `{"volts":3000000000}`},
		{name: "a wrong type", spec: `{"parts":{}}`},
		{name: "an unknown value of an enumeration", spec: `{"mode":"MODE_FASTER"}`},
		{name: "two of one", spec: `{"volts":1,"battery":"AA"}`},
		{name: "another case", spec: `{"SerialNumber":1}`, differs: "ignored in lenient decoding"},
		{name: "a duplicate", spec: `{"volts":1,"volts":2}`, differs: "the last counts in lenient decoding"},
		{
			name: "a duplicate in a map", spec: `{"slots":{"1":{"name":"a"},"1":{"name":"b"}}}`,
			differs: "the last counts in lenient decoding",
		},
	} {
		text := `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","spec":` + row.spec + `}`
		want := new(gadgets.Gadget)
		wantErr := protojson.Unmarshal([]byte(text), want)
		strict, strictErr := f.Decode([]byte(text), serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		if (strictErr == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, that of protojson %v", row.name, strictErr, wantErr)
		}
		if wantErr == nil && !proto.Equal(strict.(proto.Message), want) {
			t.Errorf("%s: got %v, want %v", row.name, strict, want)
		}
		if _, err := f.Decode([]byte(text),
			serializer.DecodeOptions{}); (err == nil) != (wantErr == nil) != (row.differs != "") {
			t.Errorf("%s: lenient decoding: %v, protojson %v, differs: %s", row.name, err, wantErr, row.differs)
		}
	}
}

// TestProblems has all that is wrong found at once, with places in the file of the user, and the
// rest read.
func TestProblems(t *testing.T) {
	t.Parallel()
	const text = `kind: Gadget
apiVersion: gadgets.example.com/v1
metadata:
  name: no
  nam: x
  creationTimestamp: yesterday
spec:
  serialNumber: 1.5
  mode: MODE_FAS
  volts: 12
  volts: 13
  parts:
  - name: 1.10
    parts: wheel
`
	f := newFactory(t)
	_, err := f.Decode([]byte(text), serializer.DecodeOptions{
		File: "gadget.yaml", Strictness: serializer.FailOnProblems,
	})
	found, ok := errors.AsType[*runtime.DecodeError](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found.Problems {
		got = append(got, p.Error())
	}
	want := []string{
		`gadget.yaml:5:3: metadata.nam: unknown field "nam" (did you mean "name"?)`,
		`gadget.yaml:6:22: metadata.creationTimestamp: not a google.protobuf.Timestamp`,
		`gadget.yaml:8:17: spec.serialNumber: not a value of type int64`,
		`gadget.yaml:9:9: spec.mode: the enumeration Mode has no value "MODE_FAS" (did you mean "MODE_FAST"?)`,
		`gadget.yaml:11:3: spec.volts: duplicate field "volts"`,
		`gadget.yaml:14:12: spec.parts[0].parts: expected array, found string`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	const strict = "kind: Gadget\napiVersion: gadgets.example.com/v1\nmetadata: {name: no, nam: x}\nspec: {volts: 12, volts: 13, parts: [{name: 1.10}]}\n"
	obj, err := f.Decode([]byte(strict), serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if g, ok := obj.(*gadgets.Gadget); err == nil || !ok || g.GetMetadata().GetName() != "no" ||
		g.GetSpec().GetParts()[0].GetName() != "1.10" || g.GetSpec().GetVolts() != 13 {
		t.Errorf("%v: the rest is read as %v", err, obj)
	}
}

// TestUnknownNumbers checks that strict decoding reports the fields of protobuf that a message does
// not have, that lenient decoding keeps them, and that a message which nests too deep is refused.
func TestUnknownNumbers(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	w := pbwire.NewWriter(nil)
	mark := w.OpenEnvelope()
	inner := w.Mark()
	w.String(99, "later")
	w.Message(4, inner)
	w.CloseEnvelope(mark, gv.WithKind("Gadget"))
	if _, err := f.Decode(w.Bytes(), serializer.DecodeOptions{Strictness: serializer.FailOnProblems}); !errors.Is(err,
		runtime.ErrUnknownField) {
		t.Errorf("strict: %v", err)
	}
	obj, err := f.Decode(w.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: protobuf.MediaType}); err != nil ||
		string(again) != string(w.Bytes()) {
		t.Errorf("%v: written again as %q, was %q", err, again, w.Bytes())
	}

	deep := &gadgets.Part{}
	for range 100 {
		deep = &gadgets.Part{Parts: []*gadgets.Part{deep}}
	}
	for _, mediaType := range []string{protobuf.MediaType, "application/json"} {
		data, err := f.Append(nil, &gadgets.Gadget{Spec: &gadgets.Spec{Parts: []*gadgets.Part{deep}}},
			serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Decode(data, serializer.DecodeOptions{
			MediaType: mediaType,
			Limits:    schema.Limits{Depth: 50},
		}); !errors.Is(err, runtime.ErrLimit) {
			t.Errorf("%s: %v", mediaType, err)
		}
	}
}

// TestMemory checks that what messages and lists take counts toward the limit of memory.
func TestMemory(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	envelope := func(fields string) string {
		w := pbwire.NewWriter(nil)
		mark := w.OpenEnvelope()
		w.Raw([]byte(fields))
		w.Message(4, mark)
		w.CloseEnvelope(mark, gv.WithKind("Gadget"))
		return string(w.Bytes())
	}
	object := func(spec string) string {
		return `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1",` + spec + `}`
	}
	list := func(s string) string { return s + strings.Repeat(","+s, 1<<17) }
	for name, in := range map[string]string{
		"messages":         envelope(strings.Repeat("\x1a\x00", 1<<18)),
		"messages in JSON": object(`"spec":{"parts":[` + list("{}") + `]}`),
		"values":           object(`"extra":{"a":[` + list("[]") + `]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := serializer.DecodeOptions{Limits: schema.Limits{Memory: 10}}
			if _, err := f.Decode([]byte(in), o); !errors.Is(err, runtime.ErrLimit) {
				t.Errorf("%v, want a limit", err)
			}
			o.Limits.Memory = 100
			if _, err := f.Decode([]byte(in), o); err != nil {
				t.Error(err)
			}
		})
	}
	for name, in := range map[string]string{
		"numbers":         envelope("\x52\x80\x80\x20" + strings.Repeat("\x01", 1<<19)),
		"numbers in JSON": object(`"spec":{"channels":[` + list("1") + `]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := serializer.DecodeOptions{Limits: schema.Limits{Memory: 2}}
			if _, err := f.Decode([]byte(in), o); !errors.Is(err, runtime.ErrLimit) {
				t.Errorf("%v, want a limit", err)
			}
			if _, err := f.Decode([]byte(in)); err != nil {
				t.Error(err)
			}
		})
	}
}

// FuzzDecode checks that no input makes the reader and protojson disagree on what is sound: what
// strict decoding takes, protojson takes as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(gadgetJSON))
	f.Add(
		[]byte(
			`{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","extra":{"a":[1,{"b":"c"}]},"spec":{"slots":{"1":{}},"volts":null}}`,
		),
	)
	f.Add([]byte(`{"kind":"Note","apiVersion":"gadgets.example.com/v1","text":"x"}`))
	factory := newFactory(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		obj, err := factory.Decode(data, serializer.DecodeOptions{
			MediaType:  "application/json",
			Strictness: serializer.FailOnProblems,
		})
		if err != nil {
			return
		}
		got, ok := obj.(*gadgets.Gadget)
		if !ok {
			return
		}
		want := new(gadgets.Gadget)
		if err := protojson.Unmarshal(data, want); err != nil {
			if strings.Contains(err.Error(), "syntax error") { // a byte order mark
				return
			}
			t.Fatalf("protojson refuses %q: %v", data, err)
		}
		if !proto.Equal(got, want) {
			t.Fatalf("%q is read as %v, by protojson as %v", data, got, want)
		}
		text, err := factory.Append(nil, got, serializer.EncodeOptions{MediaType: "application/json"})
		if err != nil {
			t.Fatal(err)
		}
		again, err := factory.Decode(text, serializer.DecodeOptions{
			MediaType:  "application/json",
			Strictness: serializer.FailOnProblems,
		})
		if err != nil || !proto.Equal(again.(proto.Message), got) {
			t.Fatalf("%v: %q is read as %v, was %v", err, text, again, got)
		}
	})
}
