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

// TestFigures holds that the README repeats the measured figures of docs/beside-apiserver.md.
func TestFigures(t *testing.T) {
	t.Parallel()
	rows := func(page string) map[string][]string {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]string{}
		for line := range strings.Lines(string(data)) {
			if cells := strings.Split(line, "|"); len(cells) > 3 {
				out[strings.TrimSpace(cells[1])] = cells[2:]
			}
		}
		return out
	}
	shown, measured := rows("README.md"), rows("docs/beside-apiserver.md")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	intro, _, _ := strings.Cut(strings.Join(strings.Fields(string(text)), " "), "## ")
	modules := strings.TrimSpace(measured["modules in the binary, sample-apiserver without etcd"][1])
	size := strings.TrimSpace(measured["binary without symbols, sample-apiserver without etcd"][1])
	whole := regexp.MustCompile(`\.\d+ `).ReplaceAllString(size, " ")
	if want := "links " + modules + " modules into " + whole; !strings.Contains(intro, want) {
		t.Errorf("the introduction does not say: %s", want)
	}
	for in, from := range map[string]string{
		"lines of code, without the types of two kinds": "lines of code written by hand, beside the types",
		"modules in the binary":                         "modules in the binary, sample-apiserver without etcd",
		"binary":                                        "binary without symbols, sample-apiserver without etcd",
		"start until the first answer, processor time":  "start until the first list is answered, CPU",
		"memory, idle":                                  "resident memory, idle",
		"a write until a watch has it":                  "write until a watch has it, time",
	} {
		got, want := shown[in], measured[from]
		if got == nil || want == nil {
			t.Errorf("a page has no row %q or %q", in, from)
			continue
		}
		for i := range 2 {
			figure, _, _ := strings.Cut(got[i], ",") // and what it needs
			if strings.TrimSpace(figure) != strings.TrimSpace(want[i]) {
				t.Errorf("%s: the README has %q, the measurement %q", in, figure, want[i])
			}
		}
	}
}
