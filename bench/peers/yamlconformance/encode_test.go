package yamlconformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	_ "k8s.io/api" // its module holds the golden files
	peer "sigs.k8s.io/yaml"

	"github.com/askind/askind/serializer/yaml"
)

// goldenFiles returns the files of one extension in the compatibility data of k8s.io/api.
func goldenFiles(tb testing.TB, ext string) []string {
	tb.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		tb.Fatalf("finding k8s.io/api: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "HEAD", "*."+ext))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no *.%s in the test data of k8s.io/api (%v)", ext, err)
	}
	return files
}

// TestGoldenEncode writes the JSON of every kind of k8s.io/api as YAML and compares it with the
// YAML that Kubernetes ships beside it.
func TestGoldenEncode(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t, "json") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, "json") + "yaml")
			if err != nil {
				t.Fatal(err)
			}
			got, err := yaml.FromJSON(nil, in)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("YAML differs from the golden file, first at\n%s", firstDifference(got, want))
			}
		})
	}
}

// firstDifference shows the lines where two texts begin to differ.
func firstDifference(got, want []byte) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	around := func(b []byte) string {
		return string(b[max(0, min(i, len(b))-80):min(len(b), i+80)])
	}
	return "got:  " + quote(around(got)) + "\nwant: " + quote(around(want))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// nasty are strings that YAML writers and readers get wrong.
var nasty = []string{
	"", " ", "  ", "a", " a", "a ", "a b", "\t", "a\tb", "\n", "\n\n", "a\n", "a\n\n", "\na", "a\nb", "a\nb\n", " a\nb",
	"a \nb", "a\n b", "a\n\nb\n\n\n", "\r", "a\r\nb", "a\n ",
	"true", "True", "yes", "Yes", "yEs", "no", "on", "OFF", "y", "n", "Y", "N", "null", "Null", "~", "~a", "nul",
	".inf", "-.inf", "+.INF", ".nan", ".NAN", ".x", ".5", ".5e3", ".", "..", "...", "...a",
	"0", "1", "-1", "+1", "+", "-", "--", "---", "---a", "- a", "-a", "?", "? a", "?a", ":", ": a", ":a", "a:", "a: b",
	"a:b", "a #b", "a#b", "#a", "a,b", ",a", "[a", "]", "{a}", "}", "&a", "*a", "!a", "|", ">", "'", "''", "a'b", "\"",
	"a\"b", "%a", "@a", "`a", "<<", "=", "\\", "a\\b",
	"1.5", "1.", "1e3", "1e400", "1E+2", "-1.5e-3", "0x1F", "0xZ", "0o17", "017", "089", "0b101", "0b2", "-0b1", "0b-1",
	"1_000", "1__0_", "_1", "-_1", "1_000.5_5", "0x_1F", "12345678901234567890", "123456789012345678901234567890",
	strings.Repeat("9", 400), "-0", "0.0", "1e", "1e+", "1.2.3", "10.0.0.1", "100m", "64Mi", "1Gi",
	"2020-01-02", "2020-1-2", "2020-01-02T03:04:05Z", "2020-01-02t03:04:05+01:00", "2020-01-02 03:04:05.123",
	"2020-13-45", "20200102", "2020-", "1:30", "1:60", "190:20:30.15", "+1:5", "1:5:", "12:34:56", "1_2:3", "::",
	"1:", "80:8080",
	"\x00", "\x01", "\a", "\b", "\v", "\f", "\x1b", "\x1f", "ü", "漢字", "😀", "\u00a0", "\u2028", "a\u2028b", "\u2028a",
	"a\u2028", "a\u2028\u2029b", "a \u2028b", "a\u2028 b", "\u2028\n", "a\n\u2028", "a\u2028\nb", "\ufeff", "\ufeffa b",
	"a\ufeff", "\ufffd", "\u200b", "e\u0301",
	"<b>&amp;</b>", "a: |", "key: value\nother: [1, 2]\n", "  indented\n", "#!/bin/sh\necho hi\n", "{{ .Values.x }}",
	"{\"a\": 1}\n",
	strings.Repeat("a", 200), strings.Repeat("a ", 100), strings.Repeat("word ", 60) + "end", "'" +
		strings.Repeat("word ", 60) + "end", "- " + strings.Repeat("it's  two ", 40), "true " + strings.Repeat("ü ",
		90), "\t" + strings.Repeat("tab  and  spaces ", 20), strings.Repeat("漢字 ", 60), "\U0001F600" +
		strings.Repeat(" smile", 40) + " ", strings.Repeat("x", 79) + " y z", strings.Repeat("x", 81) +
		"  y  z w", strings.Repeat("x", 128), strings.Repeat("x", 129), strings.Repeat("ü", 64) +
		"a", strings.Repeat("ü", 64),
	strings.Repeat("line with words that go on and on and on and on and on and on and on and on and on\n", 3),
}

// alphabet is what random strings are made of.
var alphabet = []string{
	"a", "b", "Z", "0", "1", "9", "_", "-", "+", ".", ":", " ", " ", "  ", "#", "'", "\"", "\\",
	"\n", "\n", ",", "[", "]", "{", "}", "&", "*", "!", "|", ">", "%", "@", "`", "?", "~", "=", "<", "e", "x", "T", "ü",
	"漢", "😀", "\t", "\u2028", "\u00a0", "word ", "word ", "longer-word ", "true", "null", "2020-01-02",
}

