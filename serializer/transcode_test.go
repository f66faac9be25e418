package serializer_test

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

const (
	mediaJSON     = "application/json"
	mediaYAML     = "application/yaml"
	mediaCBOR     = "application/cbor"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
)

// An object that is embedded as protobuf is written in every other format as what it is, and JSON
// that is embedded in protobuf stays JSON.
func TestEmbeddedIsTranscoded(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	inner := &workshop.Order{Spec: workshop.OrderSpec{Customer: "c", Tags: []string{"x"}}}
	inner.Name = "inner"
	innerJSON := strings.TrimSuffix(string(encoded(t, f, mediaJSON, inner)), "\n")
	envelope := encoded(t, f, mediaProtobuf, inner)
	middle := encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: envelope}}})
	want := func(item string) string {
		return `{"kind":"List","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[` + item + `]}` + "\n"
	}
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"an envelope", envelope, want(innerJSON)},
		{"an envelope in an envelope", middle, want(strings.TrimSuffix(want(innerJSON), "\n"))},
		{"JSON", []byte(innerJSON), want(innerJSON)},
		{"JSON of no known kind", []byte(`{"a":1}`), want(`{"a":1}`)},
	} {
		data := encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: c.raw}}})
		obj, err := f.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if again := encoded(t, f, mediaProtobuf, obj); string(again) != string(data) {
			t.Errorf("%s: protobuf is written as\n%q, want\n%q", c.name, again, data)
		}
		if copied, err := f.Scheme().DeepCopy(obj); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := string(encoded(t, f, mediaJSON, copied)); got != c.want {
			t.Errorf("%s: a copy is written as %s, want %s", c.name, got, c.want)
		}
		for _, format := range []string{mediaJSON, mediaYAML, mediaCBOR} {
			back, err := f.Decode(encoded(t, f, format, obj), serializer.DecodeOptions{
				MediaType:  format,
				Strictness: serializer.FailOnProblems,
			})
			if err != nil {
				t.Fatalf("%s by way of %s: %v", c.name, format, err)
			}
			if got := string(encoded(t, f, mediaJSON, back)); canonical(t, got) != canonical(t, c.want) {
				t.Errorf("%s by way of %s: %s, want %s", c.name, format, got, c.want)
			}
		}
	}
}

// What cannot be transcoded is an error, never bytes under another name.
func TestEmbeddedIsNotMislabelled(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	unknown := []byte("k8s\x00\x0a\x13\x0a\x0eexample.com/v1\x12\x01X\x12\x00")
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"a kind that is not known", unknown, "example.com"},
		{"an envelope that is broken", []byte("k8s\x00\x0a\x7f"), "offset"},
		{
			"a message that is broken",
			append([]byte("k8s\x00\x0a\x20\x0a\x17workshop.example.com/v1\x12\x05Order\x12\x01"),
				0x0a), "embedded Order",
		},
		{"CBOR that is broken", []byte("\xd9\xd9\xf7\xff"), "offset 0"},
		{
			"no format", []byte("\x01\x02"),
			"neither JSON nor a protobuf object decoded by a factory: jsonwire: offset 0",
		},
	} {
		data := encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: c.raw}}})
		obj, err := f.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, format := range []string{mediaJSON, mediaYAML, mediaCBOR} {
			out, err := f.Append([]byte("> "), obj, serializer.EncodeOptions{MediaType: format})
			if err == nil || !strings.Contains(err.Error(), c.want) || string(out) != "> " {
				t.Errorf("%s in %s: %q, %v", c.name, format, out, err)
			}
		}
	}
	deep := []byte(`{"a":1}`)
	for range 40 {
		deep = encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: deep}}})
	}
	obj, err := f.Decode(deep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaJSON}); err == nil ||
		!strings.Contains(err.Error(), "more than 32 levels deep") {
		t.Errorf("envelopes in envelopes: %v", err)
	}
	raw := runtime.RawExtension{Raw: unknown}
	if _, err := raw.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "only if a factory has decoded it") {
		t.Errorf("an envelope that no scheme came with: %v", err)
	}
}

