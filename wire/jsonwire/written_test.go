package jsonwire

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askind/askind/internal/rounds"
)

// TestWritten compares the pass that copies a text as it is with the one that looks at everything,
// on texts with all sorts of small damage.
func TestWritten(t *testing.T) {
	t.Parallel()
	written := 0
	check := func(text []byte) {
		t.Helper()
		if !isWritten(text) {
			return
		}
		written++
		if got, err := appendCompactSlow(nil, text, true); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%q is taken for written, but is written as %q, %v", text, got, err)
		}
		if got, err := appendCompactSlow(nil, text, false); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%q is taken for compact, but is %q, %v", text, got, err)
		}
	}
	texts := []string{
		`{"f:metadata":{"f:labels":{".":{},"f:app":{}},"f:ownerReferences":{"k:{\"uid\":\"5a9a0c2e\"}":{}}},"f:spec":[{},[],[1,-2.5e+10,true,false,null]]}`,
		`[]`, `{}`, `"a string of some length without anything special"`, `"a\"b\\c\nd"`, `0`, `-0.5`, `1e9`, `true`,
		`false`, `null`, `[[[]],[{}]]`,
		`{"a":"<"}`, `{"a":"é"}`, `{"a":"\u003c"}`, "{\"a\":\"\u2028\"}", `{"a" :1}`, ` {}`, `{} `, `{"a":1,}`, `[1,]`,
		`{,}`, `{"a"}`, `[1 2]`, `tru`, `nul`, `fals`, `"`, `"\`, `{"`, `01`, `-`, ``,
		strings.Repeat(`[`, 64) + strings.Repeat(`]`, 64), strings.Repeat(`{"a":`, 64) + `1` +
			strings.Repeat(`}`, 64), strings.Repeat(`{"a":[`, 40) + strings.Repeat(`]}`, 40),
		strings.Repeat(`{"a":`, 63) + `{}` + strings.Repeat(`}`, 63), strings.Repeat(`[`, 10001) +
			strings.Repeat(`]`, 10001),
	}
	random := rand.New(rand.NewPCG(1, 2))
	const bytesOfJSON = "{}[]\",:\\ \n<&0123456789eE+-.truefalsn\x00\x7f\x80\xe2é"
	for _, s := range texts {
		check([]byte(s))
		if len(s) > 1000 {
			continue
		}
		for range 5000 {
			text := []byte(s)
			for range 1 + random.IntN(2) {
				i := random.IntN(len(text) + 1)
				c := bytesOfJSON[random.IntN(len(bytesOfJSON))]
				switch random.IntN(3) {
				case 0:
					text = append(text[:i:i], text[min(i+1, len(text)):]...)
				case 1:
					text = append(append(text[:i:i], c), text[i:]...)
				default:
					if i < len(text) {
						text[i] = c
					}
				}
			}
			check(text)
		}
	}
	if written < 5000 {
		t.Errorf("only %d texts are taken for written", written)
	}
}

// TestWrittenBrackets checks that brackets are matched however deep the text is: the outermost one
// is closed by its own kind.
func TestWrittenBrackets(t *testing.T) {
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

// TestWrittenTakesAllCleanBytes checks that no byte that needs no escape sends a text the slow way,
// wherever in a string it stands.
func TestWrittenTakesAllCleanBytes(t *testing.T) {
	t.Parallel()
	for c := range 0x80 {
		if !isHTMLClean(byte(c)) {
			continue
		}
		for at := range 20 {
			name := []byte(strings.Repeat("n", 20))
			name[at] = byte(c)
			for _, text := range []string{`{"` + string(name) + `":{},"a":{"` + string(name) + `":"` + string(name) +
				`"}}`, `"` + string(name[:at+1]) + `"`} {
				if !isWritten([]byte(text)) {
					t.Errorf("byte %#x at %d: %s is not taken for written", c, at, text)
				}
			}
		}
	}
}
