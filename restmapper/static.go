package restmapper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Static is a [Mapper] over a fixed list of resources. Lookups use indexes that are built once:
// they do not allocate, and their cost does not depend on the number of resources. A Static is
// immutable.
type Static struct {
	exact map[schema.GroupVersionResource]*Mapping
	names map[string]*namesake
	kinds map[schema.GroupKind][]*Mapping
	// categories lists the resources of each category in the order of preference.
	categories map[string][]schema.GroupResource
}

// namesake holds the possible meanings of one name.
type namesake struct {
	all []*Mapping // in the order of preference
	// ranked is how many of them belong to groups that have an order.
	ranked int
	// best is the meaning of the bare name; nil if it is ambiguous.
	best *Mapping
}

// NewStatic returns a mapper. The preferred version of a group must precede its other versions in
// resources. If a bare name belongs to several groups, the first of the given groups wins; if none
// of them has it, the name is ambiguous. The core group is "".
//
// Plurals and singulars take precedence over short names. Two resources with the same group,
// version and name, or a kind with two resources in one version, are an error.
func NewStatic(resources []Resource, groups ...string) (*Static, error) {
	m := &Static{
		exact:      make(map[schema.GroupVersionResource]*Mapping, len(resources)),
		names:      make(map[string]*namesake, 2*len(resources)),
		kinds:      make(map[schema.GroupKind][]*Mapping, len(resources)),
		categories: map[string][]schema.GroupResource{},
	}
	ordered := slices.Clone(resources)
	sorted.Func(ordered, func(a, b Resource) int {
		return rank(groups, a.Resource.Group) - rank(groups,
			b.Resource.Group)
	})
	kinds := make(map[schema.GroupVersionKind]string, len(resources))
	type member struct {
		category string
		schema.GroupResource
	}
	members := map[member]bool{}
	for i := range ordered {
		r := &ordered[i]
		if err := r.check(); err != nil {
			return nil, err
		}
		r.Resource.Resource, r.Singular = strings.ToLower(r.Resource.Resource), strings.ToLower(r.Singular)
		if other, ok := m.exact[r.Resource]; ok {
			return nil, fmt.Errorf("restmapper: the resource %s serves both the kind %s and the kind %s", r.Resource,
				other.Kind.Kind, r.Kind.Kind)
		}
		if other, ok := kinds[r.Kind]; ok {
			return nil, fmt.Errorf("restmapper: the kind %s is served both as %s and as %s", r.Kind, other,
				r.Resource.Resource)
		}
		mapping := r.Mapping
		kinds[r.Kind] = r.Resource.Resource
		m.exact[r.Resource] = &mapping
		m.kinds[r.Kind.GroupKind()] = append(m.kinds[r.Kind.GroupKind()], &mapping)
		m.name(r.Resource.Resource, &mapping)
		if r.Singular != "" && r.Singular != r.Resource.Resource {
			m.name(r.Singular, &mapping)
		}
		for _, c := range r.Categories {
			if one := (member{c, r.Resource.GroupResource()}); !members[one] {
				members[one] = true
				m.categories[c] = append(m.categories[c], one.GroupResource)
			}
		}
	}
	m.abbreviate(ordered)
	for _, n := range m.names {
		n.settle(groups)
	}
	return m, nil
}

// FromScheme returns a mapper of the resources of a scheme. See [NewStatic] for groups.
func FromScheme(s *runtime.Scheme, groups ...string) (*Static, error) {
	if s == nil {
		return nil, errors.New("restmapper: the scheme is nil")
	}
	return NewStatic(Resources(s), groups...)
}

func (r *Resource) check() error {
	switch {
	case r.Resource.Resource == "" || r.Kind.Kind == "":
		return fmt.Errorf("restmapper: a mapping needs a resource and a kind, not %q and %q", r.Resource, r.Kind)
	case r.Resource.Version == "":
		return fmt.Errorf("restmapper: the mapping of %s needs a version", r.Resource.Resource)
	case r.Resource.GroupVersion() != r.Kind.GroupVersion():
		return fmt.Errorf(
			"restmapper: the resource %s serves the kind %s of another version; register the resource under the version of the kind", r.Resource, r.Kind,
		)
	}
	return nil
}

// rank returns the index of a group in groups; all other groups share the last rank.
func rank(groups []string, group string) int {
	if i := slices.Index(groups, group); i >= 0 {
		return i
	}
	return len(groups)
}

func (m *Static) name(name string, mapping *Mapping) {
	n := m.names[name]
	if n == nil {
		n = &namesake{}
		m.names[name] = n
	}
	n.all = append(n.all, mapping)
}

// abbreviate adds short names that are not plurals or singulars of other resources.
func (m *Static) abbreviate(resources []Resource) {
	short := map[string]*namesake{}
	for i := range resources {
		r := &resources[i]
		for _, s := range r.ShortNames {
			s = strings.ToLower(s)
			if m.names[s] != nil {
				continue
			}
			if short[s] == nil {
				short[s] = &namesake{}
			}
			mapping, all := m.exact[r.Resource], short[s].all
			if len(all) == 0 || all[len(all)-1] != mapping { // which states a short name twice
				short[s].all = append(all, mapping)
			}
		}
	}
	maps.Copy(m.names, short)
}

