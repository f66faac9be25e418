package jsonwire

import (
	"strings"
	"testing"
)

func TestChunkSizes(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name               string
		made, hint         int
		n, remaining, size int
	}{
		{name: "small text", n: 10, remaining: 100, size: 60},
		{name: "long text", n: 10, remaining: 1 << 20, size: maxChunk},
		{name: "the end of a text", n: 10, remaining: 10, size: 15},
		{name: "first block of an item", hint: 700, n: 10, remaining: 1 << 20, size: 700},
		{name: "first block of the last item", hint: 700, n: 10, remaining: 100, size: 60},
		{name: "an item that outgrows its block", made: 700, hint: 700, n: 10, remaining: 1 << 20, size: 700},
		{name: "a string longer than the hint", hint: 64, n: 200, remaining: 1 << 20, size: 200},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := chunk{made: row.made, hint: row.hint}
			c.grow(row.n, row.remaining)
			if len(c.buf) != row.size {
				t.Errorf("got %d bytes, want %d", len(c.buf), row.size)
			}
		})
	}
}

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
				if len(r.text.buf) > maxChunk {
					t.Fatalf("a chunk of %d bytes", len(r.text.buf))
				}
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
	t.Parallel()
	r := NewReader([]byte(`["abcdefghijkl","abcdefghijkl","abcdefghijkl"]`), Options{})
	r.Array()
	_ = r.String("")
	if len(r.text.buf) == 0 {
		t.Error("the first string has no chunk")
	}
	r.NextElem()
	r.Item()
	if r.text.buf != nil {
		t.Error("the chunk goes on after Item")
	}
	_ = r.String("")
	r.NextElem()
	r.Item()
	if r.text.hint != minChunk {
		t.Errorf("hint %d, want %d", r.text.hint, minChunk)
	}
}
