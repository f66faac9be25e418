package client_test

import (
	"bytes"
	"testing"

	"github.com/askind/askind/client"
)

// TestPrintable checks that no control character reaches a terminal, however a text is divided
// among writes, and that all else is unchanged.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb\n":                       "a\tb\n",
		"\x1b[31mred\x07\x00\x7f":      `\u001b[31mred\u0007\u0000\u007f`,
		"\u009b2J é 世界 \u202e":         `\u009b2J é 世界 ` + "\u202e",
		"good\rbad\r\n":                "goodbad\n",
		"\x9b2J\xc2":                   "\ufffd2J",
		`{"a":"` + "\u0085\x7f" + `"}`: `{"a":"\u0085\u007f"}`,
	} {
		for _, size := range []int{1, 2, 100} {
			var out bytes.Buffer
			w := client.Printable(&out)
			for rest := []byte(in); len(rest) > 0; {
				n, err := w.Write(rest[:min(size, len(rest))])
				if err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
				rest = rest[n:]
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", in, size, out.String(), want)
			}
		}
	}
}
