package model

import (
	"slices"

	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
)

// Hub is one path of a +askind:hub marker.
type Hub struct {
	Path    string
	Marker  *marker.Marker
	Package *Package
}

// Hubs returns the packages that +askind:hub names, in order of writing. A path that cannot be
// loaded yields a nil package.
func (p *Package) Hubs() []Hub {
	var out []Hub
	for path, m := range p.listed("askind:hub") {
		out = append(out, Hub{Path: path, Marker: m, Package: p.universe.Package(path)})
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
