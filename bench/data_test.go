package bench

import (
	"bytes"
	"hash/fnv"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// data returns the objects of the benchmarks under the names that they have there. Lists of 5,000
// are made by those who want them.
func data() map[string]func() runtime.Object {
	return map[string]func() runtime.Object{
		"small":        func() runtime.Object { return Small(1) },
		"machine":      func() runtime.Object { return Machine(1) },
		"machines":     func() runtime.Object { return Machines(50) },
		"metadata":     func() runtime.Object { return Metadata(1) },
		"metadataList": func() runtime.Object { return MetadataList(50) },
	}
}

// sums are FNV-1a hashes of the objects in JSON. They change if the data does, and then no figure
// can be compared with an older one.
var sums = map[string]uint64{
	"small":        0x394b27a375473de3,
	"machine":      0x6a256b497e008ffe,
	"machines":     0x3647e41846f2018d,
	"metadata":     0xfc26937e3344c5eb,
	"metadataList": 0xb09abc65e9388ece,
}

func TestDataIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for name, object := range data() {
		first := encode(t, f, object(), "application/json")
		if !bytes.Equal(first, encode(t, f, object(), "application/json")) {
			t.Errorf("%s differs from call to call", name)
		}
		h := fnv.New64a()
		h.Write(first)
		if got := h.Sum64(); got != sums[name] {
			t.Errorf("%s has %d bytes and the sum %#x, want %#x", name, len(first), got, sums[name])
		}
	}
}

func TestDataIsValid(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for name, object := range data() {
		text := encode(t, f, object(), "application/json")
		obj, err := f.Decode(text, serializer.DecodeOptions{
			Strictness: serializer.FailOnProblems, Default: true, Validate: true,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := encode(t, f, obj, "application/json"); !bytes.Equal(text, again) {
			t.Errorf("%s is not the same after defaulting:\n%s\n%s", name, text, again)
		}
	}
}

func TestDataIsVaried(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for i := range 5000 {
		names[Metadata(i).Name] = true
	}
	if len(names) != 5000 {
		t.Errorf("5000 objects have %d names", len(names))
	}
}

// TestSizes checks the objects to the sizes that the documentation tells.
func TestSizes(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, c := range []struct {
		name   string
		obj    runtime.Object
		lo, hi int
	}{
		{"small", Small(1), 300, 350},
		{"machine", Machine(1), 5000, 6000},
		{"metadata", Metadata(1), 3200, 4000},
	} {
		if n := len(encode(t, f, c.obj, "application/json")); n < c.lo || n > c.hi {
			t.Errorf("%s has %d bytes, want %d to %d", c.name, n, c.lo, c.hi)
		}
	}
}

func newFactory(tb testing.TB) *serializer.Factory {
	tb.Helper()
	f, err := NewFactory()
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func encode(tb testing.TB, f *serializer.Factory, obj runtime.Object, mediaType string) []byte {
	tb.Helper()
	out, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
