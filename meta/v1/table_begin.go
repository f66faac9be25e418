package v1

import (
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
)

// BeginTable gives a table its columns and no rows: the columns that are given and, behind them,
// one for each label that the [TableOptions] of the scope make a column of. It is what generated
// functions begin a table with. The table keeps the columns only if the scope allows sharing, else
// a copy.
func BeginTable(out *Table, columns []TableColumnDefinition, s *conversion.Scope) {
	labels := labelColumns(s)
	if len(labels) == 0 && s.Sharing() {
		out.ColumnDefinitions = slices.Clip(columns)
	} else {
		out.ColumnDefinitions = appendLabelColumns(append(make([]TableColumnDefinition, 0, len(columns)+len(labels)),
			columns...), labels)
	}
	out.Rows = []TableRow{}
}

// AppendTableRow adds the row of one object to a table that [BeginTable] began: the cells that are
// given and, behind them, the labels that the [TableOptions] of the scope make columns of. The row
// keeps the cells. See [NewTableRow] for the other parameters. The table has the resource version
// of the object; that of a list replaces it.
func AppendTableRow[T any](out *Table, spec *runtime.KindSpec[T], obj *T, meta *ObjectMeta, cells []any,
	s *conversion.Scope,
) {
	// A table that was begun in another way has no columns for labels.
	if labels := labelColumns(s); len(labels) > 0 && len(out.ColumnDefinitions) == len(cells)+len(labels) {
		cells = slices.Grow(cells, len(labels))
		for _, key := range labels {
			var cell any
			if value, ok := meta.Labels[key]; ok {
				cell = value
			}
			cells = append(cells, cell)
		}
	}
	out.ListMeta.ResourceVersion = meta.ResourceVersion
	out.Rows = append(out.Rows, NewTableRow(spec, obj, meta, cells, s))
}

// AppendBookmarkRow adds the row of a bookmark of a watch to a table that [BeginTable] began:
// without cells for the columns, but with the metadata, as a [PartialObjectMetadata] that shares
// memory with it. The table has the resource version of the bookmark.
func AppendBookmarkRow(out *Table, meta *ObjectMeta) {
	partial := &PartialObjectMetadata{ObjectMeta: *meta}
	partial.APIVersion, partial.Kind = GroupVersion.String(), "PartialObjectMetadata"
	out.ListMeta.ResourceVersion = meta.ResourceVersion
	out.Rows = append(out.Rows, TableRow{
		Cells:  make([]any, len(out.ColumnDefinitions)),
		Object: runtime.Embed(&kindPartialObjectMetadata, partial),
	})
}

// tableOptions returns the options of a scope, or nil.
func tableOptions(s *conversion.Scope) *TableOptions {
	o, _ := s.Options().(*TableOptions)
	return o
}

// labelColumns returns the keys of the labels that are columns, each once.
func labelColumns(s *conversion.Scope) []string {
	o := tableOptions(s)
	if o == nil || len(o.LabelColumns) == 0 {
		return nil
	}
	return splitEach(o.LabelColumns)
}

// splitEach splits texts at their commas and leaves out what is blank and what was there before.
func splitEach(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// appendLabelColumns appends a column for each label.
func appendLabelColumns(columns []TableColumnDefinition, labels []string) []TableColumnDefinition {
	for _, key := range labels {
		name := key[strings.LastIndexByte(key, '/')+1:]
		if name == "" || slices.ContainsFunc(columns, func(c TableColumnDefinition) bool {
			return strings.EqualFold(c.Name, name)
		}) {
			name = key
		}
		columns = append(columns, TableColumnDefinition{Name: name, Type: "string", Description: "The label " +
			key + "."})
	}
	return columns
}
