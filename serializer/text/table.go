package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/tabular"
	"github.com/askind/askind/serializer/jsonwire"
)

// TableOptions say how a table is shown. The zero value shows the columns of priority zero under their names.
type TableOptions struct {
	_ struct{} // literals name their fields

	// Wide shows all columns.
	Wide bool
	// NoHeaders leaves out the names of the columns.
	NoHeaders bool
}

const (
	padding  = 3 // spaces between columns
	minWidth = 6 // of a column with its padding
)

// AppendTable appends a table to dst, one line for each row. Cells beyond the columns are not shown; missing ones are empty.
func AppendTable(dst []byte, t *metav1.Table, o TableOptions) []byte {
	return appendAnyTable(dst, t, o)
}

// AppendTabularOutput is [AppendTable] for the plainest form of a table.
func AppendTabularOutput(dst []byte, t *metav1.TabularOutput, o TableOptions) []byte {
	return appendAnyTable(dst, t, o)
}

// appendAnyTable appends a table of either form.
func appendAnyTable(dst []byte, t runtime.Object, o TableOptions) []byte {
	g := grid{options: o}
	tabular.Columns(t, g.column)
	for _, cells := range tabular.Rows(t) {
		g.row(cells)
	}
	return g.append(dst)
}

// grid is a table of texts.
type grid struct {
	options TableOptions
	shown   []int // the columns that are shown
	columns int
	texts   []string // of the header and the rows, line by line
	rows    int
	scratch []byte
}

func (g *grid) column(name string, priority int32) {
	if priority == 0 || g.options.Wide {
		g.shown = append(g.shown, g.columns)
		if !g.options.NoHeaders {
			g.texts = append(g.texts, visible(strings.ToUpper(name)))
		}
	}
	g.columns++
}

func (g *grid) row(cells []any) {
	g.rows++
	for _, i := range g.shown {
		text := ""
		if i < len(cells) {
			text = g.cell(cells[i])
		}
		g.texts = append(g.texts, text)
	}
}

// cell returns the text of a value.
func (g *grid) cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if i := strings.IndexAny(v, "\n\r\f"); i >= 0 {
			return visible(v[:i]) + "..."
		}
		return visible(v)
	}
	out, err := jsonwire.AppendAny(g.scratch[:0], v)
	if err != nil {
		return visible(fmt.Sprint(v))
	}
	g.scratch = out
	if out[0] == '"' {
		return g.cell(jsonwire.NewReader(out, jsonwire.Options{}).String(""))
	}
	return string(out)
}

func (g *grid) append(dst []byte) []byte {
	n := len(g.shown)
	if g.rows == 0 || n == 0 {
		return dst
	}
	widths := make([]int, n)
	total := 0
	for i, text := range g.texts {
		widths[i%n] = max(widths[i%n], utf8.RuneCountInString(text)+padding, minWidth)
		total += len(text)
	}
	for _, w := range widths {
		total += w * len(g.texts) / n
	}
	dst = slices.Grow(dst, total)
	for i, text := range g.texts {
		dst = append(dst, text...)
		if i%n == n-1 { // the last column is not padded
			dst = append(dst, '\n')
			continue
		}
		for range widths[i%n] - utf8.RuneCountInString(text) {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// visible shows control characters, which a terminal could take for commands, in caret notation: ^[ for escape. Those beyond
// ASCII become the replacement character.
func visible(s string) string {
	clean := func(r rune) bool { return r >= ' ' && r < 0x7f || r > 0x9f && r != utf8.RuneError }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case clean(r):
			b.WriteRune(r)
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}
