package csv

import (
	"fmt"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/tabular"
)

// writer appends the records of one table.
type writer struct {
	dst   []byte
	safe  bool
	start int // of the record

	columns int
	shown   []int    // the columns that have a field
	names   []string // names of the shown columns; empty if there is no header
}

// head appends the header, if there is one.
func (w *writer) head() {
	if w.names == nil {
		return
	}
	for i, name := range w.names {
		w.text(i, name)
	}
	w.end(len(w.names))
}

// rows appends the records of a table, after before others.
func (w *writer) rows(t runtime.Object, before int) error {
	for i, cells := range tabular.Rows(t) {
		if err := w.record(cells); err != nil {
			return fmt.Errorf("csv: row %d: %w", before+i+1, err)
		}
	}
	return nil
}

// record appends one record.
func (w *writer) record(cells []any) error {
	if len(cells) != w.columns {
		return fmt.Errorf("%d cells for %d columns", len(cells), w.columns)
	}
	for field, i := range w.shown {
		if err := w.cell(field, cells[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	w.end(len(w.shown))
	return nil
}

// cell appends the field i of a record.
func (w *writer) cell(i int, cell any) error {
	text, quoted, err := tabular.Text(cell)
	switch {
	case err != nil:
		return err
	case quoted:
		w.text(i, text)
	default: // a number, a list: never a formula
		w.separate(i)
		w.quoted(text)
	}
	return nil
}

// text appends a text as the field i of a record.
func (w *writer) text(i int, s string) {
	w.separate(i)
	if w.safe && isFormula(s) {
		s = "'" + s
	}
	w.quoted(s)
}

func (w *writer) separate(i int) {
	if i > 0 {
		w.dst = append(w.dst, ',')
	} else {
		w.start = len(w.dst)
	}
}

// quoted appends a text, between quotes if it needs them. A byte order mark needs them, because
// readers drop one that begins the file.
func (w *writer) quoted(s string) {
	if !strings.ContainsAny(s, ",\"\r\n\uFEFF") && (s == "" || s[0] != ' ' && s[len(s)-1] != ' ') {
		w.dst = append(w.dst, s...)
		return
	}
	w.dst = append(w.dst, '"')
	for {
		before, after, found := strings.Cut(s, `"`)
		w.dst = append(w.dst, before...)
		if !found {
			break
		}
		w.dst = append(w.dst, `""`...)
		s = after
	}
	w.dst = append(w.dst, '"')
}

// end ends a record of n fields. A record of one empty field is written with quotes, since an empty
// line is not a record to many readers.
func (w *writer) end(n int) {
	if n == 1 && len(w.dst) == w.start {
		w.dst = append(w.dst, `""`...)
	}
	w.dst = append(w.dst, "\r\n"...)
}

// isFormula reports whether a spreadsheet could evaluate a text as a formula: it begins with an
// ASCII operator or the wide form of one from East Asian keyboards, or with a control character
// that spreadsheets skip, after any byte order mark. A sign followed by nothing but a number is not
// a formula.
func isFormula(s string) bool {
	if s = strings.TrimLeft(s, "\uFEFF"); s == "" {
		return false
	}
	switch s[0] {
	case '=', '@', '\t', '\r', '\n':
		return true
	case '+', '-':
		return !isNumber(s[1:])
	}
	for _, wide := range [...]string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, wide) {
			return true
		}
	}
	return false
}

// isNumber reports whether s consists of digits and at most one point.
func isNumber(s string) bool {
	whole, decimals, point := strings.Cut(s, ".")
	digits := whole + decimals
	return digits != "" && strings.Trim(digits, "0123456789") == "" && (!point || decimals != "")
}
