package defaults

import (
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// JSON returns the value in a marker, a default or an example of a type, as JSON, as schemas show
// it. It is blank for a marker with a mistake, which the plan of the defaults reports, and for
// null. The package is the one in whose source the marker stands; references need it.
func JSON(u *model.Universe, pkg *model.Package, t types.Type, m *marker.Marker) string {
	l, err := parse(m.Raw, m.Name != "default")
	if err != nil || l.kind == nullLiteral {
		return ""
	}
	v := &valuer{u: u, pkg: pkg, from: pkg}
	text, ok := v.json(t, l)
	if !ok {
		return ""
	}
	return text
}

// json returns a literal as JSON. The type decides what {} is; it is nil where it is not known.
func (v *valuer) json(t types.Type, l *literal) (string, bool) {
	switch l.kind {
	case textLiteral:
		return constraint.Quote(l.value), true
	case refLiteral:
		return v.constant(l.value)
	case listLiteral:
		out := make([]string, len(l.items))
		for i, item := range l.items {
			text, ok := v.json(v.inside(t, ""), item)
			if !ok {
				return "", false
			}
			out[i] = text
		}
		return v.filled(t, out), true
	case objectLiteral:
		if l.either && isList(t) {
			return v.filled(t, nil), true
		}
		out := make([]string, len(l.members))
		for i, m := range l.members {
			text, ok := v.json(v.inside(t, m.name), m.lit)
			if !ok {
				return "", false
			}
			out[i] = constraint.Quote(m.name) + ":" + text
		}
		return "{" + strings.Join(out, ",") + "}", true
	}
	return l.text, true
}

// filled returns the elements of a list as JSON. An array has all of its elements: those that a
// literal omits are zero.
func (v *valuer) filled(t types.Type, elements []string) string {
	if a, ok := pointee(t).(*types.Array); ok {
		for int64(len(elements)) < a.Len() {
			elements = append(elements, v.zero(a.Elem()))
		}
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// zero returns a zero value as JSON.
func (v *valuer) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		}
		return "0"
	case *types.Array:
		return v.filled(u, nil)
	case *types.Struct:
		var members []string
		for _, f := range v.u.JSONFields(u) {
			if !f.JSON.OmitEmpty && !f.JSON.OmitZero {
				members = append(members, constraint.Quote(f.Key)+":"+v.zero(f.Type))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return "null"
}

// pointee returns the type that a value of a type is written as: that of the element of a pointer.
// It is nil for nil.
func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem().Underlying()
	}
	return t.Underlying()
}

func isList(t types.Type) bool {
	switch pointee(t).(type) {
	case *types.Slice, *types.Array:
		return true
	}
	return false
}

// inside returns the type of the elements of a list, or of a member of an object. It is nil if it
// is not known.
func (v *valuer) inside(t types.Type, member string) types.Type {
	switch u := pointee(t).(type) {
	case *types.Slice, *types.Array, *types.Map:
		return model.Elem(u)
	case *types.Struct:
		for _, f := range v.u.JSONFields(u) {
			if f.Key == member {
				return f.Type
			}
		}
	}
	return nil
}

// constant is the value of a constant that a marker refers to.
func (v *valuer) constant(name string) (string, bool) {
	if v.from == nil {
		return "", false
	}
	pkg := v.from.Go
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		pkg = v.findPackage(name[:i])
		name = name[i+1:]
	}
	if pkg == nil {
		return "", false
	}
	k, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		return "", false
	}
	switch k.Val().Kind() {
	case constant.String:
		return constraint.Quote(constant.StringVal(k.Val())), true
	case constant.Bool, constant.Int:
		return k.Val().String(), true
	case constant.Float:
		f, _ := constant.Float64Val(k.Val())
		return strconv.FormatFloat(f, 'g', -1, 64), true
	}
	return "", false
}
