package model

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
)

// Build returns the model of a loaded program. It records problems of the input, such as unknown
// markers and type errors, in d; the model is usable for planning in any case.
func Build(program *load.Program, dir string, d *diag.List) (*Universe, error) {
	u := &Universe{
		Fset: program.Fset, dir: dir, program: program,
		packages: map[string]*Package{}, types: map[*types.TypeName]*Type{},
		fields: map[token.Pos]*ast.Field{}, above: map[*ast.Field]*ast.CommentGroup{},
		specs: map[token.Pos]*typeSyntax{},
		funcs: map[token.Pos]*ast.CommentGroup{},
	}
	e := Errors{List: d, Universe: u}
	var named []string
	u.selecting = true
	for _, lp := range program.Roots {
		p := u.Package(lp.Path)
		switch {
		case p.Output:
			u.Packages = append(u.Packages, p)
			u.syntaxErrors(lp, e)
			u.checkFiles(lp, e)
			u.checkNames(lp, e)
			p.checkerErrors(e, func(err types.Error) bool { return strings.Contains(err.Msg, " redeclared") })
		case p.switchedOn():
			e.Errorf(p.Pos, "outside-module", "package %s lies outside the main module, and nothing is written there",
				p.Path)
		}
		named = append(named, p.namedInMarkers()...)
	}
	if err := program.Extend(named...); err != nil {
		return nil, err
	}
	// A plan for a type without an end would have none either, so nothing is planned then.
	if slices.ContainsFunc(u.Packages, func(p *Package) bool { return p.endless(e) }) {
		u.Packages = nil
		return u, nil
	}
	for _, p := range u.Packages {
		p.adopt(e)
		p.checkCodecs(e)
	}
	for _, p := range u.Packages {
		checkMarkers(p, e)
		p.complete(e)
	}
	u.selecting = false
	for _, p := range u.packages {
		if !p.completed {
			p.adopt(Errors{List: new(diag.List), Universe: u})
			p.complete(Errors{List: new(diag.List), Universe: u})
		}
	}
	for _, p := range u.Packages {
		u.servedTwice(p, e)
	}
	u.checkStorage(e)
	for _, lp := range program.Roots {
		p := u.Package(lp.Path)
		if lp.Main && !p.switchedOn() && p.Markers.Get("askind:generate") == nil && len(u.codecsOf(p)) == 0 {
			p.kindsWithoutGroup(e)
			u.checkIgnored(lp, e)
		}
	}
	return u, nil
}

// complete finds the kinds and types of a package.
func (p *Package) complete(e Errors) {
	if p.Std || p.completed {
		return
	}
	p.completed = true
	p.findKinds(e)
	if p.Output {
		p.close(e)
	}
}

// SwitchMarks are the prefixes of the markers that enable a package, see [Package.switchedOn]. Only
// packages that contain one of them can be enabled.
var SwitchMarks = []string{"+groupName", "+askind:", "+k8s:protobuf-gen"}

// switchedOn reports whether files are generated for the package.
func (p *Package) switchedOn() bool {
	if m := p.Markers.Get("askind:generate"); m != nil {
		return m.Value != "false"
	}
	return p.HasGroup || p.AsksProto() || p.Markers.Has("askind:foreign")
}

