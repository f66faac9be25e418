package defaults

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Untouched reports whether it is certain that setting the defaults of an object changes nothing of
// what is read of it.
func Untouched(c *feature.Context, k *model.Kind, tree *reads.Tree) bool {
	if !k.Package.Output {
		return false
	}
	p := newPlanner(&feature.Context{Universe: c.Universe, Package: k.Package, Diagnostics: new(diag.List)})
	p.findSetters()
	return !p.sets(k.Named, tree)
}

// sets reports whether a default may be set in what is read of a value.
func (p *planner) sets(t types.Type, tree *reads.Tree) bool {
	if !p.reaches(t, map[types.Type]bool{}) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		// A function written by hand may set everything below its type.
		if p.setters[n.Obj()] != nil || p.u.Func(model.Default, n).State == model.Declared || p.u.Home(n) != p.pkg {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.sets(u.Elem(), tree)
	case *types.Slice:
		return tree.Whole || tree.Elem != nil && p.sets(u.Elem(), tree.Elem)
	case *types.Struct:
		if tree.Whole {
			return true
		}
		for _, f := range p.u.Fields(u) {
			if below := tree.Fields[f.Name]; below != nil && (p.markerOf(f) != nil || p.sets(f.Type, below)) {
				return true
			}
		}
		return false
	}
	return true
}
