package schemas

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/model"
)

const modelPackage = "k8s:openapi-model-package"

// Name returns the name of the definition of a type: by convention, as for a
// CustomResourceDefinition, the parts of the group in reverse order, the version and the type; for
// a package without a group, the import path. A marker of the package or the type can override it.
// The arguments of a generic type follow its name, with the import paths of other packages.
func Name(u *model.Universe, n *types.Named) string {
	obj := n.Obj()
	name := obj.Name()
	for arg := range n.TypeArgs().Types() {
		name += "_" + clean(types.TypeString(arg, func(p *types.Package) string {
			if p == obj.Pkg() {
				return p.Name()
			}
			return fromPath(p.Path())
		}))
	}
	p := u.Package(obj.Pkg().Path())
	if p == nil {
		return fromPath(obj.Pkg().Path()) + "." + name
	}
	if t := u.Type(n); t != nil {
		if m := t.Markers.Get(modelPackage); m != nil {
			return strings.TrimSpace(m.Value) + "." + name
		}
	}
	if m := p.Markers.Get(modelPackage); m != nil {
		return strings.TrimSpace(m.Value) + "." + name
	}
	if p.HasGroup && !strings.HasPrefix(p.Path, "k8s.io/") {
		group := strings.Split(p.Group, ".")
		slices.Reverse(group)
		if p.Group == "" {
			group = []string{"core"}
		}
		return strings.Join(group, ".") + "." + p.Version + "." + name
	}
	return fromPath(p.Path) + "." + name
}

// fromPath returns an import path with the parts of the host in reverse order and dots for slashes.
func fromPath(path string) string {
	parts := strings.Split(path, "/")
	host := strings.Split(parts[0], ".")
	slices.Reverse(host)
	parts[0] = strings.Join(host, ".")
	for i := range parts {
		parts[i] = clean(parts[i])
	}
	return strings.Join(parts, ".")
}

// clean replaces characters that are invalid in the name of a definition.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}