// TestFormatInFormat goes through every pair of an outer format and one in which an object may be
// embedded in it, of known kinds and others, with and without a media type stated, and writes what
// was read in every format: each time the object is what it was, or the error says where and why.
func TestFormatInFormat(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	texts := map[string]string{
		"known": `{"kind":"Order",` + orderVersion +
			`,"metadata":{"name":"o"},"spec":{"customer":"c","tags":["x"],"extra":{"kind":"Other","apiVersion":"v1","on":"yes","n":[1,2.5,null]}}}`,
		"unknown": `{"kind":"Other","apiVersion":"example.com/v1","a":{"b":[1,18446744073709551615,1e+30,"\u003cno\u003e",null,true,{}]}}`,
	}
	inner := map[string]map[string][]byte{} // by kind and media type
	for kind, text := range texts {
		inCBOR, err := cbor.FromJSON(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		inYAML, err := yaml.FromJSON(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		inner[kind] = map[string][]byte{mediaJSON: []byte(text), mediaYAML: inYAML, mediaCBOR: inCBOR}
	}
	order, err := f.Decode([]byte(texts["known"]), serializer.DecodeOptions{Strictness: serializer.IgnoreProblems})
	if err != nil {
		t.Fatal(err)
	}
	inner["known"][mediaProtobuf] = encoded(t, f, mediaProtobuf, order)
	inner["unknown"][mediaProtobuf] = []byte("k8s\x00" + "\x0a\x17\x0a\x0eexample.com/v1\x12\x05Other\x12\x02\x08\x01")
	texts["known"] = strings.TrimSuffix(string(encoded(t, f, mediaJSON, order)), "\n")

	list := func(raw []byte) *metav1.List { return &metav1.List{Items: []runtime.RawExtension{{Raw: raw}}} }
	for _, outer := range mediaTypes {
		for _, kind := range []string{"known", "unknown"} {
			for innerType, raw := range inner[kind] {
				var data []byte
				switch {
				case outer == mediaProtobuf:
					data = encoded(t, f, mediaProtobuf, list(raw))
				case innerType == outer: // it stands inline
					data = encoded(t, f, outer, list([]byte(texts[kind])))
				default: // bytes of one format are not part of another one
					out, err := f.Append([]byte("> "), list(raw), serializer.EncodeOptions{MediaType: outer})
					if innerType == mediaJSON && err == nil {
						continue // which is what Raw is
					}
					if err == nil || !strings.Contains(err.Error(), "items[0]: ") ||
						!strings.Contains(err.Error(), "the bytes of a RawExtension are neither JSON") &&
							innerType != mediaProtobuf || string(out) != "> " {
						t.Errorf("%s %s is written into %s: %q, %v", kind, innerType, outer, out, err)
					}
					continue
				}
				for _, stated := range []string{"", "stated"} {
					if stated != "" {
						if outer != mediaProtobuf || innerType == mediaProtobuf {
							continue
						}
						data = encoded(t, f, mediaProtobuf, list(unknownEnvelope(innerType, raw)))
					}
					name := kind + " " + innerType + " in " + outer + " " + stated
					obj, err := f.Decode(data, serializer.DecodeOptions{
						MediaType: outer, Strictness: serializer.FailOnProblems,
					})
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					checkWritten(t, f, name, obj, texts[kind], kind == "unknown" && innerType == mediaProtobuf)
				}
			}
		}
	}
}

// unknownEnvelope is an envelope that states the format of what is in it.
func unknownEnvelope(mediaType string, raw []byte) []byte {
	w := new(pbwire.Writer)
	w.String(4, mediaType)
	w.BytesField(2, raw)
	w.Message(1, w.Mark()) // no apiVersion and no kind
	return append([]byte("k8s\x00"), w.Bytes()...)
}

// checkWritten writes a list in every format and looks for its one item in it. foreign says that
// what the item is only protobuf can say.
func checkWritten(t *testing.T, f *serializer.Factory, name string, obj runtime.Object, want string, foreign bool) {
	t.Helper()
	for _, mediaType := range mediaTypes {
		out, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
		if foreign && mediaType != mediaProtobuf {
			if err == nil || !strings.Contains(err.Error(),
				`items[0]: no kind "Other" is registered in example.com/v1`) {
				t.Errorf("%s, written in %s: %q, %v", name, mediaType, out, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, written in %s: %v", name, mediaType, err)
			continue
		}
		if foreign {
			continue
		}
		back, err := f.Decode(out, serializer.DecodeOptions{
			MediaType: mediaType, Strictness: serializer.FailOnProblems,
		})
		if err != nil {
			t.Errorf("%s, written in %s, cannot be read: %v", name, mediaType, err)
			continue
		}
		got := canonical(t, string(encoded(t, f, mediaJSON, back)))
		if !strings.Contains(got, `"items":[`+canonical(t, want)+`]`) {
			t.Errorf("%s, written in %s, is %s, want the item %s", name, mediaType, got, want)
		}
	}
}

// TestTranscodedIsChecked checks that strict decoding reaches into an object that was transcoded,
// and reports bytes that are not what they are said to be.
func TestTranscodedIsChecked(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	inCBOR, err := cbor.FromJSON(nil, []byte(`{"kind":"Order",`+orderVersion+`,"spec":{"custom":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"an unknown field in CBOR", inCBOR, `spec.custom: unknown field "custom" (did you mean "customer"?)`},
		{
			"a duplicate in YAML", unknownEnvelope(mediaYAML, []byte("kind: Other\na: 1\na: 2\n")),
			`the embedded object: line 3, column 1: a: duplicate field "a"`,
		},
		{"a duplicate in CBOR", []byte("\xd9\xd9\xf7\xa3\x44kind\x45Other\x41a\x01\x41a\x02"), `duplicate field "a"`},
		{"broken CBOR", []byte("\xd9\xd9\xf7\xa1"), "the embedded object: "},
		{"broken YAML", unknownEnvelope(mediaYAML, []byte("a: [")), "the embedded object: "},
		{
			"two documents", unknownEnvelope(mediaYAML, []byte("a: 1\n---\nb: 1\n")),
			"more than one object found",
		},
		{"no object", unknownEnvelope(mediaYAML, []byte("[]")), "expected object, found array"},
		{"no document", unknownEnvelope(mediaYAML, []byte("# nothing\n")), "no object found"},
		{"a format that is not known", unknownEnvelope("text/html", []byte("<p>")), "text/html"},
		{"bytes of no format", []byte("\x01\x02"), ""},
		{"a text", []byte("hello"), ""},
	} {
		data := encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: c.raw}}})
		_, err := f.Decode(data, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		got := problemsOf(err)
		if c.want == "" && err != nil || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], "at byte ") ||
			!strings.Contains(got[0], c.want)) {
			t.Errorf("%s: problems %q (%v), want %q", c.name, got, err, c.want)
		}
		// A lenient reader keeps what it cannot transcode.
		if _, err := f.Decode(data); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestDuplicatesInRawCBOR checks that strict decoding finds what occurs twice in values that are
// kept raw in CBOR too, whichever way they are read.
func TestDuplicatesInRawCBOR(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	for _, c := range []struct{ data, want string }{
		{
			"\xa3\x44kind\x44List\x4aapiVersion\x4emeta.k8s.io/v1\x45items\x81\xa3\x44kind\x45Other\x41a\x01\x41a\x02",
			`items[0].a: at byte 59: duplicate field "a"`,
		},
		{
			"\xa3\x44kind\x45Order\x4aapiVersion\x57workshop.example.com/v1\x48metadata\xa1\x4dmanagedFields\x81\xa1\x48fieldsV1\xa1\x41f\xa2\x41b\x01\x41b\x02",
			`metadata.managedFields[0].fieldsV1.f.b: at byte 89: duplicate field "b"`,
		},
	} {
		_, err := f.Decode([]byte(c.data), serializer.DecodeOptions{
			MediaType: mediaCBOR, Strictness: serializer.FailOnProblems,
		})
		if got := problemsOf(err); len(got) != 1 || got[0] != c.want {
			t.Errorf("problems %q (%v), want %q", got, err, c.want)
		}
		if _, err := f.Decode([]byte(c.data), serializer.DecodeOptions{MediaType: mediaCBOR}); err != nil {
			t.Error(err)
		}
	}
}

// canonical is JSON with the members of all objects sorted.
func canonical(t testing.TB, text string) string {
	t.Helper()
	var v any
	if err := stdjson.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := stdjson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestNumbersBeyondCBOR checks that the error for a number in raw bytes names its field, unless
// other bytes before it leave that unclear.
func TestNumbersBeyondCBOR(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	extra := &runtime.RawExtension{Raw: []byte(`{"a":1e999}`)}
	for want, o := range map[string]*workshop.Order{
		"spec.extra.a: cannot write number 1e999: it is out of range for float64": orderWith(
			func(s *workshop.OrderSpec) { s.Extra = extra },
		),
		"cannot write number 1e999: it is out of range for float64": orderWith(
			func(s *workshop.OrderSpec) { s.Extra, s.Stamp = extra, []byte(`"}`) },
		),
	} {
		if _, err := f.Append(nil, o, serializer.EncodeOptions{MediaType: mediaCBOR}); err == nil ||
			err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