// settle determines the meaning of the bare name.
func (n *namesake) settle(groups []string) {
	for n.ranked < len(n.all) && rank(groups, n.all[n.ranked].Resource.Group) < len(groups) {
		n.ranked++
	}
	if n.ranked > 0 || alike(n.all) {
		n.best = n.all[0]
	}
}

// alike reports whether mappings are versions of one resource.
func alike(all []*Mapping) bool {
	for _, m := range all[1:] {
		if m.Resource.GroupResource() != all[0].Resource.GroupResource() {
			return false
		}
	}
	return true
}

// ForResource implements [Mapper]. The context is not used.
func (m *Static) ForResource(_ context.Context, partial schema.GroupVersionResource) (Mapping, error) {
	n := m.names[partial.Resource]
	if n == nil {
		partial.Resource = strings.ToLower(partial.Resource)
		n = m.names[partial.Resource]
	}
	switch {
	case n == nil:
		return Mapping{}, m.noResource(partial)
	case partial.Group == "" && partial.Version == "" && n.best != nil:
		return *n.best, nil
	}
	if found := m.exact[partial]; found != nil {
		return *found, nil
	}
	found, clear := n.pick(partial)
	switch {
	case found == nil:
		return Mapping{}, m.noResource(partial)
	case !clear:
		return Mapping{}, &AmbiguousError{Resource: partial, Matches: n.matching(partial)}
	}
	return *found, nil
}

// pick returns the best mapping of a group and version, and whether it is the only resource that
// matches. A full group name beats a prefix.
func (n *namesake) pick(partial schema.GroupVersionResource) (found *Mapping, clear bool) {
	for _, fits := range [...]func(*Mapping, schema.GroupVersionResource) bool{fitsExactly, fitsPrefix} {
		preferred := false
		for i, m := range n.all {
			switch {
			case !fits(m, partial):
			case found == nil:
				found, clear, preferred = m, true, i < n.ranked && partial.Group == ""
			case found.Resource.GroupResource() != m.Resource.GroupResource():
				clear = preferred
			}
		}
		if found != nil {
			break
		}
	}
	return found, clear
}

// fitsExactly reports whether a mapping has the stated group and version. A blank group means any.
func fitsExactly(m *Mapping, partial schema.GroupVersionResource) bool {
	return (partial.Group == "" || partial.Group == m.Resource.Group) &&
		(partial.Version == "" || partial.Version == m.Resource.Version)
}

func fitsPrefix(m *Mapping, partial schema.GroupVersionResource) bool {
	return strings.HasPrefix(m.Resource.Group, partial.Group) &&
		(partial.Version == "" || partial.Version == m.Resource.Version)
}

func (n *namesake) matching(partial schema.GroupVersionResource) []Mapping {
	var out []Mapping
	for _, m := range n.all {
		if fitsPrefix(m, partial) {
			out = append(out, *m)
		}
	}
	return out
}

// AllForResource returns all possible meanings of a name, preferred first: all versions and all
// groups.
func (m *Static) AllForResource(partial schema.GroupVersionResource) []Mapping {
	n := m.names[strings.ToLower(partial.Resource)]
	if n == nil {
		return nil
	}
	return n.matching(partial)
}

// ForKind implements [Mapper]. The context is not used.
func (m *Static) ForKind(_ context.Context, kind schema.GroupKind, versions ...string) (Mapping, error) {
	all := m.kinds[kind]
	if len(versions) == 0 && len(all) > 0 {
		return *all[0], nil
	}
	for _, version := range versions {
		for _, found := range all {
			if found.Kind.Version == version {
				return *found, nil
			}
		}
	}
	return Mapping{}, m.noKind(kind, versions)
}

// AllForKind returns the mappings of a kind in all versions, preferred first.
func (m *Static) AllForKind(kind schema.GroupKind) []Mapping {
	out := make([]Mapping, 0, len(m.kinds[kind]))
	for _, found := range m.kinds[kind] {
		out = append(out, *found)
	}
	return out
}

// Category returns the resources of a category, those of preferred groups first.
func (m *Static) Category(name string) []schema.GroupResource {
	return slices.Clone(m.categories[name])
}

func (m *Static) noResource(partial schema.GroupVersionResource) error {
	err := &NoMatchError{Resource: partial}
	if n := m.names[partial.Resource]; n != nil {
		for _, other := range n.all {
			err.Others = append(err.Others, other.Resource.String())
		}
		return err
	}
	err.Nearest, _ = schema.NearestSeq(partial.Resource, sortedKeys(m.names))
	return err
}

func (m *Static) noKind(kind schema.GroupKind, versions []string) error {
	err := &NoMatchError{Kind: kind, Versions: slices.Clone(versions)}
	for _, other := range m.kinds[kind] {
		err.Others = append(err.Others, other.Kind.String())
	}
	if err.Others != nil {
		return err
	}
	var names []string
	for gk := range m.kinds {
		if gk.Kind == kind.Kind {
			err.Others = append(err.Others, gk.String())
		}
		names = append(names, gk.Kind)
	}
	slices.Sort(err.Others)
	slices.Sort(names)
	if err.Others == nil {
		err.Nearest, _ = schema.Nearest(kind.Kind, names)
	}
	return err
}
