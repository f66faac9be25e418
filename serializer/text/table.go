package text

import (
	"fmt"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/tabular"
	"github.com/askind/askind/wire/jsonwire"
)

const (
	padding  = 3 // spaces between columns
	minWidth = 6 // of a column with its padding
	// maxWidth bounds the width to which columns are aligned, so that one long text does not widen
	// every line. What follows a longer text is not aligned.
	maxWidth = 512
)

// appendTable appends a table of either form to dst, one line for each row. Excess cells are not
// shown; missing ones are empty. A table without rows or without columns to show has no output.
func appendTable(dst []byte, t runtime.Object, o Options) []byte {
	l := newLayout(t, o)
	rows := 0
	for _, cells := range tabular.Rows(t) {
		l.measure(l.row(cells))
		rows++
	}
	if rows == 0 || len(l.shown) == 0 {
		return dst
	}
	dst = l.appendHead(dst)
	for _, cells := range tabular.Rows(t) {
		dst = l.appendLine(dst, l.row(cells))
	}
	return dst
}

// layout describes the columns of a table; it is needed before a line can be written.
type layout struct {
	shown   []int    // the columns that are shown
	heads   []string // their headings; empty without a header
	widths  []int    // of the widest text in each, including padding
	texts   []string // of one row
	scratch []byte
}

// newLayout returns the layout of a table with only its headings measured.
func newLayout(t runtime.Object, o Options) *layout {
	l := &layout{}
	columns := 0
	tabular.Columns(t, func(name string, priority int32) {
		if priority == 0 || o.Wide {
			l.shown = append(l.shown, columns)
			if !o.NoHeaders {
				l.heads = append(l.heads, visible(strings.ToUpper(name)))
			}
		}
		columns++
	})
	l.widths = make([]int, len(l.shown))
	for i := range l.widths {
		l.widths[i] = minWidth
	}
	l.measure(l.heads)
	return l
}

// measure widens the columns for a line.
func (l *layout) measure(texts []string) {
	for i, text := range texts {
		l.widths[i] = max(l.widths[i], min(width(text), maxWidth)+padding)
	}
}

// row returns the texts of the shown cells of a row. They are valid until the next call.
func (l *layout) row(cells []any) []string {
	l.texts = l.texts[:0]
	for _, i := range l.shown {
		text := ""
		if i < len(cells) {
			text = l.cell(cells[i])
		}
		l.texts = append(l.texts, text)
	}
	return l.texts
}

// cell returns the text of a value.
func (l *layout) cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if i := strings.IndexAny(v, "\n\r\f"); i >= 0 {
			return visible(v[:i]) + "..."
		}
		return visible(v)
	}
	out, err := jsonwire.AppendAny(l.scratch[:0], v)
	if err != nil {
		return visible(fmt.Sprint(v))
	}
	l.scratch = out
	if out[0] == '"' {
		return l.cell(jsonwire.NewReader(out, jsonwire.Options{}).String(""))
	}
	return visible(tabular.Plain(out))
}

// appendHead appends the headings.
func (l *layout) appendHead(dst []byte) []byte {
	if len(l.heads) == 0 {
		return dst
	}
	return l.appendLine(dst, l.heads)
}

// appendLine appends a line. The last column is not padded.
func (l *layout) appendLine(dst []byte, texts []string) []byte {
	for i, text := range texts {
		dst = append(dst, text...)
		if i == len(texts)-1 {
			break
		}
		for range max(l.widths[i]-width(text), padding) {
			dst = append(dst, ' ')
		}
	}
	return append(dst, '\n')
}
