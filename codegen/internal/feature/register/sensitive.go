package register

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/model"
)

// sensitiveStruct is a struct with fields that hold secrets.
type sensitiveStruct struct {
	typ    *types.Named
	fields []string
}

// sensitive returns the structs with secrets in the objects of the package, in order of their
// names.
func (p *plan) sensitive() []sensitiveStruct {
	w := secretWalk{u: p.c.Universe, pkg: p.c.Package.Go, seen: map[string]bool{}}
	for _, k := range p.c.Package.Kinds {
		w.walk(k.Named, nil)
	}
	slices.SortFunc(w.found, func(a, b sensitiveStruct) int {
		return strings.Compare(types.TypeString(a.typ, nil), types.TypeString(b.typ, nil))
	})
	return w.found
}

// secretWalk visits the types of the fields of kinds.
type secretWalk struct {
	u     *model.Universe
	pkg   *types.Package
	seen  map[string]bool // for each named struct, whether it is a secret as a whole
	found []sensitiveStruct
}

// walk visits a type and what it contains. It reports whether a struct without a name that
// generated code could write has secrets: then the field that contains it is a secret as a whole.
// Above are the types around it without a struct in between.
func (w *secretWalk) walk(t types.Type, above []types.Type) (whole bool) {
	t = types.Unalias(t)
	if slices.ContainsFunc(above, func(o types.Type) bool { return types.Identical(o, t) }) {
		return false
	}
	n, _ := t.(*types.Named)
	st, _ := t.Underlying().(*types.Struct)
	if st == nil {
		above = append(above, t)
		for part := range model.Parts(t) {
			whole = w.walk(part, above) || whole
		}
		if n != nil {
			for part := range model.Parts(n.Underlying()) {
				whole = w.walk(part, above) || whole
			}
		}
		return whole
	}
	if n != nil {
		key := types.TypeString(n, nil)
		if whole, ok := w.seen[key]; ok {
			return whole
		}
		w.seen[key] = false
		for arg := range n.TypeArgs().Types() {
			w.walk(arg, nil)
		}
	}
	var names []string
	for _, f := range w.u.Fields(st) {
		if !f.Var.Exported() && !f.Embedded {
			continue // in no format
		}
		secret, _ := w.u.FieldTrait(model.Sensitive, f)
		if w.walk(f.Type, nil) || secret {
			names = append(names, goOrJSONName(f))
		}
	}
	switch {
	case len(names) == 0:
		return false
	case n == nil:
		return true
	case !n.Obj().Exported() && n.Obj().Pkg() != w.pkg:
		w.seen[types.TypeString(n, nil)] = true
		return true
	}
	w.found = append(w.found, sensitiveStruct{n, names})
	return false
}

// goOrJSONName returns the name in JSON, or the Go name of a field that has none.
func goOrJSONName(f *model.Field) string {
	if f.JSON.Name != "" && !f.JSON.Skip {
		return f.JSON.Name
	}
	return f.Name
}
