package discovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// group is one group under one prefix. It is immutable. Its documents are built on demand and
// cached in it, so that all Documents that share the group share them.
type group struct {
	prefix, name string
	unversioned  bool // see Config
	versions     []*version
	hash         [sha256.Size]byte
	documents    sync.Map // from the key of an addressSet to the *Document

	checkOnce  sync.Once
	checked    []error // see check
	legacyOnce sync.Once
	madeLegacy metav1.APIGroup // see legacy
	jsonOnce   sync.Once
	madeJSON   []byte // see json
	jsonErr    error
}

// legacy returns the group with its versions, without addresses. It is computed once.
func (g *group) legacy() metav1.APIGroup {
	g.legacyOnce.Do(func() { g.madeLegacy = apiGroup(g) })
	return g.madeLegacy
}

// json returns the group as an item of an aggregated document. It is encoded once.
func (g *group) json() ([]byte, error) {
	g.jsonOnce.Do(func() { g.madeJSON, g.jsonErr = encodeGroup(g) })
	return g.madeJSON, g.jsonErr
}

// version is one version of a group.
type version struct {
	name      string
	stale     bool
	resources []Resource // normalized and sorted by name
	once      sync.Once
	made      *Document
}

// gather sorts the resources of a config into groups.
func gather(c *Config) []*group {
	var groups []*group
	type place struct{ prefix, group, version string }
	index, versions := map[place]*group{}, map[place]*version{}
	at := func(prefix, name, v string) *version {
		prefix = cmp.Or(prefix, PrefixOf(name))
		if found := versions[place{prefix, name, v}]; found != nil {
			return found
		}
		g := index[place{prefix, name, ""}]
		if g == nil {
			g = &group{prefix: prefix, name: name, unversioned: c.Unversioned}
			index[place{prefix, name, ""}] = g
			groups = append(groups, g)
		}
		found := &version{name: v}
		g.versions = append(g.versions, found)
		versions[place{prefix, name, v}] = found
		return found
	}
	for _, v := range c.Versions {
		found := at(v.Prefix, v.Group, v.Version)
		found.stale = found.stale || v.Stale
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		v := at(r.Prefix, r.Group, r.Version)
		v.resources = append(v.resources, r.normal())
	}
	for _, g := range groups {
		for _, v := range g.versions {
			sorted.Func(v.resources, func(a, b Resource) int { return strings.Compare(a.Resource, b.Resource) })
		}
		g.hash = g.sum()
	}
	return groups
}

// String describes the group in messages.
func (g *group) String() string {
	switch {
	case g.name == "":
		return "/" + g.prefix
	case g.prefix != PrefixOf(g.name):
		return "/" + g.prefix + "/" + g.name
	}
	return g.name
}

// same reports whether two records describe the same group.
func (g *group) same(other *group) bool { return g.prefix == other.prefix && g.name == other.name }

// objectName returns the name of the Group object.
func (g *group) objectName() string { return GroupName(g.prefix, g.name) }

// version returns the version with that name, or nil.
func (g *group) version(name string) *version {
	for _, v := range g.versions {
		if v.name == name {
			return v
		}
	}
	return nil
}

// without returns the group without some versions: g itself if it has none of them, or nil if no
// version remains.
func (g *group) without(remove []schema.GroupVersion) *group {
	removed := func(v *version) bool {
		return slices.ContainsFunc(remove, func(gv schema.GroupVersion) bool {
			return gv.Group == g.name && (gv.Version == "" || gv.Version == v.name)
		})
	}
	if !slices.ContainsFunc(g.versions, removed) {
		return g
	}
	out := &group{prefix: g.prefix, name: g.name, unversioned: g.unversioned}
	for _, v := range g.versions {
		if !removed(v) {
			out.versions = append(out.versions, v)
		}
	}
	if len(out.versions) == 0 {
		return nil
	}
	out.hash = out.sum()
	return out
}

// stale reports whether a version is marked as stale.
func (g *group) stale() bool {
	return slices.ContainsFunc(g.versions, func(v *version) bool { return v.stale })
}

// paths yields the path of the group and those of its versions.
func (g *group) paths(yield func(string) bool) bool {
	root := "/" + g.prefix
	if g.name != "" {
		root += "/" + g.name
		if !yield(root) {
			return false
		}
	}
	for _, v := range g.versions {
		if !yield(root + "/" + v.name) {
			return false
		}
	}
	return true
}

// sum hashes the whole content of the group. Strings are preceded by their lengths, so that
// different groups have different input.
func (g *group) sum() [sha256.Size]byte {
	b := appendTexts(make([]byte, 0, 4096), g.prefix, g.name)
	if g.unversioned {
		b = appendTexts(b, "unversioned")
	}
	count := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	count(len(g.versions))
	for _, v := range g.versions {
		b = appendTexts(b, v.name)
		if v.stale {
			b = appendTexts(b, "stale")
		}
		count(len(v.resources))
		for i := range v.resources {
			r := &v.resources[i]
			b = appendTexts(b, r.Resource, r.Kind.Group, r.Kind.Version, r.Kind.Kind, r.Singular)
			count(int(r.Scope))
			for _, list := range [][]string{r.Verbs, r.ShortNames, r.Categories} {
				count(len(list))
				b = appendTexts(b, list...)
			}
			count(len(r.Subresources))
			for _, s := range r.Subresources {
				b = appendTexts(b, s.Name, s.Kind.Group, s.Kind.Version, s.Kind.Kind)
				count(len(s.Accepts))
				for _, k := range s.Accepts {
					b = appendTexts(b, k.Group, k.Version, k.Kind)
				}
				count(len(s.Verbs))
				b = appendTexts(b, s.Verbs...)
			}
		}
	}
	return sha256.Sum256(b)
}

// appendTexts appends texts with their lengths. Inlined it would take 10 KB.
//
//go:noinline
func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// hashOf hashes groups and the addresses shown with them.
func hashOf(groups []*group, shown addressSet) string {
	h := sha256.New()
	for _, g := range groups {
		h.Write(g.hash[:])
	}
	h.Write([]byte(shown.key))
	return hex.EncodeToString(h.Sum(nil)[:16])
}
