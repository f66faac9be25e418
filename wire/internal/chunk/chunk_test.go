package chunk

import (
	"strings"
	"testing"

	"github.com/askind/askind/internal/plain"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name              string
		made, hint        int
		n, expected, size int
	}{
		{name: "little is expected", n: 10, expected: 50, size: 60},
		{name: "much is expected", n: 10, expected: 1 << 19, size: maxChunk},
		{name: "nothing is expected", n: 10, expected: 0, size: 10},
		{name: "first block of an item", hint: 700, n: 10, expected: 1 << 19, size: 700},
		{name: "first block of the last item", hint: 700, n: 10, expected: 50, size: 60},
		{name: "an item that outgrows its block", made: 700, hint: 700, n: 10, expected: 1 << 19, size: 700},
		{name: "a string longer than the hint", hint: 64, n: 200, expected: 1 << 19, size: 200},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := Chunk{made: row.made, hint: row.hint}
			c.grow(row.n, row.expected)
			if len(c.Buf) != row.size {
				t.Errorf("got %d bytes, want %d", len(c.Buf), row.size)
			}
		})
	}
}

func TestStringsStay(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		for _, items := range []bool{false, true} {
			c := Chunk{Off: off}
			var got, want []string
			scratch := make([]byte, 0, 300)
			for i := range 2000 {
				if items {
					c.Item()
				}
				scratch = scratch[:i%300]
				for j := range scratch {
					scratch[j] = byte('a' + i%26)
				}
				got, want = append(got, c.Keep(scratch, 1<<20)), append(want,
					strings.Repeat(string(rune('a'+i%26)), i%300))
				if len(c.Buf) > maxChunk {
					t.Fatalf("a chunk of %d bytes", len(c.Buf))
				}
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("string %d: got %q, want %q", i, got[i], want[i])
				}
			}
		}
	}
}

func TestItemEndsChunk(t *testing.T) {
	if plain.Enabled {
		t.Skip("values do not share memory")
	}
	t.Parallel()
	var c Chunk
	_ = c.Keep([]byte("abcdefghijkl"), 100)
	if len(c.Buf) != 112 {
		t.Errorf("a chunk of %d bytes", len(c.Buf))
	}
	c.Item()
	if c.Buf != nil || c.hint != firstItem {
		t.Errorf("after Item: %+v", c)
	}
	_ = c.Keep([]byte("abcdefghijkl"), 100)
	c.Item()
	if c.hint != minChunk {
		t.Errorf("hint %d, want %d", c.hint, minChunk)
	}
}
