package serializer_test

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

const (
	mediaJSON     = "application/json"
	mediaYAML     = "application/yaml"
	mediaCBOR     = "application/cbor"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
)

// An object that is embedded as protobuf is written in every other format as what it is, and JSON that is embedded in protobuf stays JSON.
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
		obj, err := f.Decode(data, serializer.DecodeOptions{})
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
			back, err := f.Decode(encoded(t, f, format, obj), serializer.DecodeOptions{MediaType: format, Strictness: serializer.Fail})
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
		{"a message that is broken", append([]byte("k8s\x00\x0a\x20\x0a\x17workshop.example.com/v1\x12\x05Order\x12\x01"), 0x0a), "embedded Order"},
		{"neither", []byte("\xd9\xd9\xf7\xa0"), "offset 0"},
	} {
		data := encoded(t, f, mediaProtobuf, &metav1.List{Items: []runtime.RawExtension{{Raw: c.raw}}})
		obj, err := f.Decode(data, serializer.DecodeOptions{})
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
	obj, err := f.Decode(deep, serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaJSON}); err == nil || !strings.Contains(err.Error(), "more than 32 deep") {
		t.Errorf("envelopes in envelopes: %v", err)
	}
	raw := runtime.RawExtension{Raw: unknown}
	if _, err := raw.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "only if a factory has decoded it") {
		t.Errorf("an envelope that no scheme came with: %v", err)
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
