package askind_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks checks that what the pages in Markdown link to in this repository is there, pictures
// and headings included.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "README.md", "CONTRIBUTING.md")
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	checked := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			to := page
			if target != "" {
				to = path.Join(path.Dir(filepath.ToSlash(page)), target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
				continue
			}
			if fragment == "" || path.Ext(to) != ".md" {
				continue
			}
			other, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if !hasHeading(string(other), fragment) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// hasHeading reports whether a page has a heading with an anchor.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		title = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")
		if regexp.MustCompile("[^a-z0-9_-]").ReplaceAllString(title, "") == anchor {
			return true
		}
	}
	return false
}
