package csv

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/tabular"
)

// Options are the settings of the format. The zero value writes a header, and all texts unchanged.
type Options struct {
	_ struct{} // literals name their fields

	// NoHeader omits the record with the names of the columns.
	NoHeader bool
	// FormulaSafe puts an apostrophe before texts that spreadsheets would take for formulas.
	FormulaSafe bool
}

// codec is the format with its settings. It is immutable.
type codec struct{ options Options }

// Format returns the CSV format with the last of the options, or with the zero value.
func Format(options ...Options) *format.Format {
	c := &codec{}
	if n := len(options); n > 0 {
		c.options = options[n-1]
	}
	return &format.Format{
		Name: "csv", MediaTypes: []string{"text/csv"}, Text: true, Tables: true,
		Append:  c.appendObject,
		Encodes: encodes,
		List:    &format.List{Head: c.appendListHead, Items: c.appendListItems, Tail: tabular.NoTail},
	}
}

// encodes reports whether objects of the kind are tables.
func encodes(k *runtime.Kind) bool { return tabular.IsTable(k.Type()) }

// appendObject appends a Table or a TabularOutput of meta.k8s.io to dst. A row with more or fewer
// cells than there are columns is an error, because its values could not be assigned to columns.
// The options can omit columns with a priority above zero and the names of the columns.
func (s *codec) appendObject(dst []byte, _ *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
	w, err := s.writer(dst, obj, o)
	if err != nil {
		return dst, err
	}
	w.head()
	if err := w.rows(obj, 0); err != nil {
		return dst, err
	}
	return w.dst, nil
}

// writer returns a writer that appends a table to dst.
func (s *codec) writer(dst []byte, table runtime.Object, o format.Options) (*writer, error) {
	terms := tabular.TermsOf(o)
	header := !terms.NoHeaders && !s.options.NoHeader
	w := &writer{dst: dst, safe: s.options.FormulaSafe}
	if header {
		w.names = []string{}
	}
	if !tabular.Columns(table, func(name string, priority int32) {
		if priority == 0 || !terms.Narrow {
			w.shown = append(w.shown, w.columns)
			if header {
				w.names = append(w.names, name)
			}
		}
		w.columns++
	}) {
		return nil, fmt.Errorf("csv: a %T is not a table", table)
	}
	return w, nil
}

// appendListHead appends the record with the names of the columns.
func (s *codec) appendListHead(dst []byte, p *format.Parts, _ format.ListSize, o format.Options) ([]byte,
	error,
) {
	w, err := s.writer(dst, p.Shell(), o)
	if err != nil {
		return dst, err
	}
	w.head()
	return w.dst, nil
}

// appendListItems appends the records of the rows that were taken. n is the number of previous
// rows.
func (s *codec) appendListItems(dst []byte, p *format.Parts, n int, o format.Options) ([]byte, error) {
	w, ok := (*p.Memo()).(*writer)
	if !ok {
		var err error
		if w, err = s.writer(nil, p.Shell(), o); err != nil {
			return dst, err
		}
		*p.Memo() = w
	}
	from := len(dst)
	w.dst = dst
	err := w.rows(p.Bare(), n)
	out := w.dst
	w.dst = nil
	if err != nil {
		return out[:from], err
	}
	return out, nil
}
