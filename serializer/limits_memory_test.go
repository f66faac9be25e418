package serializer_test

import (
	"encoding/binary"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	workshop "github.com/askind/askind/internal/workshop/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// TestLimitedMemory gives inputs of which each byte costs as much as can be. What is allocated, garbage included, is at most so many times their size:
// the limit of memory bounds what typed objects take, and what an untyped one takes follows from the smallest value that there is.
func TestLimitedMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget at random, and what is read takes other memory")
	}
	f := workshopFactory(t)
	most := map[string]float64{mediaJSON: 130, mediaYAML: 350, mediaCBOR: 260, mediaProtobuf: 130}
	const n = 1 << 17
	head := `{"kind":"Order",` + orderVersion + `,`
	other := `{"kind":"Other","apiVersion":"example.com/v1","x":`
	rep := func(pre, s, post string) string { return pre + strings.Repeat(s, (n-len(pre)-len(post))/len(s)) + post }
	cborHead := "\xa3\x64kind\x65Order\x6aapiVersion\x77workshop.example.com/v1"
	cborOther := "\xa3\x64kind\x65Other\x6aapiVersion\x6eexample.com/v1\x61x"
	arr := func(pre string, head byte, s string) string {
		k := (n - len(pre) - 5) / len(s)
		return pre + string(binary.BigEndian.AppendUint32([]byte{head}, uint32(k))) + strings.Repeat(s, k)
	}
	pb := func(body string) string {
		return "k8s\x00\x0a\x20\x0a\x17workshop.example.com/v1\x12\x05Order\x12" + uv(len(body)) + body
	}
	for _, c := range []struct{ name, mediaType, data string }{
		{"json lines", mediaJSON, rep(head+`"spec":{"lines":[`, "{},", "{}]}}")},
		{"json steps", mediaJSON, rep(head+`"spec":{"lines":[`, `{"steps":[{}]},`, "{}]}}")},
		{"json conditions", mediaJSON, rep(head+`"status":{"conditions":[`, `{},`, "{}]}}")},
		{"json tags", mediaJSON, rep(head+`"spec":{"tags":[`, `"",`, `""]}}`)},
		{"json map", mediaJSON, head + `"spec":{"drawings":{` + keys(n/10, `:""`) + `}}}`},
		{"json quantities", mediaJSON, head + `"spec":{"stock":{` + keys(n/10, `:1`) + `}}}`},
		{"json delivery", mediaJSON, rep(head+`"spec":{`, `"delivery":{},"delivery":null,`, `"x":1}}`)},
		{"json stamp", mediaJSON, rep(head+`"spec":{"stamp":[`, `0,`, `0]}}`)},
		{"json unknown", mediaJSON, rep(head, `"a":1,`, `"b":1}`)},
		{"json untyped ints", mediaJSON, rep(other+`[`, `0,`, `0]}`)},
		{"json untyped floats", mediaJSON, rep(other+`[`, `.5,`[1:]+"", `0]}`)},
		{"json untyped arrays", mediaJSON, rep(other+`[`, `[],`, `0]}`)},
		{"json untyped objects", mediaJSON, rep(other+`[`, `{},`, `0]}`)},
		{"json untyped nested", mediaJSON, rep(other+`[`, `{"a":[0]},`, `0]}`)},
		{"json untyped keys", mediaJSON, other + "{" + keys(n/10, ":1") + "}}"},
		{"json untyped same keys", mediaJSON, rep(other+`{`, `"a":1,`, `"b":1}}`)},
		{"json escapes", mediaJSON, rep(other+`"`, `\n`, `"}`)},
		{"yaml seq", mediaYAML, rep("kind: Order\napiVersion: workshop.example.com/v1\nspec:\n  lines:\n", "  - {}\n", "")},
		{"yaml seq anchored", mediaYAML, rep("kind: Order\napiVersion: workshop.example.com/v1\nspec:\n  customer: &a c\n  lines: [", "{},", "{}]\n")},
		{"yaml untyped flow", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\nx: [", "a,", "a]\n")},
		{"yaml untyped flow anchored", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx: [", "a,", "a]\n")},
		{"yaml untyped block anchored", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx:\n", "- a\n", "- a\n")},
		{"yaml dashes", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx:\n", "-\n", "- a\n")},
		{"yaml brackets", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx: [", "[],", "[]]\n")},
		{"yaml anchors", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\nx: [", "&a a,", "a]\n")},
		{"yaml aliases", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx: [", "*a ,", "a]\n")},
		{"yaml pairs", mediaYAML, rep("kind: Other\napiVersion: example.com/v1\ny: &a c\nx: [", "a: b,", "a]\n")},
		{"cbor lines", mediaCBOR, arr(cborHead+"\x64spec\xa1\x65lines", 0x9a, "\xa0")},
		{"cbor strict lines indefinite", mediaCBOR, rep(cborHead+"\x64spec\xa1\x65lines\x9f", "\xa0", "\xff")},
		{"cbor conditions", mediaCBOR, arr(cborHead+"\x66status\xa1\x6aconditions", 0x9a, "\xa0")},
		{"cbor tags", mediaCBOR, arr(cborHead+"\x64spec\xa1\x64tags", 0x9a, "\x60")},
		{"cbor untyped", mediaCBOR, arr(cborOther, 0x9a, "\x00")},
		{"cbor untyped empty", mediaCBOR, arr(cborOther, 0x9a, "\xa0")},
		{"cbor untyped indefinite", mediaCBOR, rep(cborOther+"\x9f", "\x9f\xff", "\xff")},
		{"cbor promised", mediaCBOR, cborOther + "\x9b\x00\x00\xff\xff\xff\xff\xff\xff" + strings.Repeat("\x00", n)},
		{"proto lines", mediaProtobuf, pb("\x12" + uvs(strings.Repeat("\x2a\x00", n/2)))},
		{"proto conditions", mediaProtobuf, pb("\x1a" + uvs(strings.Repeat("\x1a\x00", n/2)))},
		{"proto tags", mediaProtobuf, pb("\x12" + uvs(strings.Repeat("\x3a\x00", n/2)))},
		{"proto map", mediaProtobuf, pb("\x12" + uvs(strings.Repeat("\x52\x00", n/2)))},
		{"proto unknown", mediaProtobuf, pb(strings.Repeat("\x50\x00", n/2))},
	} {
		for _, strict := range []serializer.Strictness{serializer.Ignore, serializer.Fail} {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			_, err := f.Decode([]byte(c.data), serializer.DecodeOptions{MediaType: c.mediaType, Unknown: untypedKind, Strictness: strict})
			goruntime.ReadMemStats(&after)
			// A first MiB is free for the lists of typed objects, and what grows into it is copied.
			got := (float64(after.TotalAlloc-before.TotalAlloc) - 3<<20) / float64(len(c.data))
			if got > most[c.mediaType] {
				t.Errorf("%s, strictness %d: %.1f bytes are allocated for each byte of the input, want at most %.0f (error %v)", c.name, strict, got, most[c.mediaType], err)
			}
		}
	}
	// Twice the size of the limit of memory is refused in every format.
	for _, mediaType := range mediaTypes {
		data := encoded(t, f, mediaType, orderWith(func(s *workshop.OrderSpec) { s.Lines = make([]workshop.Line, 1<<15) }))
		decode := func(l schema.Limits) error {
			_, err := f.Decode(data, serializer.DecodeOptions{MediaType: mediaType, Limits: l})
			return err
		}
		if err := decode(schema.Limits{}); err != nil {
			t.Errorf("%s: %v", mediaType, err)
		}
		exceeded(t, decode(schema.Limits{Memory: 1}), "Memory", 1)
	}
}

func uv(n int) string     { return string(binary.AppendUvarint(nil, uint64(n))) }
func uvs(s string) string { return uv(len(s)) + s }
func keys(n int, v string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for x := i; ; x /= 64 {
			b.WriteByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"[x%64])
			if x < 64 {
				break
			}
		}
		b.WriteString(`"` + v)
	}
	return b.String()
}