func randomString(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return nasty[r.IntN(len(nasty))]
	case 1:
		const letters = "abcdefghijklmnopqrstuvwxyzABC0123456789-./"
		b := make([]byte, 1+r.IntN(12))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	var b strings.Builder
	n := r.IntN(6)
	if r.IntN(8) == 0 {
		n = r.IntN(120)
	}
	for range n {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	n := 10
	if depth <= 0 {
		n = 7
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number([]string{
			"0", "-1", "1.5", "1e3", "1E+21", "1e-7", "0.000001", "123456789012345678",
			"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
			"-9223372036854775808", "100000000000000000000000", "-0", "-0.0", "1.0", "3.141592653589793", "5e-324",
			"1e400", "0.1",
		}[r.IntN(21)])
	case 3, 4, 5, 6:
		return randomString(r)
	case 7, 8:
		m := map[string]any{}
		for range r.IntN(5) {
			if key := randomString(r); key != "<<" {
				m[key] = randomValue(r, depth-1)
			}
		}
		return m
	default:
		l := []any{}
		for range r.IntN(4) {
			l = append(l, randomValue(r, depth-1))
		}
		return l
	}
}

// undecided reports whether the peer writes a text in several ways. It compares keys in a way that
// is not an order for some of them, such as 190, 1E and 8p, each of which comes before the next one
// and the last before the first; what it makes of them changes from call to call.
func undecided(in, first []byte) bool {
	for range 50 {
		if again, err := peer.JSONToYAML(in); err != nil || !bytes.Equal(again, first) {
			return true
		}
	}
	return false
}

// compare writes v with both libraries.
func compare(t *testing.T, v any) {
	t.Helper()
	in, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	want, err := peer.JSONToYAML(in)
	if err != nil {
		return // the peer refuses some JSON that is valid
	}
	got, err := yaml.FromJSON(nil, in)
	if err != nil {
		t.Fatalf("FromJSON(%s): %v", in, err)
	}
	if !bytes.Equal(got, want) && !undecided(in, want) {
		t.Errorf("FromJSON(%.2000s)\n%s", in, firstDifference(got, want))
	}
}

// TestNastyStrings writes each string as a document, a value, a key and an element, also deeply
// nested.
func TestNastyStrings(t *testing.T) {
	t.Parallel()
	for _, s := range nasty {
		if s == "<<" {
			continue // the peer writes a key that it reads as a merge
		}
		deep := any(s)
		for range 45 {
			deep = map[string]any{"k": deep}
		}
		for _, v := range []any{
			s,
			map[string]any{"k": s},
			map[string]any{s: "v"},
			map[string]any{s: map[string]any{s: s}},
			map[string]any{s: []any{s, s}},
			[]any{
				s,
				[]any{s},
				map[string]any{s: s},
			},
			deep,
		} {
			compare(t, v)
		}
	}
}

func TestRandomTrees(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 20000 {
		compare(t, randomValue(r, 4))
		if t.Failed() {
			return
		}
	}
}

// TestLargeIntegers writes integers that lose digits in the peer and keep them here.
func TestLargeIntegers(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"-9223372036854775809", "18446744073709551617", "123456789012345678901234567890"} {
		in := `{"a":` + n + `}`
		got, err := yaml.FromJSON(nil, []byte(in))
		if err != nil || string(got) != "a: "+n+"\n" {
			t.Errorf("FromJSON(%s): %s, %v", in, got, err)
		}
		if peers, err := peer.JSONToYAML([]byte(in)); err != nil || bytes.Contains(peers, []byte(n)) {
			t.Errorf("the peer writes %s as %s, %v: it is no difference any more", in, peers, err)
		}
	}
}

// TestKeyOrder compares the order of keys where the peer's is one.
func TestKeyOrder(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	alphabet := []string{"a", "b", "B", "-", ".", "/", "_", "0", "1", "2", "9", "10", "ü", "٣"}
	key := func() string {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	for range 20000 {
		compare(t, map[string]any{key(): 1, key(): 2})
	}
}

// TestFolding compares texts of all styles that end near the width at which lines are broken.
func TestFolding(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	pieces := [][]string{
		{"word", "a", " ", " ", "  ", "ü", "x1"},
		{"it's", "'", " ", "  ", "a", "ü", "''"},
		{"- ", "a: b", " #", " ", "'", "word", "\u2028"},
		{"\t", "a", " ", "  ", "\"", "\\", "ü", "\x01"},
	}
	for range 20000 {
		var b strings.Builder
		alphabet := pieces[r.IntN(len(pieces))]
		for least := 60 + r.IntN(130); b.Len() < least; {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		compare(t, []any{b.String()})
		compare(t, map[string]any{"key": []any{map[string]any{"deeper": b.String()}}})
	}
}

func FuzzFromJSON(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || s == "<<" || strings.Contains(s, "\u0085") {
			return // the peer loses U+0085 when it reads its own JSON as YAML
		}
		compare(t, map[string]any{s: s})
		compare(t, []any{s})
	})
}
