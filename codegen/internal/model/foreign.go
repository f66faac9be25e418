package model

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/marker"
)

// Types of packages that cannot be edited have their functions in a package of the main module,
// their codec package. It names the types that it serves with +askind:foreign, and its generated
// files contain the functions with the names that they would have beside the types. [Universe.Func]
// finds such a function wherever it is.

// Foreign is one entry of a +askind:foreign marker: a package for whose types the marked package
// has functions.
type Foreign struct {
	Path   string
	Marker *marker.Marker
	// Package is nil if it cannot be loaded.
	Package *Package
	// Name limits the entry to one type and the types it reaches; blank for all types.
	Name string
}

// foreignMarker identifies the files of codec packages.
const foreignMarker = "+askind:foreign="

// foreignEntries reads the markers: import paths, or import/path.Type, separated by commas.
func (p *Package) foreignEntries() []*Foreign {
	var out []*Foreign
	for path, m := range p.listed("askind:foreign") {
		f := &Foreign{Path: path, Marker: m}
		last := path[strings.LastIndexByte(path, '/')+1:]
		if i := strings.LastIndexByte(last, '.'); i > 0 && token.IsExported(last[i+1:]) {
			f.Name = last[i+1:]
			f.Path = strings.TrimSuffix(path, "."+f.Name)
		}
		out = append(out, f)
	}
	return out
}

// foreignPaths returns the import paths of the foreign packages, and of meta/v1, whose metadata
// types are compared with theirs.
func (p *Package) foreignPaths() []string {
	var out []string
	for _, f := range p.foreignEntries() {
		out = append(out, f.Path)
	}
	if len(out) > 0 {
		out = append(out, emit.MetaV1)
	}
	return out
}

// checkCodecs reports the packages of +askind:codecs markers that do not exist. Their functions
// would be generated in p instead, which may be many thousand lines.
func (p *Package) checkCodecs(e Errors) {
	for path, m := range p.listed("askind:codecs") {
		if p.universe.Package(path) == nil {
			e.Errorf(m.ValuePos, "codecs-package",
				"there is no package %s in the modules of go.mod; go mod tidy keeps its module if this package imports it",
				path).
				Suggest("import _ %q // called by generated code", path)
		}
	}
}

// adopt resolves the foreign packages once they are loaded: their group, and the markers that the
// package adds to their types.
func (p *Package) adopt(e Errors) {
	p.Foreign = p.foreignEntries()
	if len(p.Foreign) == 0 {
		return
	}
	for _, f := range p.Foreign {
		f.Package = p.universe.Package(f.Path)
		switch {
		case f.Package == nil:
			e.Errorf(f.Marker.ValuePos, "foreign-package", "there is no package %s",
				f.Path).Suggest("go get %s", f.Path)
		case f.Package.Output:
			e.Errorf(f.Marker.ValuePos, "foreign-package", "package %s generates for its own types", f.Path)
		case f.Name != "" && f.Package.Find(f.Name) == nil:
			e.Errorf(f.Marker.ValuePos, "foreign-type", "there is no type %s in package %s", f.Name, f.Path)
		case !p.HasGroup && f.Package.HasGroup && f.Name == "":
			p.HasGroup, p.Group = true, f.Package.Group
		}
		if p.Markers.Get("versionName") == nil && f == p.Foreign[0] && f.Package != nil {
			p.Version = f.Package.Version
		}
	}
	p.Foreign = slices.DeleteFunc(p.Foreign, func(f *Foreign) bool { return f.Package == nil })
	p.annotate(e)
	p.checkForeignGroup(e)
}

// checkForeignGroup reports kinds that would not be registered, because neither the package nor the
// foreign one declares a group.
func (p *Package) checkForeignGroup(e Errors) {
	if p.HasGroup || p.Markers.Has("askind:kinds") {
		return
	}
	for _, t := range p.foreignTypes() {
		if t.looksLikeKind() || isKindMarked(t.Markers) && t.EmbedsTypeMeta() != nil {
			e.Errorf(p.Foreign[0].Marker.ValuePos, "foreign-group",
				"%s looks like a kind, and neither package has a group, so no kinds are registered", t.Name).
				Suggest("// +groupName=example.com, or // +askind:kinds=none if they are not to be kinds")
			return
		}
	}
}

// annotate reads the markers that the package adds to foreign types, by aliases such as
//
//	// +askind:kind:scope=Cluster
//	type _ = corev1.Node
//
// A named alias does the same and can also be used by callers.
func (p *Package) annotate(e Errors) {
	for _, file := range p.loaded.Files {
		for _, ts := range typeSpecs(file) {
			s := p.universe.specs[ts.Name.Pos()]
			if !ts.Assign.IsValid() || s == nil {
				continue
			}
			t := p.named(file, ts.Type)
			switch {
			case t != nil && p.IsForeign(t) && p.Owns(t.Named.Obj()):
				t.Markers = append(t.Markers, marker.Parse(s.docs...)...)
			case ts.Name.Name == "_":
				e.Errorf(ts.Pos(), "foreign-alias", "markers on a blank alias are for a type that +askind:foreign names")
			}
		}
	}
}

// named resolves a qualified type name of a file.
func (p *Package) named(file *ast.File, e ast.Expr) *Type {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, "`\"")
		other := p.universe.Package(path)
		if other == nil || spec.Name == nil && other.Name != x.Name || spec.Name != nil && spec.Name.Name != x.Name {
			continue
		}
		return other.Find(sel.Sel.Name)
	}
	return nil
}

