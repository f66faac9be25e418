package model

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
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
	d.Suppressed = u.suppressed
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
	// A plan for a type without an end would have none either, and findings about a kind whose
	// metadata is not known would all follow from that, so nothing is planned then.
	if slices.ContainsFunc(u.Packages, func(p *Package) bool { return p.endless(e) || p.unknownMeta(e) }) {
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
			p.adopt(u.quiet())
			p.complete(u.quiet())
		}
	}
	for _, p := range u.Packages {
		u.servedTwice(p, e)
	}
	u.checkStorage(e)
	u.checkScopes(e)
	for _, lp := range program.Roots {
		p := u.Package(lp.Path)
		if lp.Main && !p.switchedOn() && p.Markers.Get("askind:generate") == nil && len(u.codecsOf(p)) == 0 {
			p.kindsWithoutGroup(e)
			u.checkIgnored(lp, e)
		}
	}
	for _, lp := range program.Excluded {
		if !slices.ContainsFunc(lp.Ignored, switchesOff) {
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
	for _, name := range []string{"askind:hub", "askind:codecs"} {
		for path := range p.listed(name) {
			out = append(out, path)
		}
	}
	for _, t := range p.Declared() {
		for _, m := range t.Markers.All("askind:equivalent") {
			if i := strings.LastIndexByte(m.Value, '.'); i > 0 {
				out = append(out, m.Value[:i])
			}
		}
	}
	return append(out, p.foreignPaths()...)
}

// listed yields the entries of the markers with a name, whose values are lists separated by commas.
func (p *Package) listed(name string) iter.Seq2[string, *marker.Marker] {
	return func(yield func(string, *marker.Marker) bool) {
		for _, m := range p.Markers.All(name) {
			for entry := range strings.SplitSeq(m.Value, ",") {
				if entry = strings.TrimSpace(entry); entry != "" && !yield(entry, m) {
					return
				}
			}
		}
	}
}

// Declared returns all named types that the package declares, including generic types and types
// that do not take part in generation, in order of name.
func (p *Package) Declared() []*Type {
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
			if ContainsInvalid(t.Named) {
				p.typeErrors(t, e)
			}
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
	for _, t := range p.Served() {
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
	return (p.declares(DeepCopyInto, n) || n.Obj().Pkg() != p.Go && CopiesInto(n)) && p.declares(AppendJSON, n) &&
		p.declares(DecodeJSON, n)
}

// declares reports whether the source of the package has the function of an operation for a type.
func (p *Package) declares(op Op, n *types.Named) bool {
	fn := p.Lookup(op.Name(n.Obj().Name()))
	return fn != nil && op.Fits(fn.Signature(), n)
}