// namedInMarkers returns the import paths in markers of the package.
func (p *Package) namedInMarkers() []string {
	var out []string
	for _, m := range p.Markers.All("askind:hub") {
		for path := range strings.SplitSeq(m.Value, ",") {
			out = append(out, strings.TrimSpace(path))
		}
	}
	for _, t := range p.declared() {
		for _, m := range t.Markers.All("askind:equivalent") {
			if i := strings.LastIndexByte(m.Value, '.'); i > 0 {
				out = append(out, m.Value[:i])
			}
		}
	}
	out = append(out, p.foreignPaths()...)
	out = append(out, p.codecPaths()...)
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// Hubs returns the packages that +askind:hub names, in order of writing. A path that cannot be
// loaded yields a nil package.
func (p *Package) Hubs() []Hub {
	var out []Hub
	for _, m := range p.Markers.All("askind:hub") {
		for path := range strings.SplitSeq(m.Value, ",") {
			path = strings.TrimSpace(path)
			out = append(out, Hub{Path: path, Marker: m, Package: p.universe.Package(path)})
		}
	}
	return out
}

// HubsFrom returns the hubs for the types of a package, which it or the packages that serve it
// name.
func (u *Universe) HubsFrom(p *Package) []Hub {
	out := p.Hubs()
	if !p.Output && !p.Std {
		for _, codec := range u.codecsOf(p) {
			out = append(out, codec.Hubs()...)
		}
	}
	return out
}

// Paths returns the sorted import paths of the known packages of the main module.
func (u *Universe) Paths() []string {
	var out []string
	for _, list := range [][]*load.Package{u.program.Roots, u.program.Idle} {
		for _, lp := range list {
			if lp.Main {
				out = append(out, lp.Path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Hub is one path of a +askind:hub marker.
type Hub struct {
	Path    string
	Marker  *marker.Marker
	Package *Package
}

// Declared returns all named types that the package declares, including generic types and types
// that do not take part in generation, in order of name.
func (p *Package) Declared() []*Type { return p.declared() }

func (p *Package) declared() []*Type {
	var out []*Type
	scope := p.Go.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() {
			continue
		}
		if n, ok := obj.Type().(*types.Named); ok {
			out = append(out, p.universe.Type(n))
		}
	}
	return out
}

// syntaxErrors reports syntax errors. Those in packages without generated code do not matter.
func (u *Universe) syntaxErrors(lp *load.Package, e Errors) {
	for _, err := range lp.ParseErrors {
		pos := err.Pos
		pos.Filename = load.Short(u.dir, pos.Filename)
		e.List.Errorf(pos, "syntax", "%s", err.Msg)
	}
}

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
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				ts := spec.(*ast.TypeSpec)
				if s := e.Universe.specs[ts.Name.Pos()]; s != nil {
					for _, doc := range s.docs {
						if !seen[doc] {
							seen[doc] = true
							marker.Check(marker.Parse(doc), marker.Type, e.Universe.Position, e.List)
						}
					}
					if ts.Assign.IsValid() {
						checkAlias(p, ts.Name.Name, marker.Parse(s.docs...), e)
					}
				}
				ast.Inspect(ts.Type, func(n ast.Node) bool {
					f, ok := n.(*ast.Field)
					if !ok {
						return true
					}
					for _, doc := range []*ast.CommentGroup{e.Universe.above[f], f.Doc} {
						if doc != nil && !seen[doc] {
							seen[doc] = true
							marker.Check(marker.Parse(doc), marker.Field, e.Universe.Position, e.List)
						}
					}
					return true
				})
			}
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
	if place&marker.Type != 0 {
		out = append(out, "a type")
	}
	if place&marker.Field != 0 {
		out = append(out, "a field")
	}
	if place&marker.Function != 0 {
		out = append(out, "a function")
	}
	if place&marker.Package != 0 {
		out = append(out, "the package clause")
	}
	return strings.Join(out, " or ")
}

// takesPart reports whether t is among the types of p.
func (p *Package) takesPart(t *Type) bool {
	i, ok := slices.BinarySearchFunc(p.Types,
		t.Name, func(t *Type, name string) int { return cmp.Compare(t.Name, name) })
	return ok && p.Types[i].Named.Obj() == t.Named.Obj()
}

// close fills the Types of the package: those that take part by themselves and all types of the
// package that these reach. References from other packages do not count: the output for a package
// depends only on its own sources.
func (p *Package) close(e Errors) {
	done := map[*types.TypeName]bool{}
	var visit func(t *Type)
	var walk func(t types.Type)
	walk = func(t types.Type) {
		for part := range Parts(t) {
			walk(part)
		}
		n, ok := types.Unalias(t).(*types.Named)
		switch {
		case !ok || !p.Owns(n.Obj()):
		case n.TypeArgs().Len() == 0:
			visit(p.universe.Type(n))
		case !done[n.Obj()]:
			// An instance has no functions; the types in it are visited once.
			done[n.Obj()] = true
			walk(n.Origin().Underlying())
		}
	}
	visit = func(t *Type) {
		if done[t.Named.Obj()] {
			return
		}
		done[t.Named.Obj()] = true
		if !composite(t.Named.Underlying()) {
			return
		}
		// A disabled type has no functions, but its fields are generated inline in the functions of
		// types that contain it.
		if m := t.Markers.Get("askind:generate"); (m == nil || m.Value != "false") &&
			(t.Exported() || !p.IsForeign(t)) {
			p.Types = append(p.Types, t)
		}
		// The contents of a type with hand-written functions do not matter.
		if p.handWritten(t.Named) {
			return
		}
		p.typeErrors(t, e)
		walk(t.Named.Underlying())
	}
	for _, t := range p.declared() {
		if p.starts(t) {
			visit(t)
		}
	}
	for _, t := range p.foreignTypes() {
		if p.starts(t) {
			visit(t)
		}
	}
	slices.SortFunc(p.Types, func(a, b *Type) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Package.Path, b.Package.Path))
	})
	for i, t := range p.Types {
		readTraits(t, e)
		if i > 0 && p.Types[i-1].Name == t.Name {
			e.Errorf(p.Pos, "foreign-name",
				"both %s and %s have a type %s; only one of them can have its functions here",
				p.Types[i-1].Package.Path, t.Package.Path, t.Name)
		}
	}
}

