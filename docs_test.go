package askind_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/internal/tour"
)

// TestConversionsPage checks that what docs/conversions.md shows of the example is what the example
// has.
func TestConversionsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/conversions.md")
	if err != nil {
		t.Fatal(err)
	}
	explained, err := codegen.Explain(codegen.Config{Patterns: []string{"./examples/fleet/..."}}, "v1beta1.Machine",
		"v1.Machine")
	if err != nil || !explained.Complete {
		t.Fatal(err)
	}
	record, err := os.ReadFile("examples/fleet/api/fleet/v1beta1/" + codegen.LossesName)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("examples/fleet/api/fleet/v1beta1/types_machine.go")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, b := range tour.Blocks(string(page)) {
		where := ""
		switch {
		case strings.HasPrefix(b.Text, "v1beta1 "):
			where = explained.Text
		case b.Language == "text":
			where = string(record)
		case strings.Contains(b.Text, "FirmwareURL"):
			where = string(source)
		default:
			continue
		}
		for line := range strings.Lines(b.Text) {
			compared++
			// The columns of a table are as wide as the table as a whole needs.
			if !strings.Contains(strings.Join(strings.Fields(where), " "), strings.Join(strings.Fields(line), " ")) {
				t.Errorf("the page shows %q, which is not so", line)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d lines were compared", compared)
	}
}

// TestPackagesInOrder checks that docs/architecture.md lists every package, or the folder that it
// is in, below those that it imports.
func TestPackagesInOrder(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	line := map[string]int{}
	for i, row := range strings.Split(table, "\n") {
		for j, name := range strings.Split(strings.Split(row, "|")[1], "`") {
			if j%2 == 1 {
				line[name] = i + 1
			}
		}
	}
	of := func(name string) int {
		for at := name; at != "."; at = path.Dir(at) {
			if i, ok := line[at]; ok {
				return i
			}
		}
		t.Errorf("the page does not list %s", name)
		return 0
	}
	for name, imports := range house {
		for _, imported := range imports {
			if of(imported) > of(name) {
				t.Errorf("%s imports %s, which is listed below it", name, imported)
			}
		}
	}
}

// TestSeedsPage checks that every test named in docs/seeds.md exists in the named package.
func TestSeedsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.Split(string(page), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) == 4 && !strings.HasPrefix(cells[1], "---") && cells[1] != " sentence " &&
			!strings.Contains(cells[2], ".Test") {
			t.Errorf("no test is named: %s", row)
		}
	}
	references := regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	if len(references) < 40 {
		t.Errorf("only %d tests are named", len(references))
	}
	for _, ref := range references {
		files, err := filepath.Glob(filepath.Join(ref[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(text), "\nfunc "+ref[2]+"(")
		})
		if !found {
			t.Errorf("there is no %s in %s", ref[2], ref[1])
		}
	}
}
