package model

import (
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/marker"
)

// DefaultMarker returns the marker with the default of something: +default, or that of kubebuilder.
func DefaultMarker(l marker.List) *marker.Marker {
	if m := l.Get("default"); m != nil {
		return m
	}
	return l.Get("kubebuilder:default")
}

// DefaultOf returns the marker whose default is set in a field, and the package that contains it:
// the marker of the field or, without one, that of its named type. Both are nil if neither has a
// marker, or if the markers of the package do not apply.
func (u *Universe) DefaultOf(f *Field) (*marker.Marker, *Package) {
	if m := DefaultMarker(f.Markers); m != nil && f.Var != nil && u.FollowsDefaults(f.Var.Pkg()) {
		return m, u.Package(f.Var.Pkg().Path())
	}
	t := types.Unalias(f.Type)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 || !u.FollowsDefaults(n.Obj().Pkg()) {
		return nil, nil
	}
	if mt := u.Type(n); mt != nil {
		return DefaultMarker(mt.Markers), mt.Package
	}
	return nil, nil
}

// FollowsDefaults reports whether default markers in the source of a package apply: code is
// generated for it, or a package of the module serves it. Those of another module apply only if the
// package that serves it says so, because its owner may set more defaults by other means, and some
// of the defaults are worse than none.
func (u *Universe) FollowsDefaults(pkg *types.Package) bool {
	p := u.Package(pkg.Path())
	if p == nil || p.Output || p.Std {
		return p != nil && p.Output
	}
	codecs := u.codecsOf(p)
	return p.Main() && len(codecs) > 0 || slices.ContainsFunc(codecs, func(c *Package) bool {
		m := c.Markers.Get("askind:defaults")
		return m != nil && m.Value != "false"
	})
}
