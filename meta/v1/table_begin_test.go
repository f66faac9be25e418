package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func tableScope(o *metav1.TableOptions, sharing bool) *conversion.Scope {
	return conversion.NewScope(conversion.ScopeOptions{Options: o, Sharing: sharing})
}

func names(t *metav1.Table) (out []string) {
	for _, c := range t.ColumnDefinitions {
		out = append(out, c.Name)
	}
	return out
}

func TestLabelColumns(t *testing.T) {
	t.Parallel()
	columns := []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Size"}}
	g := &gadget{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7", Labels: map[string]string{
		"app":              "web",
		"example.com/size": "big", "blank": "",
	}}}
	for _, c := range []struct {
		name    string
		labels  []string
		columns []string
		cells   []any
	}{
		{"none", nil, []string{"Name", "Size"}, []any{"a", int64(1)}},
		{"one", []string{"app"}, []string{"Name", "Size", "app"}, []any{"a", int64(1), "web"}},
		{
			"a prefix is left out",
			[]string{"example.com/kind"},
			[]string{"Name", "Size", "kind"},
			[]any{"a", int64(1), nil},
		},
		{
			"unless the name is taken",
			[]string{"example.com/size"},
			[]string{"Name", "Size", "example.com/size"},
			[]any{"a", int64(1), "big"},
		},
		{
			"by another label too",
			[]string{"app", "x/app"},
			[]string{"Name", "Size", "app", "x/app"},
			[]any{"a", int64(1), "web", nil},
		},
		{
			"commas",
			[]string{"app, blank,", "app"},
			[]string{"Name", "Size", "app", "blank"},
			[]any{"a", int64(1), "web", ""},
		},
		{"no name", []string{"example.com/"}, []string{"Name", "Size", "example.com/"}, []any{"a", int64(1), nil}},
	} {
		for _, sharing := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				s := tableScope(&metav1.TableOptions{LabelColumns: c.labels}, sharing)
				var table metav1.Table
				metav1.BeginTable(&table, columns, s)
				if table.Rows == nil {
					t.Error("the rows are nil, which JSON shows as null")
				}
				metav1.AppendTableRow(&table, runtime.Embed(&kindGadget, g), &g.ObjectMeta, []any{"a", int64(1)}, s)
				if diff := cmp.Diff(c.columns, names(&table)); diff != "" {
					t.Errorf("columns (-want +got)\n%s", diff)
				}
				if diff := cmp.Diff(c.cells, table.Rows[0].Cells); diff != "" {
					t.Errorf("cells (-want +got)\n%s", diff)
				}
				if table.ResourceVersion != "7" {
					t.Errorf("the version is %q", table.ResourceVersion)
				}
				table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: "more"})
				if len(columns) != 2 {
					t.Error("the columns were changed")
				}
			})
		}
	}
}

// TestBeginTableCopies checks that a table that must not share memory does not have the columns of
// the package.
func TestBeginTableCopies(t *testing.T) {
	t.Parallel()
	columns := []metav1.TableColumnDefinition{{Name: "Name"}}
	var table metav1.Table
	metav1.BeginTable(&table, columns, nil)
	table.ColumnDefinitions[0].Name = "changed"
	if columns[0].Name != "Name" {
		t.Error("the columns are shared")
	}
}

// TestAppendTableRowOfAnotherBegin checks that rows never have more cells than there are columns.
func TestAppendTableRowOfAnotherBegin(t *testing.T) {
	t.Parallel()
	table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}}}
	g := &gadget{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}
	metav1.AppendTableRow(table, runtime.Embed(&kindGadget, g), &g.ObjectMeta, []any{"a"},
		tableScope(&metav1.TableOptions{LabelColumns: []string{"app"}}, false))
	if len(table.Rows[0].Cells) != 1 {
		t.Errorf("got %v", table.Rows[0].Cells)
	}
}
