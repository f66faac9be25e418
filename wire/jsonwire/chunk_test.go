package jsonwire

import (
	"strings"
	"testing"

	plainbuild "github.com/askind/askind/internal/plain"
)

func TestChunkStringsStay(t *testing.T) {
	t.Parallel()
	var texts []string
	var b strings.Builder
	b.WriteByte('[')
	for i := range 2000 {
		s := strings.Repeat(string(rune('a'+i%26)), i%300)
		texts = append(texts, s)
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + s + `"`)
	}
	b.WriteByte(']')
	for _, o := range []Options{{}, {Apart: true}} {
		for _, items := range []bool{false, true} {
			r := NewReader([]byte(b.String()), o)
			var got []string
			for more := r.Array(); more; more = r.NextElem() {
				if items {
					r.Item()
				}
				got = append(got, r.String(""))
			}
			r.End()
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			for i := range texts {
				if got[i] != texts[i] {
					t.Fatalf("string %d: got %q, want %q", i, got[i], texts[i])
				}
			}
		}
	}
}

func TestItemEndsChunk(t *testing.T) {
	if plainbuild.Enabled {
		t.Skip("values do not share memory")
	}
	t.Parallel()
	r := NewReader([]byte(`["abcdefghijkl","abcdefghijkl"]`), Options{})
	r.Array()
	_ = r.String("")
	if len(r.text.Buf) == 0 {
		t.Error("the first string has no chunk")
	}
	r.NextElem()
	r.Item()
	if r.text.Buf != nil {
		t.Error("the chunk goes on after Item")
	}
}
