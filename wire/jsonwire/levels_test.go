package jsonwire

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askind/askind/internal/rounds"
)

// TestRawBrackets checks that brackets are matched however deep the text is: the outermost one
// is closed by its own kind.
func TestRawBrackets(t *testing.T) {
	t.Parallel()
	for depth := 62; depth <= 66; depth++ {
		for open, end := range map[string]string{"[": "]", `{"a":`: "}"} {
			inner := strings.Repeat(open, depth) + "1" + strings.Repeat(end, depth-1)
			if got, err := AppendRaw(nil, []byte(inner+end)); err != nil || string(got) != inner+end {
				t.Errorf("%d times %s: %v", depth, open, err)
			}
			other := strings.Trim("]}", end)
			if got, err := AppendRaw(nil, []byte(inner+other)); err == nil {
				t.Errorf("%d times %s, closed by %s, is taken for valid: %s", depth, open, other, got)
			}
		}
	}
}

// TestLevels compares the bits of a scan with a plain stack, across the borders of words.
func TestLevels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var in levels
	stack := []bool{false}
	for range rounds.Of(100_000) {
		if up := len(stack) == 1 || random.IntN(100) < 50 && len(stack) < 300; up {
			object := random.IntN(2) == 0
			in.push(object)
			stack = append(stack, object)
		} else {
			in.pop()
			stack = stack[:len(stack)-1]
		}
		if in.object != stack[len(stack)-1] || in.depth != len(stack)-1 {
			t.Fatalf("object %v at depth %d, want %v at %d", in.object, in.depth, stack[len(stack)-1], len(stack)-1)
		}
	}
}