// Owns reports whether the functions of a type declared as obj belong in the package: the type is
// its own, or foreign.
func (p *Package) Owns(obj types.Object) bool {
	if obj.Pkg() == p.Go {
		return true
	}
	return obj.Pkg() != nil &&
		slices.ContainsFunc(p.Foreign, func(f *Foreign) bool { return f.Package.Go == obj.Pkg() })
}

// IsForeign reports whether a type is declared in another package than its functions.
func (p *Package) IsForeign(t *Type) bool { return t.Named.Obj().Pkg() != p.Go }

// foreignTypes returns the foreign types that may take part by themselves, in order of name.
func (p *Package) foreignTypes() []*Type {
	var out []*Type
	for _, f := range p.Foreign {
		for _, t := range f.Package.Declared() {
			if t.Exported() && (f.Name == "" || f.Name == t.Name) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Served returns the types whose functions may be in the package: those that it declares, and those
// of foreign packages that may take part by themselves.
func (p *Package) Served() []*Type { return append(p.Declared(), p.foreignTypes()...) }

// foreignKinds returns the foreign types that are kinds: those that +askind:kinds lists or, without
// it, all with type meta that are marked as kinds or have metadata.
func (p *Package) foreignKinds(e Errors) []*Type {
	all := p.foreignTypes()
	if m := p.Markers.Get("askind:kinds"); m != nil {
		var out []*Type
		for name := range strings.SplitSeq(m.Value, ",") {
			name = strings.TrimSpace(name)
			if name == "none" {
				continue
			}
			i := slices.IndexFunc(all, func(t *Type) bool { return t.Name == name })
			if i < 0 {
				e.Errorf(m.ValuePos, "foreign-kind", "there is no type %s in the foreign packages", name)
				continue
			}
			out = append(out, all[i])
		}
		return out
	}
	return slices.DeleteFunc(all, func(t *Type) bool {
		return t.EmbedsTypeMeta() == nil || !isKindMarked(t.Markers) && !t.looksLikeKind()
	})
}

// looksLikeKind reports whether a type has the fields of a kind.
func (t *Type) looksLikeKind() bool {
	tm := t.EmbedsTypeMeta()
	if tm == nil || tm.JSON.Name != "" || tm.JSON.Skip {
		return false
	}
	return slices.ContainsFunc(t.Fields, func(f *Field) bool {
		return f.JSON.Name == "metadata" && IsMetadata(f)
	})
}

// Home returns the package with the functions of a type: its own, or the codec package that serves
// it.
func (u *Universe) Home(n *types.Named) *Package {
	obj := n.Obj()
	own := u.Package(obj.Pkg().Path())
	if own == nil || own.Output || own.Std {
		return own
	}
	// While packages are selected, codec packages are not known yet.
	if u.selecting || own.Path == emit.MetaV1 {
		return own
	}
	for _, codec := range u.codecsOf(own) {
		if codec.serves(u.Type(n)) {
			return codec
		}
	}
	return own
}

// servedTwice reports the foreign types of a package whose functions are also in another package,
// so that calls would be ambiguous.
func (u *Universe) servedTwice(p *Package, e Errors) {
	others := map[*Package][]string{}
	for _, t := range p.Types {
		if !p.IsForeign(t) {
			continue
		}
		for _, other := range u.codecsOf(t.Package) {
			if other != p && other.serves(t) {
				others[other] = append(others[other], t.Name)
			}
		}
	}
	for _, f := range p.Foreign {
		for _, other := range u.codecsOf(f.Package) {
			names := others[other]
			if delete(others, other); len(names) == 0 {
				continue
			}
			what := names[0]
			if len(names) > 1 {
				what += " and " + strconv.Itoa(len(names)-1) + " more"
			}
			d := e.Errorf(f.Marker.ValuePos, "foreign-twice",
				"both %s and %s have the functions for %s of %s; remove the marker from one of them, or let each name the types that it serves",
				p.Path, other.Path, what, f.Path)
			if f.Name == "" {
				d.Suggest("// +askind:foreign=%s.%s", f.Path, names[0])
			}
			for _, o := range other.Foreign {
				if o.Package == f.Package {
					d.Relate(u.Position(o.Marker.Pos), "the other marker")
					break
				}
			}
		}
	}
}

// serves reports whether a package has the functions of a foreign type.
func (p *Package) serves(t *Type) bool { return p.Output && p.takesPart(t) || p.byHand(t.Named) }

// byHand reports whether the scope of a package has a function of the right signature for a type.
func (p *Package) byHand(n *types.Named) bool {
	return p.declares(AppendJSON, n) || p.declares(DeepCopyInto, n) || p.declares(PrependProto, n)
}

// codecsOf returns the codec packages that name a package, in order of path. It searches the main
// module for them when the functions of a type are first needed that has none in its own package,
// so the result does not depend on the packages that the run selects.
func (u *Universe) codecsOf(own *Package) []*Package {
	if u.codecs == nil {
		u.codecs = map[string][]*Package{}
		paths := u.program.MainPackagesWith(foreignMarker)
		for _, p := range u.Packages {
			for path := range p.listed("askind:codecs") {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		// Packages that cannot be listed have no functions; checkCodecs reports them.
		_ = u.program.Extend(paths...)
		for _, path := range paths {
			p := u.Package(path)
			if p == nil {
				continue
			}
			seen := map[string]bool{}
			for _, f := range p.Foreign {
				if !seen[f.Path] {
					seen[f.Path] = true
					u.codecs[f.Path] = append(u.codecs[f.Path], p)
				}
			}
		}
	}
	return u.codecs[own.Path]
}
