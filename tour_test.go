package askind_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestPages follows pages literally: it writes the files, runs the commands, and compares what the
// servers and kubectl answer.
func TestPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs in modules of their own")
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("needs kubectl")
	}
	for _, p := range []struct {
		page, section, name string
		answers             int // how many of kubectl's are compared
	}{
		{"docs/tour.md", "# ", "garage", 6},
		{"README.md", "## A project in one command", "garage", 1},
		{"docs/from-kubebuilder.md", "# ", "memcached", 3},
		{"docs/from-crd.md", "# ", "home", 3},
	} {
		t.Run(p.page+" "+strings.TrimLeft(p.section, "# "), func(t *testing.T) {
			t.Parallel()
			follow(t, p.page, p.section, p.name, p.answers)
		})
	}
}

// follow follows a section of a page, in a module of a name.
func follow(t *testing.T, page, section, name string, answers int) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(text), section)
	if !found {
		t.Fatalf("%s has no section %q", page, section)
	}
	if strings.HasPrefix(section, "## ") {
		body, _, _ = strings.Cut(body, "\n## ")
	}
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	tour.Page{Text: body, Name: name, Checkout: checkout, Answers: answers}.Follow(t)
}

// TestTwoCommands runs the first two commands of the README and compares what they print.
func TestTwoCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("needs kubectl")
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Two commands")
	section, _, _ = strings.Cut(section, "\n## ")
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	tour.Page{Text: section, Name: "fleet", Checkout: checkout, Answers: 1}.Follow(t)
}
