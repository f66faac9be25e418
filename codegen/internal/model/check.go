package model

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
)

// checkAlias reports markers of an alias. Markers are allowed only on aliases of named types of
// other packages, for which code can be generated.
func checkAlias(p *Package, name string, list marker.List, e Errors) {
	obj, ok := p.Go.Scope().Lookup(name).(*types.TypeName)
	if !ok || isKindMarked(list) { // reported elsewhere
		return
	}
	if n, ok := types.Unalias(obj.Type()).(*types.Named); ok && n.Obj().Pkg() != p.Go {
		return
	}
	for _, m := range list {
		if m.Def != nil && !m.Def.Ignored && m.Def.Place&marker.Type != 0 {
			e.Errorf(m.Pos, "marker-place", "marker +%s has no effect on the alias %s", m.Name, name).
				Suggest("a type of its own, without =, or the marker at the fields")
		}
	}
}

// checkMarkers validates every marker of a package.
func checkMarkers(p *Package, e Errors) {
	marker.Check(p.Markers, marker.Package, e.Universe.Position, e.List)
	for _, file := range p.loaded.Files {
		seen := map[*ast.CommentGroup]bool{}
		for _, g := range file.Comments {
			if g.End() < file.Package {
				seen[g] = true
			}
		}
		check := func(place marker.Place, docs ...*ast.CommentGroup) {
			for _, doc := range docs {
				if doc != nil && !seen[doc] {
					seen[doc] = true
					marker.Check(marker.Parse(doc), place, e.Universe.Position, e.List)
				}
			}
		}
		for _, ts := range typeSpecs(file) {
			if s := e.Universe.specs[ts.Name.Pos()]; s != nil {
				check(marker.Type, s.docs...)
				if ts.Assign.IsValid() {
					checkAlias(p, ts.Name.Name, marker.Parse(s.docs...), e)
				}
			}
			ast.Inspect(ts.Type, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok {
					check(marker.Field, e.Universe.above[f], f.Doc)
				}
				return true
			})
		}
		functions := map[*ast.CommentGroup]bool{}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				functions[fn.Doc] = true
			}
		}
		// The remaining comments belong to no declaration that the generator reads.
		for _, g := range file.Comments {
			for _, m := range marker.Missed(g) {
				e.Warnf(e.Universe.Position(m.Pos), "marker-near-miss", "%s is not a marker without \"// +\" directly before it",
					m.Name).Suggest("// %s", m.Line)
			}
			if seen[g] {
				continue
			}
			for _, m := range marker.Parse(g) {
				const text = "marker +%s stands at nothing it could apply to; put it directly above %s"
				switch {
				case functions[g] && m.Def != nil && m.Def.Place&marker.Function != 0:
					marker.Check(marker.List{m}, marker.Function, e.Universe.Position, e.List)
				case strings.HasPrefix(m.Name, "askind:"):
					e.Errorf(m.Pos, "marker-place", text, m.Name, where(m))
				case m.Def != nil && !m.Def.Ignored && strings.Contains(m.Name, ":"):
					// Another tool may read it there.
					e.Warnf(e.Universe.Position(m.Pos), "marker-place", text, m.Name, where(m))
				}
			}
		}
	}
}

// where describes the valid places of a marker, for messages.
func where(m *marker.Marker) string {
	place := marker.Package | marker.Type | marker.Field
	if m.Def != nil {
		place = m.Def.Place
	}
	var out []string
	for _, p := range []struct {
		place marker.Place
		text  string
	}{
		{marker.Type, "a type"},
		{marker.Field, "a field"},
		{marker.Function, "a function"},
		{marker.Package, "the package clause"},
	} {
		if place&p.place != 0 {
			out = append(out, p.text)
		}
	}
	return strings.Join(out, " or ")
}
