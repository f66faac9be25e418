package schema_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askind/askind/schema"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcdef", 5, "ab…"},
		{"äöüäöü", 6, "ä…"},
		{"abc", 0, "…"},
	} {
		if got := schema.Shorten(tt.text, tt.most); got != tt.want || !utf8.ValidString(got) {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	if got := schema.Quote(strings.Repeat("x", 1<<20)); len(got) > 300 || !strings.HasSuffix(got, `…"`) {
		t.Errorf("got %d bytes", len(got))
	}
	if name := strings.Repeat("x", 253); schema.Quote(name) != `"`+name+`"` {
		t.Error("the name of an object is cut")
	}
}
