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
	describe := func(items ...metav1.DescriptionItem) []byte {
		return text.AppendDescription(nil, describes(items...), text.Options{})
	}
	lines := strings.SplitAfter(string(text.AppendTable(nil, table, text.Options{})), "\n")
	for name, got := range map[string]string{
		"table":                  strings.Join(lines, ""),
		"deep":                   string(describe(deep)),
		"wide":                   string(describe(wide...)),
		"values":                 string(describe(group(metav1.DescriptionMap, long, parts...))),
		"table of a description": string(describe(metav1.DescriptionItem{Table: &described})),
	} {
		if limit := 3*len(long) + 6000*520; len(got) > limit {
			t.Errorf("%s: %d bytes, at most %d are allowed", name, len(got), limit)
		}
	}
	if want := long + "   b" + strings.Repeat(" ", 514) + "1d\n"; lines[501] != want {
		t.Errorf("the line with the long text is %.60q…, want it, then the others", lines[501][100_000:])
	}
}