// starts reports whether a declared type takes part by itself.
func (p *Package) starts(t *Type) bool {
	if t.Named.TypeParams().Len() > 0 {
		return false
	}
	if m := t.Markers.Get("askind:generate"); m != nil {
		return m.Value != "false"
	}
	if k := p.Kind(t.Name); k != nil && k.Named.Obj() == t.Named.Obj() {
		return true
	}
	return t.Exported() && slices.ContainsFunc(t.Fields, func(f *Field) bool { return f.JSON.Present })
}

// composite reports whether a type has parts, so that its own functions are worthwhile.
func composite(t types.Type) bool {
	switch t.(type) {
	case *types.Struct, *types.Slice, *types.Map, *types.Array:
		return true
	}
	return false
}

// handWritten reports whether all functions of a type in the package are hand-written. The deep
// copy of a foreign type may be its own method.
func (p *Package) handWritten(n *types.Named) bool {
	for _, op := range []Op{DeepCopyInto, AppendJSON, DecodeJSON} {
		if op.Prefix == DeepCopyInto.Prefix && n.Obj().Pkg() != p.Go && CopiesInto(n) {
			continue
		}
		fn, ok := p.Go.Scope().Lookup(op.Name(n.Obj().Name())).(*types.Func)
		if !ok || !op.signature(n, fn.Signature()) {
			return false
		}
	}
	return true
}

// checkerErrors reports those errors of the type checker that a function selects, and returns their
// positions.
func (p *Package) checkerErrors(e Errors, selects func(types.Error) bool) (found []token.Pos) {
	var last *diag.Diagnostic
	for _, err := range p.loaded.TypeErrors {
		// A second declaration of a name is an error; the position of the first follows as another.
		if other, ok := strings.CutPrefix(err.Msg, "\t"); ok {
			if last != nil {
				last.Relate(e.Universe.Position(err.Pos), "%s", other)
			}
			continue
		}
		if last = nil; selects(err) {
			last = e.Errorf(err.Pos, "type", "%s", err.Msg)
			found = append(found, err.Pos)
		}
	}
	return found
}

// typeErrors reports the errors of the type checker in the declaration of a type that takes part.
func (p *Package) typeErrors(t *Type, e Errors) {
	u := p.universe
	s := u.specs[t.Pos]
	if s == nil {
		return
	}
	found := t.Package.checkerErrors(e, func(err types.Error) bool {
		return s.spec.Pos() <= err.Pos && err.Pos <= s.spec.End()
	})
	for _, f := range t.Fields {
		if !ContainsInvalid(f.Type) {
			continue
		}
		syntax := u.fields[f.Pos]
		if syntax != nil && slices.ContainsFunc(found, func(pos token.Pos) bool {
			return syntax.Pos() <= pos && pos <= syntax.End()
		}) {
			continue
		}
		d := e.Errorf(f.Pos, "type", "the type of %s.%s is not known", t.Name, f.Name)
		for _, err := range t.Package.loaded.TypeErrors {
			if !strings.Contains(err.Msg, "could not import") {
				continue
			}
			// The go command's advice is on separate lines.
			msg, _, cut := strings.Cut(err.Msg, "; to add it:")
			if cut {
				msg += ")"
			}
			d.Relate(u.Position(err.Pos), "%s", msg)
		}
	}
}

// SharesName reports whether several fields of the struct have this name in JSON, which is an
// error.
func (t *Type) SharesName(name string) bool {
	n := 0
	for _, f := range t.Fields {
		if name != "" && !f.JSON.Skip && f.JSON.Name == name && f.Exported() {
			n++
		}
	}
	return n > 1
}

// ContainsInvalid reports whether a type contains an undefined type. The type checker has reported
// it; another error about the type would repeat that without the name.
func ContainsInvalid(t types.Type) bool {
	for part := range Parts(t) {
		if ContainsInvalid(part) {
			return true
		}
	}
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
