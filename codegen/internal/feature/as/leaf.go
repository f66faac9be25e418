package as

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// leafKind is how a value becomes a cell.
type leafKind uint8

const (
	leafString     leafKind = iota + 1 // the string
	leafBool                           // the boolean
	leafInt                            // the integer, as int64
	leafFloat                          // the number, as float64
	leafAge                            // a time, as an age
	leafAgeText                        // a time in RFC 3339 text, as an age
	leafBoolText                       // true or false
	leafIntText                        // the digits of a signed integer
	leafUintText                       // the digits of an unsigned integer
	leafFloatText                      // the digits of a number
	leafTimeText                       // a time in its JSON form
	leafBytesText                      // bytes in base64
	leafMethodText                     // the result of the String method
)

// fit decides how values of type t become cells of a column. If they cannot, it returns the end of
// a message, which follows the name of the value and "is", and possibly a suggestion.
func fit(t types.Type, column string) (kind leafKind, message, suggestion string) {
	f := formsOf(t, column)
	if kind, ok := f.kinds[column]; ok {
		return kind, "", ""
	}
	return 0, f.message, f.suggestion
}

// forms describes the cells that the values of a type can become.
type forms struct {
	kinds               map[string]leafKind // by the type of the column
	message, suggestion string              // for the other columns
}

// formsOf returns the forms of a type, with the message for a column that cannot show it.
func formsOf(t types.Type, column string) forms {
	cannot := "; a column of type " + column + " cannot show it"
	b := basic(t)
	switch {
	case timeSelector(t) != nil:
		return timeForms(t, cannot)
	case model.WritesItself(t) && stringMethod(t) == nil:
		return forms{message: describe(t) + " with its own JSON form and no String method; use +askind:column with a function"}
	case model.WritesItself(t):
		return forms{
			map[string]leafKind{"string": leafMethodText},
			describe(t) + " with its own JSON form" + cannot, "type=string",
		}
	case model.IsBytes(t):
		return forms{
			map[string]leafKind{"string": leafBytesText},
			"bytes; a column of type " + column + " cannot show them", "type=string",
		}
	case b == nil:
		return formless(t)
	case b.Info()&types.IsString != 0:
		return forms{
			map[string]leafKind{"string": leafString, "date": leafAgeText},
			describe(t) + cannot, "type=string",
		}
	case b.Info()&types.IsBoolean != 0:
		return forms{
			map[string]leafKind{"string": leafBoolText, "boolean": leafBool},
			describe(t) + cannot, "type=boolean",
		}
	case b.Info()&types.IsInteger != 0:
		return integerForms(b, column, describe(t)+cannot)
	}
	return forms{
		map[string]leafKind{"string": leafFloatText, "number": leafFloat},
		describe(t) + cannot, "type=number",
	}
}

// timeForms returns the forms of a time.
func timeForms(t types.Type, cannot string) forms {
	f := forms{map[string]leafKind{"date": leafAge, "string": leafTimeText}, "a time" + cannot, "type=date"}
	if timeSelector(t).layout == nil {
		delete(f.kinds, "string")
		f.message = "a time with its own JSON form" + cannot
		if n, ok := types.Unalias(t).(*types.Named); ok && model.Method(n, "String") != nil {
			f.kinds["string"] = leafMethodText
		}
	}
	return f
}

// integerForms returns the forms of an integer. A cell of type integer is an int64.
func integerForms(b *types.Basic, column, message string) forms {
	f := forms{
		map[string]leafKind{"string": leafIntText, "number": leafFloat, "integer": leafInt},
		message, "type=integer",
	}
	bits, signed := intBits(b)
	if signed {
		return f
	}
	f.kinds["string"] = leafUintText
	if bits == 64 || b.Kind() == types.Uint || b.Kind() == types.Uintptr {
		delete(f.kinds, "integer")
		if column == "integer" {
			f.message = "a " + b.Name() + ", which can be larger than any cell of type integer"
			f.suggestion = "type=string"
		}
	}
	return f
}

// formless returns the message for a type that no column shows.
func formless(t types.Type) forms {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map:
		return forms{message: describe(t) + "; a column shows single values, joined for [*]", suggestion: "[*]"}
	case *types.Interface:
		return forms{message: "of any type, so no column can show it; use +askind:column with a function"}
	case *types.Struct:
		return forms{message: describe(t) + "; a column shows one of its members"}
	}
	return forms{message: describe(t) + ", which no column can show"}
}

