package text

import (
	"bytes"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// appendDescription appends a description to dst: one line for each value, with the values of
// adjacent items aligned, and groups indented below their labels. Entries of maps and elements of
// lists are on separate lines; a text of several lines is below its label.
func appendDescription(dst []byte, d *metav1.Description, o Options) []byte {
	w := outline{dst: dst, help: o.Help}
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Label == "" {
			w.items(s.Items, 0)
			continue
		}
		w.explain(s.Help, 0)
		w.dst = append(append(w.dst, visible(s.Label)...), ":\n"...)
		w.items(s.Items, step)
	}
	return w.dst
}

// appendDescriptions appends descriptions, separated by two empty lines, after before others.
func appendDescriptions(dst []byte, items []metav1.Description, before int, o Options) []byte {
	for i := range items {
		if before+i > 0 {
			dst = append(dst, "\n\n"...)
		}
		dst = appendDescription(dst, &items[i], o)
	}
	return dst
}

const (
	step = 2 // columns by which a group is indented
	gap  = 2 // columns between a label and the values
	none = "<none>"

	// These bound the spaces in a line, so that deep values and long labels do not make the output
	// much longer than the description. Deeper groups have the same indentation, and what follows a
	// longer label is not aligned.
	maxIndent = 64 * step
	maxColumn = 128
)

// outline writes a description.
type outline struct {
	dst  []byte
	help bool
}

func (w *outline) indent(columns int) {
	for range min(columns, maxIndent) {
		w.dst = append(w.dst, ' ')
	}
}

func (w *outline) explain(help string, indent int) {
	if w.help && help != "" {
		w.indent(indent)
		w.dst = append(append(append(w.dst, "# "...), visible(help)...), '\n')
	}
}

// items writes adjacent items.
func (w *outline) items(items []metav1.DescriptionItem, indent int) {
	column := 0
	for i := range items {
		if inline(&items[i]) {
			column = max(column, min(width(visible(items[i].Label))+len(":")+gap, maxColumn))
		}
	}
	for i := range items {
		w.item(&items[i], indent, column)
	}
}

// inline reports whether an item begins on the line of its label.
func inline(item *metav1.DescriptionItem) bool {
	switch {
	case item.Table != nil:
		return false
	case len(item.Items) > 0:
		return plain(item)
	}
	return !strings.Contains(item.Value, "\n")
}

// plain reports whether the parts of a map or list are single values of one line each.
func plain(item *metav1.DescriptionItem) bool {
	if item.Type != metav1.DescriptionMap && item.Type != metav1.DescriptionOfList {
		return false
	}
	for i := range item.Items {
		part := &item.Items[i]
		if len(part.Items) > 0 || part.Table != nil || strings.Contains(part.Value, "\n") ||
			item.Type == metav1.DescriptionOfList && part.Label != "" {
			return false
		}
	}
	return true
}

// item writes an item whose values begin at a column relative to the indentation.
func (w *outline) item(item *metav1.DescriptionItem, indent, column int) {
	w.explain(item.Help, indent)
	if label := visible(item.Label); label != "" {
		w.indent(indent)
		w.dst = append(append(w.dst, label...), ':')
		if !inline(item) {
			w.dst = append(w.dst, '\n')
			indent += step
		} else {
			w.indent(max(column-width(label)-len(":"), gap))
		}
	} else {
		if inline(item) {
			w.indent(indent)
		}
		column = 0
	}
	switch {
	case item.Table != nil:
		w.table(item.Table, indent)
	case len(item.Items) > 0 && plain(item):
		w.values(item, indent+column)
	case len(item.Items) > 0:
		w.items(item.Items, indent)
	case strings.Contains(item.Value, "\n"):
		w.lines(item.Value, indent)
	default:
		w.dst = append(append(w.dst, visible(single(item))...), '\n')
	}
}

// single returns the text of an item without parts.
func single(item *metav1.DescriptionItem) string {
	if item.Value == "" && (item.Type == metav1.DescriptionMap || item.Type == metav1.DescriptionOfList ||
		item.Type == metav1.DescriptionObject) {
		return none
	}
	return item.Value
}

// values writes the parts of a map or list on separate lines, the first one at the current
// position.
func (w *outline) values(item *metav1.DescriptionItem, indent int) {
	for i := range item.Items {
		part := &item.Items[i]
		if i > 0 {
			w.indent(indent)
		}
		if part.Label != "" {
			w.dst = append(append(w.dst, visible(part.Label)...), '=')
		}
		w.dst = append(append(w.dst, visible(single(part))...), '\n')
	}
}

// lines writes a text of several lines.
func (w *outline) lines(text string, indent int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			w.indent(indent)
			w.dst = append(w.dst, visible(strings.ReplaceAll(line, "\t", "    "))...)
		}
		w.dst = append(w.dst, '\n')
	}
}

// table writes a table with lines below the headings.
func (w *outline) table(t *metav1.DescriptionTable, indent int) {
	l := &layout{}
	var lines []string // below the headings
	for _, c := range t.Columns {
		label := visible(c.Label)
		l.shown = append(l.shown, len(l.shown))
		l.heads = append(l.heads, label)
		l.widths = append(l.widths, 0)
		lines = append(lines, strings.Repeat("-", width(label)))
	}
	l.measure(l.heads)
	var rows [][]string
	for _, row := range t.Rows {
		texts := make([]string, len(t.Columns))
		for i := range texts {
			if i < len(row.Cells) {
				texts[i] = l.cell(row.Cells[i])
			}
		}
		l.measure(texts)
		rows = append(rows, texts)
	}
	for _, texts := range append([][]string{l.heads, lines}, rows...) {
		w.indent(indent)
		w.dst = append(bytes.TrimRight(l.appendLine(w.dst, texts), " \n"), '\n')
	}
}
