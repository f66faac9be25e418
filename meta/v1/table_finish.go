package v1

import (
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
)

// FinishTable applies the [TableOptions] of the scope to a table with all its rows: it sorts the
// rows, removes columns, and finally removes the column names. Generated code registers it with
// [github.com/askind/askind/runtime.FinishItems]. If the options sort by a column that does not
// exist, the error is a [*StatusError] with the reason BadRequest.
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

// narrow removes the columns with a priority above zero. Rows whose number of cells differs from
// the number of columns are not changed.
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
	t.ColumnDefinitions = sorted.Delete(slices.Clone(columns), isWide)
}
