package csv

import (
	"fmt"
	"strings"

	"github.com/askind/askind/serializer/jsonwire"
)

// writer appends records.
type writer struct {
	dst   []byte
	safe  bool
	start int // of the record
}

// record appends one record of n fields.
func (w *writer) record(cells []any, n int) error {
	if len(cells) != n {
		return fmt.Errorf("it has %d cells for %d columns", len(cells), n)
	}
	for i, cell := range cells {
		if err := w.cell(i, cell); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	w.end(n)
	return nil
}

// cell appends the field i of a record.
func (w *writer) cell(i int, cell any) error {
	switch v := cell.(type) {
	case nil:
		w.text(i, "")
		return nil
	case string:
		w.text(i, v)
		return nil
	}
	value, err := jsonwire.AppendAny(nil, cell)
	if err != nil {
		return err
	}
	if value[0] == '"' { // a time, a quantity
		w.text(i, jsonwire.NewReader(value, jsonwire.Options{}).String(""))
		return nil
	}
	// What is left has the text of its JSON, in which < and > are written as they are.
	w.separate(i)
	w.quoted(unescapeHTML.Replace(string(value)))
	return nil
}

var unescapeHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

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

// quoted appends a text, between quotes if it needs them.
func (w *writer) quoted(s string) {
	if !strings.ContainsAny(s, ",\"\r\n") && (s == "" || s[0] != ' ' && s[len(s)-1] != ' ') {
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

// end ends a record of n fields. A record of one empty field is written with quotes, since an empty line is no record to many readers.
func (w *writer) end(n int) {
	if n == 1 && len(w.dst) == w.start {
		w.dst = append(w.dst, `""`...)
	}
	w.dst = append(w.dst, "\r\n"...)
}

// isFormula reports whether a spreadsheet could take a text for a formula: by its first character, in ASCII or in the wide form of East Asian
// keyboards, or a control character that spreadsheets skip. A minus or plus sign before nothing but a number is none.
func isFormula(s string) bool {
	if s == "" {
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

// isNumber reports whether s has digits and at most one point in it, and nothing else.
func isNumber(s string) bool {
	whole, decimals, point := strings.Cut(s, ".")
	digits := whole + decimals
	return digits != "" && strings.Trim(digits, "0123456789") == "" && (!point || decimals != "")
}
