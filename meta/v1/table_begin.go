package v1

import (
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
)

// BeginTable sets the columns of an empty table: the given columns, followed by one for each label
// column in the [TableOptions] of the scope. Generated functions begin a table with this call. The
// table retains columns only if the scope allows sharing, and otherwise a copy.
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

// AppendTableRow adds the row of one object to a table that [BeginTable] began: the given cells,
// followed by the labels that are columns according to the [TableOptions] of the scope. The row
// retains the cells. obj holds the object without a copy, see [runtime.Embed], and meta is its
// metadata; see [NewTableRow] for how much of them is shown. The table gets the resource version of
// the object; that of a list replaces it.
func AppendTableRow(out *Table, obj runtime.RawExtension, meta *ObjectMeta, cells []any, s *conversion.Scope) {
	// A table that was begun differently has no columns for labels.
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
	out.Rows = append(out.Rows, newTableRow(obj, meta, cells, s))
}

// AppendBookmarkRow adds the row of a bookmark of a watch to a table that [BeginTable] began:
// without cells for the columns, but with the metadata, as a [PartialObjectMetadata] that shares
// memory with it. The table gets the resource version of the bookmark.
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

// labelColumns returns the unique keys of the labels that are columns.
func labelColumns(s *conversion.Scope) []string {
	o := tableOptions(s)
	if o == nil || len(o.LabelColumns) == 0 {
		return nil
	}
	return splitEach(o.LabelColumns)
}

// splitEach splits texts at their commas and removes blank and duplicate parts.
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
