package defaults

import (
	"cmp"
	"go/types"
	"regexp"
	"strconv"
	"time"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
)

// isLeaf reports whether a type is a single value rather than a struct of fields.
func (v *valuer) isLeaf(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	return isDuration(n) || fromString(n) != nil || parserOf(n) != nil || v.ownJSON(n)
}

// leaf handles types whose JSON form is not that of their fields: durations are computed by the
// generator, IntOrString has constructors, and others have a function that parses their text.
func (v *valuer) leaf(n *types.Named, l *literal) (expr.Source, bool) {
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil, false
	}
	switch {
	case isDuration(n):
		return v.duration(n, l), true
	case l.kind == textLiteral && fromString(n) != nil:
		return expr.Source{fromString(n), "(" + strconv.Quote(l.value) + ")"}, true
	case l.kind == numberLiteral && fromInt32(n) != nil:
		text, ok := v.basic(types.Typ[types.Int32], types.Typ[types.Int32], l)
		if !ok {
			return nil, true
		}
		return expr.Source{fromInt32(n), "(" + text + ")"}, true
	case parserOf(n) != nil:
		if l.kind != textLiteral && l.kind != numberLiteral {
			v.wrong(n, l, "a text in quotes")
			return nil, true
		}
		text := l.value
		if l.kind == numberLiteral {
			text = l.text
		}
		if n.Obj().Name() == "Quantity" && !quantity.MatchString(text) {
			return v.fail(l, "%q is not a quantity such as 500m or 10Gi", text), true
		}
		if v.nested > 0 {
			return v.fail(l, "a default for %s inside a list or an object cannot be written as a literal; set it in SetDefaults",
				v.typeName(n)), true
		}
		v.parse = parserOf(n)
		return expr.Source{strconv.Quote(text)}, true
	case v.ownJSON(n):
		return v.fail(
			l, "%s has its own JSON form, so its default cannot be written as a literal; set it in SetDefaults",
			v.typeName(n),
		), true
	}
	return nil, false
}

// quantity is the notation of the Kubernetes resource model.
var quantity = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$`)

// isDuration reports whether a type is a struct around time.Duration with a JSON form such as
// 1h30m.
func isDuration(n *types.Named) bool {
	st, ok := n.Underlying().(*types.Struct)
	return ok && st.NumFields() == 1 && st.Field(0).Embedded() && model.IsNamed(st.Field(0).Type(), "time", "Duration")
}

func (v *valuer) duration(n *types.Named, l *literal) expr.Source {
	d, err := time.ParseDuration(l.value)
	if l.kind != textLiteral || err != nil {
		return v.fail(l, `%s is not a duration such as "1h30m"`, shorten(l.text))
	}
	out := expr.Source{n, "{Duration: "}
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{
		{"Hour", time.Hour},
		{"Minute", time.Minute},
		{"Second", time.Second},
		{"Millisecond", time.Millisecond},
		{"Microsecond", time.Microsecond},
		{"Nanosecond", time.Nanosecond},
	} {
		if d%unit.d == 0 {
			return append(out, strconv.FormatInt(int64(d/unit.d), 10)+" * ", emit.Ident{Path: "time", Name: unit.name},
				"}")
		}
	}
	return nil
}

// constructor finds func name(arg) T or, if it may fail, func name(arg) (T, error) in the package
// of T.
func constructor(n *types.Named, name string, arg types.Type, fails bool) *types.Func {
	if n.Obj().Pkg() == nil {
		return nil
	}
	fn, ok := n.Obj().Pkg().Scope().Lookup(name).(*types.Func)
	if !ok {
		return nil
	}
	in, out, results := fn.Signature().Params(), fn.Signature().Results(), 1
	if fails {
		results = 2
	}
	if in.Len() != 1 || out.Len() != results || !types.Identical(in.At(0).Type(), arg) ||
		!types.Identical(out.At(0).Type(), n) || fails && !model.IsError(out.At(1).Type()) {
		return nil
	}
	return fn
}

// fromString and fromInt32 find the functions that make an IntOrString.
func fromString(n *types.Named) *types.Func {
	return constructor(n, "FromString", types.Typ[types.String], false)
}

func fromInt32(n *types.Named) *types.Func {
	return constructor(n, "FromInt32", types.Typ[types.Int32], false)
}

// parserOf finds func ParseT(string) (T, error), or Parse, in the package of T.
func parserOf(n *types.Named) *types.Func {
	return cmp.Or(constructor(n, "Parse"+n.Obj().Name(), types.Typ[types.String], true),
		constructor(n, "Parse", types.Typ[types.String], true))
}

// ownJSON reports whether a type has its own decoding.
func (v *valuer) ownJSON(n *types.Named) bool {
	return v.u.Func(model.DecodeJSON, n).State == model.Declared && n.Obj().Pkg() == v.pkg.Go ||
		model.Method(n, "UnmarshalJSON") != nil
}
