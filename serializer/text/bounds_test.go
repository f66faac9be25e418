package text_test

import (
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/text"
)

// TestPaddingIsBounded checks that one long or deep value does not make all other lines longer.
func TestPaddingIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	table := &metav1.Table{ColumnDefinitions: columns("Name", "Zone", "Age")}
	for range 1000 {
		table.Rows = append(table.Rows, rows([]any{"a", "b", "1d"})...)
	}
	table.Rows[500].Cells[0] = long
	table.Rows[600].Cells[1] = long
	deep := item("leaf", "1")
	for range 5000 {
		deep = group(metav1.DescriptionObject, "a", deep)
	}
	wide := []metav1.DescriptionItem{item(long, "1")}
	var parts []metav1.DescriptionItem
	for range 1000 {
		wide = append(wide, item("a", "1"))
		parts = append(parts, item("a", "1"))
	}
	described := metav1.DescriptionTable{Columns: []metav1.DescriptionColumn{{Label: long}, {Label: "B"}}}
	for range 1000 {
		described.Rows = append(described.Rows, metav1.DescriptionRow{Cells: []string{"a", "b"}})
	}
	for name, out := range map[string]struct {
		got     []byte
		content int
	}{
		"table": {text.AppendTable(nil, table, text.TableOptions{}), 2*len(long) + 3000},
		"deep":  {text.AppendDescription(nil, describes(deep), text.DescriptionOptions{}), 5000},
		"wide":  {text.AppendDescription(nil, describes(wide...), text.DescriptionOptions{}), len(long) + 2000},
		"values": {
			text.AppendDescription(nil, describes(group(metav1.DescriptionMap, long, parts...)), text.DescriptionOptions{}),
			len(long) + 3000,
		},
		"table of a description": {
			text.AppendDescription(nil, describes(metav1.DescriptionItem{Table: &described}), text.DescriptionOptions{}),
			2*len(long) + 2000,
		},
	} {
		if limit := out.content + 6000*520; len(out.got) > limit {
			t.Errorf("%s: %d bytes for a content of %d", name, len(out.got), out.content)
		}
		if !strings.Contains(string(out.got), "1") && !strings.Contains(string(out.got), "b") {
			t.Errorf("%s has no content", name)
		}
	}
	lines := strings.SplitAfter(string(text.AppendTable(nil, table, text.TableOptions{})), "\n")
	if want := long + "   b" + strings.Repeat(" ", 514) + "1d\n"; lines[501] != want {
		t.Errorf("the line with the long text is %.60q…, want it, then the others", lines[501][100_000:])
	}
}
