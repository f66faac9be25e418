// Package fromcrd generates Go types from CustomResourceDefinitions.
//
// [Read] reads the definitions in a YAML file, [Plan] chooses the Go types for the schemas, and
// [Package.Files] returns them with the markers from which askind crd generates the same schemas
// again. Anything that Go types and markers cannot express is reported with its line, never dropped
// silently.
package fromcrd

import (
	"cmp"
	"slices"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/schema"
)

// Definition is a CustomResourceDefinition.
type Definition struct {
	Group                            string
	Kind, ListKind, Plural, Singular string
	ShortNames, Categories           []string
	Cluster                          bool
	// Versions in the order of the file.
	Versions []*Version

	at at
}

// Version is one version of a definition.
type Version struct {
	Name                        string
	Unserved, Storage, Status   bool
	Deprecated                  bool
	Warning                     string
	Columns                     []*Column
	Selectable                  []Text
	SpecPath, StatusPath, Label Text
	Schema                      *Schema

	at at
}

// Column is a column of a table.
type Column struct {
	Name, Type, Format, Description, Priority string
	Path                                      Text
}

// Text is a string of the file with its position.
type Text struct {
	Text string
	at   at
}

// at is a position in the file.
type at struct{ line, column int }

// storage returns the version that objects are stored in.
func (d *Definition) storage() *Version {
	if i := slices.IndexFunc(d.Versions, func(v *Version) bool { return v.Storage }); i >= 0 {
		return d.Versions[i]
	}
	return d.Versions[0]
}

// Package is a Go package for one version of a group.
type Package struct {
	Group, Version string
	// Dir is the directory relative to that of the module, with slashes, Path the import path.
	Dir, Path string
	// Hubs are the packages that the kinds are converted to and from.
	Hubs []*Package
	// Kinds are the names of its kinds, in order.
	Kinds []string
	// Pending are the names of the conversion functions that have to be written.
	Pending []string

	files map[string][]byte
}

// Files returns the source of the package by file name.
func (p *Package) Files() map[string][]byte { return p.files }

// Plan returns the packages of some definitions, in order of group and version. The directory of a
// package is its version or, if there are several groups, its version below the directory that
// groupDir returns for the group. Errors and losses are reported to d.
func Plan(defs []*Definition, file, root string, groupDir func(group string) string, d *diag.List) []*Package {
	type key struct{ group, version string }
	byKey := map[key]*Package{}
	planners := map[*Package]*planner{}
	var out []*Package
	for _, def := range defs {
		for _, v := range def.Versions {
			k := key{def.Group, v.Name}
			p := byKey[k]
			if p == nil {
				dir := v.Name
				if g := groupDir(def.Group); g != "" {
					dir = g + "/" + v.Name
				}
				p = &Package{
					Group: def.Group, Version: v.Name, Dir: dir, Path: root + "/" + dir, files: map[string][]byte{},
				}
				byKey[k], out = p, append(out, p)
				planners[p] = newPlanner(p, file, d)
			}
			p.Kinds = append(p.Kinds, def.Kind)
			planners[p].taken[def.Kind], planners[p].taken[def.ListKind] = true, true
		}
	}
	// Versions are converted to and from the storage version. If kinds of a group have different
	// storage versions, two packages could be each other's hub; then one of them is the hub for
	// both.
	for _, def := range defs {
		stored := byKey[key{def.Group, def.storage().Name}]
		for _, v := range def.Versions {
			if p := byKey[key{def.Group, v.Name}]; p != stored && !slices.Contains(p.Hubs, stored) &&
				!slices.Contains(stored.Hubs, p) {
				p.Hubs = append(p.Hubs, stored)
			}
		}
	}
	for _, def := range defs {
		for _, v := range def.Versions {
			planners[byKey[key{def.Group, v.Name}]].kind(def, v)
		}
	}
	for _, p := range out {
		planners[p].finish()
		slices.Sort(p.Kinds)
	}
	slices.SortFunc(out, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), schema.CompareVersions(b.Version, a.Version))
	})
	return out
}
