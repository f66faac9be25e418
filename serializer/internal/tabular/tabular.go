// Package tabular holds the common part of the formats for tables: they cannot be read, and they
// write every form of a table alike.
package tabular

import (
	"iter"
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
)

// Terms are the table options that are left to the format. Wide and Narrow are both false if the
// options specify neither.
type Terms struct {
	NoHeaders, Wide, Narrow bool
}

// TermsOf returns the terms in the encoding options, or the zero Terms if there are no table
// options.
func TermsOf(o format.Options) Terms {
	t, _ := o.Terms.(*metav1.TableOptions)
	if t == nil {
		return Terms{}
	}
	return Terms{
		NoHeaders: t.NoHeaders != nil && *t.NoHeaders, Wide: t.Wide != nil && *t.Wide,
		Narrow: t.Wide != nil && !*t.Wide,
	}
}

var (
	tableType   = reflect.TypeFor[metav1.Table]()
	tabularType = reflect.TypeFor[metav1.TabularOutput]()
)

// IsTable reports whether the objects of a struct type are tables.
func IsTable(t reflect.Type) bool { return t == tableType || t == tabularType }

// Columns calls a function with the name and the priority of each column of a table, in order. It
// reports false, without a call, for an object that is not a table.
func Columns(obj runtime.Object, column func(name string, priority int32)) bool {
	switch t := obj.(type) {
	case *metav1.Table:
		for i := range t.ColumnDefinitions {
			column(t.ColumnDefinitions[i].Name, t.ColumnDefinitions[i].Priority)
		}
		return true
	case *metav1.TabularOutput:
		for i := range t.Columns {
			column(t.Columns[i].Name, t.Columns[i].Priority)
		}
		return true
	}
	return false
}

// Rows yields the number, from 0, and the cells of each row of a table. The cells alias those of
// the table.
func Rows(obj runtime.Object) iter.Seq2[int, []any] {
	return func(yield func(int, []any) bool) {
		switch t := obj.(type) {
		case *metav1.Table:
			for i := range t.Rows {
				if !yield(i, t.Rows[i].Cells) {
					return
				}
			}
		case *metav1.TabularOutput:
			for i := range t.Items {
				if !yield(i, t.Items[i].Columns) {
					return
				}
			}
		}
	}
}

// NoTail is the function Tail of a [format.List] for formats in which a list ends with its last
// item.
func NoTail(dst []byte, _ *format.Parts, _ format.Options) ([]byte, error) { return dst, nil }
