package as

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
)

// walker writes routes as Go code. It collects conditions while only fields are selected and writes
// them as one if statement before anything else. So a route needs only one nested block for each
// list and map.
type walker struct {
	f     *emit.File
	names map[string]int // how often each base name was used in the function
}

func newWalker(f *emit.File) *walker { return &walker{f: f, names: map[string]int{}} }

// name returns a variable name that is new in the function: v, v2, v3.
func (w *walker) name(base string) string {
	w.names[base]++
	return expr.Numbered(base, w.names[base])
}

// walk writes the code that reaches the values selected by ops, from the expression at, and calls
// leaf to write the code for each of them, which is addressable. Conditions that have not been
// written yet are passed to leaf, which writes them with guarded.
func (w *walker) walk(at string, ops []op, conditions []string, leaf func(at string, conditions []string)) {
	for i, o := range ops {
		rest := ops[i+1:]
		switch o.kind {
		case opField:
			at = expr.Selectable(at) + "." + o.name
			if o.absent != ifIsZero && len(rest) > 0 && implied(rest) {
				break
			}
			if c := w.present(at, o); c != "" {
				conditions = and(conditions, c)
			}
		case opDeref:
			conditions = and(conditions, at+" != nil")
			at = "*" + expr.Operand(at)
		case opIndex:
			list := expr.Operand(at)
			switch {
			case o.index < 0 && o.bound < 0:
				conditions = and(conditions, fmt.Sprintf("len(%s) >= %d", list, -o.index))
				at = fmt.Sprintf("%s[len(%s)-%d]", list, list, -o.index)
			case o.index < 0:
				at = fmt.Sprintf("%s[%d]", list, o.bound+int64(o.index))
			default:
				if o.bound < 0 {
					conditions = and(conditions, fmt.Sprintf("len(%s) > %d", list, o.index))
				}
				at = fmt.Sprintf("%s[%d]", list, o.index)
			}
		case opKey:
			w.guarded(conditions, func() {
				v := "_"
				if !o.unread {
					v = w.name("v")
				}
				w.f.P("if ", v, ", ok := ", expr.Operand(at), "[", o.key, "]; ok {")
				w.walk(v, rest, nil, leaf)
				w.f.P("}")
			})
			return
		case opEach:
			w.guarded(conditions, func() { w.each(at, o, rest, leaf) })
			return
		case opLen:
			at = "len(" + at + ")"
		case opEmbedded:
			w.guarded(conditions, func() {
				obj := w.name("obj")
				w.f.P("if ", obj, ", err := ", expr.Selectable(at), ".Get(nil); err == nil && ", obj, " != nil {")
				w.walk("*"+obj, rest, nil, leaf)
				w.f.P("}")
			})
			return
		}
	}
	leaf(at, conditions)
}

// each writes the loop of an opEach.
func (w *walker) each(at string, o op, rest []op, leaf func(string, []string)) {
	if o.mapKey != nil {
		sorted := emit.Ident{Path: emit.JSONWire, Name: "SortedKeys"}
		if o.mapKey.Info()&types.IsInteger != 0 {
			sorted.Name = "SortedIntKeys"
		}
		k, v := w.name("k"), w.name("v")
		w.f.P("for _, ", k, " := range ", sorted, "(", at, ") {")
		w.f.P(v, " := ", expr.Operand(at), "[", k, "]")
		w.walk(v, rest, nil, leaf)
		w.f.P("}")
		return
	}
	i := w.name("i")
	w.f.P("for ", i, " := range ", at, " {")
	elem := expr.Operand(at) + "[" + i + "]"
	if o.test == nil {
		w.walk(elem, rest, nil, leaf)
	} else {
		ops := o.test.route.ops
		if o.test.op == "" {
			ops = w.presence(ops)
		}
		w.walk(elem, ops, nil, func(v string, conditions []string) {
			if o.test.op != "" {
				conditions = and(conditions, o.test.condition(v))
			}
			w.walk(elem, rest, conditions, leaf)
		})
	}
	w.f.P("}")
}

// presence returns the operations that determine whether a value is present: without the fields and
// elements of arrays at the end that always are.
func (w *walker) presence(ops []op) []op {
	n := len(ops)
	for n > 0 && (ops[n-1].kind == opField && w.present("", ops[n-1]) == "" ||
		ops[n-1].kind == opIndex && ops[n-1].bound >= 0) {
		n--
	}
	ops = slices.Clone(ops[:n])
	if n > 0 && ops[n-1].kind == opKey {
		ops[n-1].unread = true
	}
	return ops
}

// condition returns the comparison of a filter as Go source.
func (t *test) condition(v string) string {
	switch t.literal {
	case "true", "false":
		if (t.literal == "true") == (t.op == "==") {
			return expr.Convert(v, t.route.leaf, "bool")
		}
		return "!" + expr.Convert(v, t.route.leaf, "bool")
	}
	return v + " " + t.op + " " + t.literal
}

// and adds a condition unless it is already present.
func and(conditions []string, c string) []string {
	if slices.Contains(conditions, c) {
		return conditions
	}
	return append(conditions, c)
}

// guarded writes body inside an if statement with the conditions, or alone if there are no
// conditions.
func (w *walker) guarded(conditions []string, body func()) {
	if len(conditions) == 0 {
		body()
		return
	}
	w.f.P("if ", strings.Join(conditions, " && "), " {")
	body()
	w.f.P("}")
}

// present returns the condition under which encoding/json writes the field that o selects, or "" if
// it always does.
func (w *walker) present(at string, o op) string {
	switch o.absent {
	case ifEmpty:
		if b := basic(o.typ); b != nil && b.Info()&types.IsBoolean != 0 {
			return expr.Convert(at, o.typ, "bool")
		}
		return expr.NonEmpty(at, o.typ)
	case ifZero:
		return w.nonzero(at, o.typ)
	case ifIsZero:
		if _, ok := o.typ.Underlying().(*types.Pointer); ok {
			return at + " != nil && !" + at + ".IsZero()"
		}
		return "!" + at + ".IsZero()"
	}
	return ""
}

// implied reports whether the rest of a route can select something only if the field is neither
// empty nor zero, so that the field needs no guard. An absent list or map counts as one without
// elements, but an array always has its elements.
func implied(rest []op) bool {
	for _, o := range rest {
		if o.mapKey == nil && o.bound >= 0 && (o.kind == opIndex || o.kind == opEach) {
			return false
		}
		if o.kind != opField || o.absent != never {
			return true
		}
	}
	return false
}

// nonzero returns the condition that a value is not the zero value of its type, or "" if that
// cannot be tested.
func (w *walker) nonzero(at string, t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return w.present(at, op{typ: t, absent: ifEmpty})
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return at + " != nil"
	case *types.Array:
		if expr.Comparable(t) {
			return at + " != (" + w.f.Type(t) + "{})"
		}
	case *types.Struct:
		if expr.Comparable(t) {
			return at + " != (" + w.f.Type(t) + "{})"
		}
		var fields []string
		for f := range u.Fields() {
			c := ""
			if f.Exported() {
				c = w.nonzero(at+"."+f.Name(), f.Type())
			}
			if c == "" {
				return ""
			}
			fields = append(fields, c)
		}
		return "(" + strings.Join(fields, " || ") + ")"
	}
	return ""
}
