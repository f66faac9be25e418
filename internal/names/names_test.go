package names_test

import (
	"testing"

	"github.com/askind/askind/internal/names"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text                   string
		label, subdomain, word bool
	}{
		{"", false, false, false},
		{"a", true, true, true},
		{"web-1", true, true, true},
		{"1", true, true, true},
		{"Web", false, false, true},
		{"web.example.com", false, true, true},
		{"web..com", false, false, true},
		{".com", false, false, false},
		{"com.", false, false, false},
		{"-a", false, false, false},
		{"a-", false, false, false},
		{"a.-b", false, false, true},
		{"a_b", false, false, true},
		{"_a", false, false, false},
		{"a/b", false, false, false},
		{"ä", false, false, false},
		{"\u212a", false, false, false}, // its lower case is k
	} {
		if got := names.IsLabel(c.text); got != c.label {
			t.Errorf("IsLabel(%q) = %v", c.text, got)
		}
		if got := names.IsSubdomain(c.text); got != c.subdomain {
			t.Errorf("IsSubdomain(%q) = %v", c.text, got)
		}
		if got := names.IsWord(c.text); got != c.word {
			t.Errorf("IsWord(%q) = %v", c.text, got)
		}
	}
}
