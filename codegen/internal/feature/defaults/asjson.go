package defaults

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// JSON returns the default in a marker as JSON, as schemas show it. It is blank for a marker with a
// mistake, which the plan of the defaults reports, and for null. The package is the one in whose
// source the marker stands.
func JSON(u *model.Universe, pkg *model.Package, m *marker.Marker) string {
	l, err := parse(m.Raw, m.Name != "default")
	if err != nil || l.kind == nullLiteral {
		return ""
	}
	v := &valuer{u: u, pkg: pkg, from: pkg}
	text, ok := v.json(l)
	if !ok {
		return ""
	}
	return text
}

func (v *valuer) json(l *literal) (string, bool) {
	switch l.kind {
	case textLiteral:
		return constraint.Quote(l.value), true
	case refLiteral:
		return v.constant(l.value)
	case listLiteral:
		out := make([]string, len(l.items))
		for i, item := range l.items {
			text, ok := v.json(item)
			if !ok {
				return "", false
			}
			out[i] = text
		}
		return "[" + strings.Join(out, ",") + "]", true
	case objectLiteral:
		out := make([]string, len(l.members))
		for i, m := range l.members {
			text, ok := v.json(m.lit)
			if !ok {
				return "", false
			}
			out[i] = constraint.Quote(m.name) + ":" + text
		}
		return "{" + strings.Join(out, ",") + "}", true
	}
	return l.text, true
}

// constant is the value of a constant that a marker refers to.
func (v *valuer) constant(name string) (string, bool) {
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
	case constant.Bool, constant.Int, constant.Float:
		return k.Val().String(), true
	}
	return "", false
}
