package v1

import (
	"strconv"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
)

// NewTableRow returns the row of one object, with as much of the object as the [TableOptions] of
// the scope request; without options, its metadata. Generated functions that show a kind as a Table
// end with this call. spec and meta are the kind record of the object and its metadata. The row
// retains cells. It refers to parts of the object only if the scope allows sharing, and otherwise
// copies them.
func NewTableRow[T any](spec *runtime.KindSpec[T], obj *T, meta *ObjectMeta, cells []any,
	s *conversion.Scope,
) TableRow {
	return newTableRow(runtime.Embed(spec, obj), meta, cells, s)
}

func newTableRow(obj runtime.RawExtension, meta *ObjectMeta, cells []any, s *conversion.Scope) TableRow {
	row := TableRow{Cells: cells}
	switch includePolicy(s) {
	case IncludeNone:
	case IncludeObject:
		if row.Object = obj; !s.Sharing() {
			runtime.DeepCopyIntoRawExtension(&obj, &row.Object)
		}
	default:
		partial := new(PartialObjectMetadata)
		partial.APIVersion, partial.Kind = GroupVersion.String(), "PartialObjectMetadata"
		if s.Sharing() {
			partial.ObjectMeta = *meta
		} else {
			DeepCopyIntoObjectMeta(meta, &partial.ObjectMeta)
		}
		row.Object = runtime.Embed(&kindPartialObjectMetadata, partial)
	}
	return row
}

// includePolicy returns the policy in the scope. An unknown policy counts as the default, the one
// that shows the least except for nothing.
func includePolicy(s *conversion.Scope) IncludeObjectPolicy {
	if o := tableOptions(s); o != nil {
		return o.IncludeObject
	}
	return IncludeMetadata
}

// listShown is the number of values that FormatList shows completely.
const listShown = 3

// FormatList joins up to three values with commas. If there are more it shows two and the number of
// the others: a,b,+3.
func FormatList(values []string) string {
	if len(values) <= listShown {
		return strings.Join(values, ",")
	}
	shown := listShown - 1
	return strings.Join(values[:shown], ",") + ",+" + strconv.Itoa(len(values)-shown)
}

// JoinCell returns the cell for several values: nil if values is empty, else their [FormatList].
func JoinCell(values []string) any {
	if len(values) == 0 {
		return nil
	}
	return FormatList(values)
}

// TableAsTabularOutput shows a table in its plainest form. It omits the rows' objects and
// conditions.
func TableAsTabularOutput(in *Table, out *TabularOutput, s *conversion.Scope) error {
	out.APIVersion, out.Kind = GroupVersion.String(), "TabularOutput"
	if s.Sharing() {
		out.ListMeta = in.ListMeta
	} else {
		DeepCopyIntoListMeta(&in.ListMeta, &out.ListMeta)
	}
	out.Columns = make([]TabularOutputColumn, len(in.ColumnDefinitions))
	for i, c := range in.ColumnDefinitions {
		out.Columns[i] = TabularOutputColumn{
			Name: c.Name, Description: c.Description, Type: c.Type, Format: c.Format,
			Priority: c.Priority,
		}
	}
	out.Items = make([]TabularOutputItem, len(in.Rows))
	for i := range in.Rows {
		cells := in.Rows[i].Cells
		if !s.Sharing() {
			cells, _ = runtime.DeepCopyAny(cells).([]any)
		}
		out.Items[i].Columns = cells
	}
	return nil
}
