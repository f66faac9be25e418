package yaml

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/askind/askind/internal/rounds"
)

// TestLineMarks compares the search for the next mark with a scan of each line.
func TestLineMarks(t *testing.T) {
	t.Parallel()
	plainly := func(text []byte, i int) int {
		for i < len(text) {
			line, next := lineAt(text, i)
			if body := bytes.TrimPrefix(line, byteOrderMark); bytes.HasPrefix(body, []byte("---")) ||
				bytes.HasPrefix(body, []byte("...")) {
				return i
			}
			i = next
		}
		return len(text)
	}
	random := rand.New(rand.NewPCG(8, 9))
	pieces := []string{"-", "--", "---", ".", "...", "x", " ", "\n", "\n", "\r", "\r\n", "\ufeff", "---\n"}
	found := 0
	for range rounds.Of(20_000) {
		var text []byte
		for range random.IntN(16) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		m := lineMarks{hyphens: -1, dots: -1}
		for i := 0; i < len(text); {
			got, want := m.next(text, i), plainly(text, i)
			if got != want {
				t.Fatalf("%q from %d on: the next mark is at %d, want %d", text, i, got, want)
			}
			if got == len(text) {
				break
			}
			found++
			_, i = lineAt(text, got)
		}
	}
	if found < rounds.Of(1000) {
		t.Errorf("there were only %d marks", found)
	}
}
