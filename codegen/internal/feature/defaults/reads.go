package defaults

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Untouched reports whether setting the defaults of an object is known not to change the parts of
// it that are read.
func Untouched(c *feature.Context, k *model.Kind, tree *reads.Tree) bool {
	if !k.Package.Output {
		return false
	}
	p := newPlanner(&feature.Context{
		Universe: c.Universe, Package: k.Package, Diagnostics: new(diag.List), Log: func(string) {},
	})
	p.findSetters()
	return !p.sets(k.Named, tree)
}

// sets reports whether a default may be set in the parts of a value that are read.
func (p *planner) sets(t types.Type, tree *reads.Tree) bool {
	if !p.reaches(t, map[types.Type]bool{}) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		// A hand-written function may set everything below its type.
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
			if below := tree.Fields[f.Name]; below != nil && (p.marked(f) || p.sets(f.Type, below)) {
				return true
			}
		}
		return false
	}
	return true
}
