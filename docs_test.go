package askind_test

import (
	"os"
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
