package validation_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/meta/validation"
)

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	for _, c := range []struct {
		rule   string
		check  func(string) []string
		admits []string
		not    []string
	}{
		{
			"DNSSubdomain", func(s string) []string { return validation.DNSSubdomain(s, false) },
			[]string{"a", "web-1", "a.b-c.d", "0", long, strings.Repeat("a.", 126) + "a"},
			[]string{
				"", "A", "-a", "a-", "a..b", ".a", "a.", "a_b", "a/b", "a%2fb", "ä", "a b", "a\n",
				strings.Repeat("a.", 127) + "a",
			},
		},
		{
			"DNSSubdomain of a prefix", func(s string) []string { return validation.DNSSubdomain(s, true) },
			[]string{"web-", "web", "web--"},
			[]string{"-", "Web-", "web_-", "web."},
		},
		{
			"DNSLabel", func(s string) []string { return validation.DNSLabel(s, false) },
			[]string{"default", "a-1"},
			[]string{"", "a.b", long, "-", "Default"},
		},
		{
			"PathSegment", func(s string) []string { return validation.PathSegment(s, false) },
			[]string{"system:user", "A b", "..."},
			[]string{"", ".", "..", "a/b", "a%b"},
		},
		{
			"QualifiedName", validation.QualifiedName,
			[]string{"app", "A_b.c", "example.com/app", "a/b"},
			[]string{"", "/app", "a/", "a/b/c", "Example.com/app", "_a", "a_", long, "a b"},
		},
		{
			"LabelValue", validation.LabelValue,
			[]string{"", "a", "A_1.b"},
			[]string{"-", "a b", ".a", long},
		},
	} {
		for _, s := range c.admits {
			if reason := c.check(s); len(reason) > 0 {
				t.Errorf("%s of %q: %s", c.rule, s, reason)
			}
		}
		for _, s := range c.not {
			if len(c.check(s)) == 0 {
				t.Errorf("%s admits %q", c.rule, s)
			}
		}
	}
}