// timeType describes a type that holds a time.
type timeType struct {
	// selector selects the time.Time in it: blank, or the name of the only, embedded field.
	selector string
	// layout is the layout of its JSON form, as an expression or a literal; nil if it is not known.
	layout any
}

// timeSelector returns a description of t if it is time.Time or a struct around one, like the Time
// types of API libraries, and nil otherwise.
func timeSelector(t types.Type) *timeType {
	if isStdTime(t) {
		return &timeType{layout: emit.Ident{Path: "time", Name: "RFC3339Nano"}}
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok || s.NumFields() != 1 || !s.Field(0).Embedded() || !isStdTime(s.Field(0).Type()) {
		return nil
	}
	if !schemas.IsLeaf(n) {
		return &timeType{selector: ".Time"}
	}
	if n.Obj().Name() == "MicroTime" {
		return &timeType{selector: ".Time", layout: `"2006-01-02T15:04:05.000000Z07:00"`}
	}
	return &timeType{selector: ".Time", layout: emit.Ident{Path: "time", Name: "RFC3339"}}
}

// stringMethod returns the String method of t, or nil if it has none.
func stringMethod(t types.Type) *types.Func {
	if fn := model.AnyMethod(t, "String"); fn != nil && stringer.Fits(fn.Signature(), nil) {
		return fn
	}
	return nil
}

var stringer = model.ShapeOf("func() string")

// cell writes code that computes the cell of a column from the value of an expression: conditions,
// statements, and put with the expression of the cell.
func (col *column) cell(w *walker, at string, conditions []string, put func(x string)) {
	value := func(x string) { w.guarded(conditions, func() { put(x) }) }
	convert := func(to string) string { return expr.Convert(at, col.leaf, to) }
	strconvCall := func(format string, args ...any) {
		value(w.f.Ident("strconv", fmt.Sprintf(format, args...)))
	}
	switch col.kind {
	case leafString:
		value(convert("string"))
	case leafBool:
		value(convert("bool"))
	case leafInt:
		value(convert("int64"))
	case leafFloat:
		value(convert("float64"))
	case leafBoolText:
		strconvCall("FormatBool(%s)", convert("bool"))
	case leafIntText:
		strconvCall("FormatInt(%s, 10)", convert("int64"))
	case leafUintText:
		strconvCall("FormatUint(%s, 10)", convert("uint64"))
	case leafFloatText:
		bits := 64
		if basic(col.leaf).Kind() == types.Float32 {
			bits = 32
		}
		strconvCall("FormatFloat(%s, 'f', -1, %d)", convert("float64"), bits)
	case leafBytesText:
		if guard := "len(" + at + ") > 0"; !slices.Contains(conditions, guard) {
			conditions = and(conditions, at+" != nil")
		}
		value(w.f.Ident("encoding/base64", "StdEncoding.EncodeToString("+at+")"))
	case leafAge, leafTimeText:
		t := timeSelector(col.leaf)
		moment := at
		if t.selector != "" {
			moment = expr.Selectable(at) + t.selector
		}
		// This condition is the same as the guard of an omitzero field.
		conditions = and(conditions, "!"+expr.Selectable(at)+".IsZero()")
		if col.kind == leafAge {
			value(w.f.S(metav1("AgeCell")) + "(" + moment + ", now, s)")
		} else {
			value(expr.Selectable(at) + t.selector + ".UTC().Format(" + w.f.S(t.layout) + ")")
		}
	case leafAgeText:
		w.guarded(conditions, func() {
			t := w.name("t")
			w.f.P("if ", t, ", err := ", emit.Ident{Path: "time", Name: "Parse"}, "(",
				emit.Ident{Path: "time", Name: "RFC3339"}, ", ", convert("string"), "); err == nil {")
			put(w.f.S(metav1("AgeCell")) + "(" + t + ", now, s)")
			w.f.P("}")
		})
	case leafMethodText:
		w.guarded(conditions, func() {
			if _, pointer := stringMethod(col.leaf).Signature().Recv().Type().(*types.Pointer); !pointer {
				put(expr.Selectable(at) + ".String()")
				return
			}
			// Such a method may cache a result in its receiver, which must not change.
			x := w.name("x")
			w.f.P(x, " := ", at)
			put(x + ".String()")
		})
	}
}

func (col *column) needsNow() bool { return col.kind == leafAge || col.kind == leafAgeText }

func isStdTime(t types.Type) bool { return model.IsNamed(t, "time", "Time") }
