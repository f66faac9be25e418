package csv

import (
	"errors"
	"fmt"
	"iter"
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// ErrWriteOnly says that CSV was to be read.
var ErrWriteOnly = errors.New("CSV can only be written")

// Options are the settings of the format. The zero value is what [Format] uses.
type Options struct {
	_ struct{} // literals name their fields

	// NoHeader leaves out the record with the names of the columns.
	NoHeader bool
	// FormulaSafe puts an apostrophe before texts that spreadsheets would take for formulas.
	FormulaSafe bool
}

// Serializer is the CSV format. It never changes and is safe for concurrent use.
type Serializer struct{ options Options }

// Format returns the CSV format: with a header, and all texts as they are.
func Format() *Serializer { return Options{}.Format() }

// Format returns the CSV format with these settings.
func (o Options) Format() *Serializer { return &Serializer{options: o} }

// Name returns "csv".
func (*Serializer) Name() string { return "csv" }

// MediaTypes returns text/csv.
func (*Serializer) MediaTypes() []string { return []string{"text/csv"} }

// Text returns true: CSV is text.
func (*Serializer) Text() bool { return true }

// Recognize answers No: nothing tells CSV from other text.
func (*Serializer) Recognize([]byte) runtime.Recognition { return runtime.No }

// Documents yields an error for which errors.Is finds [ErrWriteOnly].
func (*Serializer) Documents([]byte) iter.Seq2[runtime.Document, error] {
	return func(yield func(runtime.Document, error) bool) {
		yield(nil, &runtime.DecodeError{Problems: []runtime.Problem{{Cause: ErrWriteOnly, Message: "CSV can be written but not read"}}})
	}
}

var (
	tableType   = reflect.TypeFor[metav1.Table]()
	tabularType = reflect.TypeFor[metav1.TabularOutput]()
)

// Encodes reports whether objects of the kind are tables.
func (*Serializer) Encodes(k *runtime.Kind) bool {
	t := k.Type()
	return t == tableType || t == tabularType
}

// Append appends a [*metav1.Table] or a [*metav1.TabularOutput] to dst. A row with more or fewer cells than there are columns is an error,
// because the values could not be told apart.
func (s *Serializer) Append(dst []byte, _ *runtime.Kind, obj runtime.Object, _ runtime.EncodeOptions) ([]byte, error) {
	from := len(dst)
	w := writer{dst: dst, safe: s.options.FormulaSafe}
	var err error
	switch t := obj.(type) {
	case *metav1.Table:
		if !s.options.NoHeader {
			for i := range t.ColumnDefinitions {
				w.text(i, t.ColumnDefinitions[i].Name)
			}
			w.end(len(t.ColumnDefinitions))
		}
		for i := range t.Rows {
			if err = w.record(t.Rows[i].Cells, len(t.ColumnDefinitions)); err != nil {
				return dst[:from], fmt.Errorf("csv: row %d: %w", i+1, err)
			}
		}
	case *metav1.TabularOutput:
		if !s.options.NoHeader {
			for i := range t.Columns {
				w.text(i, t.Columns[i].Name)
			}
			w.end(len(t.Columns))
		}
		for i := range t.Items {
			if err = w.record(t.Items[i].Columns, len(t.Columns)); err != nil {
				return dst[:from], fmt.Errorf("csv: row %d: %w", i+1, err)
			}
		}
	default:
		return dst, fmt.Errorf("csv: a %T is no table", obj)
	}
	return w.dst, nil
}
