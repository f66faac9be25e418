package yaml

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/internal/rounds"
)

// TestWordsAgree checks that the short ways to a style say what the long ones say, for random texts
// out of the pieces that matter.
func TestWordsAgree(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "f", "n", "y", "on", "no", "true", "null", "e", "x", "0", "1", "28", "29", "31", "59", "60", "2024", "-",
		"--", ":", ": ", " ", "  ", "#", " #", "\n", "\t",
		"'", "\"", "\\", "{", "}", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?", "~", ".", "...", "é", "\u2028",
		"\u0085", "\x00", "\xff", "T", "Z", "<<",
	}
	random := rand.New(rand.NewPCG(1, 2))
	words := 0
	for range rounds.Of(200_000) {
		var s []byte
		for range 1 + random.IntN(5) {
			s = append(s, pieces[random.IntN(len(pieces))]...)
		}
		// On the way through a text in JSON, the same is found out about strings without escapes.
		in := text{json: []byte(`"` + string(s) + `"`)}
		if read, word, err := in.str(); err == nil && bytes.Equal(read, s) && word != isWord(s) {
			t.Fatalf("%q is a word: %v, in JSON: %v", s, isWord(s), word)
		}
		if !isWord(s) {
			continue
		}
		words++
		want := traits{plain: true, single: true, block: true}
		if got := analyze(s); got != want || ambiguous(s) || bytes.IndexByte(s, '\n') >= 0 {
			t.Fatalf("%q is taken for a word: %+v, ambiguous: %v", s, got, ambiguous(s))
		}
	}
	if words < rounds.Of(10_000) {
		t.Errorf("only %d words were tried", words)
	}
}

// isWord reports what [text.str] finds out about a string without escapes on the way: the text
// begins with a letter, has no line breaks and no special characters of YAML, and is not a reserved
// word.
func isWord(s []byte) bool {
	if !isLetter(s[0]) || len(s) <= 5 && reserved(s) {
		return false
	}
	last := len(s) - 1
	for i, c := range s {
		if !plainBytes[c] && (c != ' ' && c != ':' || i == last || !plainBytes[s[i+1]]) {
			return false
		}
	}
	return true
}

func TestInstantsAgree(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	instants := 0
	for range rounds.Of(100_000) {
		s := []byte("2024-06-15T12:30:45Z")
		for range random.IntN(4) {
			s[random.IntN(len(s))] = "0123456789-:TZ "[random.IntN(15)]
		}
		if !isInstant(s) {
			continue
		}
		instants++
		if !isDate(s) {
			t.Fatalf("%q is taken for a time", s)
		}
	}
	if instants < rounds.Of(10_000) {
		t.Errorf("only %d times were tried", instants)
	}
	for _, s := range []string{
		"2024-00-15T12:30:45Z", "2024-13-15T12:30:45Z", "2024-06-00T12:30:45Z",
		"2024-06-31T12:30:45Z", "2024-06-15T24:30:45Z", "2024-06-15T12:60:45Z", "2024-06-15T12:30:45",
	} {
		if isInstant([]byte(s)) {
			t.Errorf("%q is taken for a time", s)
		}
	}
}

// TestNumbersAgree checks that what is refused before the parser sees it is what the parser
// refuses.
func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"0", "00", "1", "9", "12", ".", "+", "-", "_", "e", "E", "e5", "0x", "0X", "0b", "0o", "a", "b",
		"d", "f", "o", "x", "i", "n", "t",
	}
	random := rand.New(rand.NewPCG(5, 6))
	numbers := 0
	for range rounds.Of(200_000) {
		var s []byte
		for range 1 + random.IntN(5) {
			s = append(s, pieces[random.IntN(len(pieces))]...)
		}
		if !isDigit(s[0]) && s[0] != '+' && s[0] != '-' {
			continue
		}
		text := strings.ReplaceAll(string(s), "_", "")
		_, integer := strconv.ParseInt(text, 0, 64)
		_, natural := strconv.ParseUint(text, 0, 64)
		_, float := strconv.ParseFloat(text, 64)
		want := integer == nil || natural == nil || float == nil && isFloat([]byte(text))
		if digits, ok := strings.CutPrefix(text, "0b"); ok { // where readers of YAML take a sign behind the prefix
			_, err := strconv.ParseInt(digits, 2, 64)
			want = want || err == nil
		}
		if len(s) == 1 && !isDigit(s[0]) {
			want = false
		}
		got := isNumber(s)
		if got {
			numbers++
		}
		if got != want {
			t.Fatalf("%q is a number: %v, want %v", s, got, want)
		}
	}
	if numbers < rounds.Of(10_000) {
		t.Errorf("only %d numbers were tried", numbers)
	}
}

// TestNumberTime checks that the time to find out whether a text is a number does not grow with the
// number of its signs times that of its letters.
func TestNumberTime(t *testing.T) {
	t.Parallel()
	const n = 1 << 19
	text := []byte("-" + strings.Repeat("_", n) + "0" + strings.Repeat("a", n))
	took := cputime.Of(func() {
		if st, _ := choose(text, false); st != plain {
			t.Errorf("got the style %v, want a plain scalar", st)
		}
	})
	if took > 5*time.Second { // comparing the signs anew for each letter takes minutes
		t.Errorf("took %v", took)
	}
}
