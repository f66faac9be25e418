package v1

import (
	"slices"

	"github.com/askind/askind/conversion"
)

// FinishTable does to a table with all its rows what the [TableOptions] of the scope say about it
// as a whole: it puts the rows in order, leaves out columns, and at last the names of all of them.
// Generated code registers it with [github.com/askind/askind/runtime.FinishItems]. The error is a
// [*StatusError] of the reason BadRequest if rows are to be ordered by a column that is not there.
func FinishTable(out *Table, s *conversion.Scope) error {
	o := tableOptions(s)
	if o == nil {
		return nil
	}
	if len(o.SortBy) > 0 {
		err := SortTable(out, o.SortBy...)
		forgetTimes(out)
		if err != nil {
			return err
		}
	}
	if o.Wide != nil && !*o.Wide {
		narrow(out)
	}
	if o.NoHeaders != nil && *o.NoHeaders {
		out.ColumnDefinitions = nil
	}
	return nil
}

// narrow leaves out the columns with a priority above zero. Rows that have another number of cells
// than there are columns stay as they are.
func narrow(t *Table) {
	columns := t.ColumnDefinitions
	isWide := func(c TableColumnDefinition) bool { return c.Priority > 0 }
	if !slices.ContainsFunc(columns, isWide) {
		return
	}
	for r := range t.Rows {
		cells := t.Rows[r].Cells
		if len(cells) != len(columns) {
			continue
		}
		kept := 0
		for i := range cells {
			if !isWide(columns[i]) {
				cells[kept] = cells[i]
				kept++
			}
		}
		clear(cells[kept:])
		t.Rows[r].Cells = cells[:kept]
	}
	t.ColumnDefinitions = slices.DeleteFunc(slices.Clone(columns), isWide)
}
