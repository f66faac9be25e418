package discovery

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Config is the input of [New].
type Config struct {
	// Resources lists the resources that are served. Groups, and the versions within a group, are
	// ordered by their first appearance here. The first version of a group is the preferred one.
	// The resources of a version are sorted by name.
	Resources []Resource
	// Versions precede those of Resources. They set the order of groups and versions without
	// sorting the resources, and declare versions that have no resources.
	Versions []Version
	// Addresses lists the address at which the clients of each network reach the server.
	Addresses []metav1.ServerAddressByClientCIDR
	// Unversioned omits the apiVersion of the legacy documents, as the proposal for API groups
	// specifies. An APIVersions never states one. Groups and aggregated documents are not affected.
	Unversioned bool
}

// Version is a version of a group.
type Version struct {
	// Prefix is the first segment of the path; blank means the usual one, see [PrefixOf].
	Prefix string
	schema.GroupVersion
	// Stale marks the resources as possibly out of date, because the server that has them could not
	// be reached.
	Stale bool
}

// Documents holds all the discovery documents of a server. It is immutable and safe for concurrent
// use.
//
// Each document is built on first use and encoded once for each representation.
type Documents struct {
	groups    []*group
	byPath    map[string]*group // "prefix/group"
	addresses *addresses
	shown     addressSet // the addresses of this view
	views     *sync.Map  // from the key of an addressSet to the *Documents; at most one for each network
	roots     map[string]*Document
}

// New builds documents. The error is a [*ConfigError] that lists all problems: prefixes, groups and
// versions that are blank or contain a slash, duplicate resources, and ambiguous paths.
func New(c Config) (*Documents, error) {
	a, err := parseAddresses(c.Addresses)
	if err != nil {
		return nil, err
	}
	return newDocuments(gather(&c), a)
}

// With returns documents in which the groups of c replace those of d with the same prefix and name.
// New groups are added at the end. Unchanged groups are shared with d. The result has the addresses
// of d, and is unversioned if d is.
func (d *Documents) With(c Config) (*Documents, error) {
	c.Unversioned = slices.ContainsFunc(d.groups, func(g *group) bool { return g.unversioned })
	groups := slices.Clone(d.groups)
	for _, g := range gather(&c) {
		i := slices.IndexFunc(groups, g.same)
		switch {
		case i < 0:
			groups = append(groups, g)
		case groups[i].hash != g.hash:
			groups[i] = g
		}
	}
	return newDocuments(groups, d.addresses)
}

// Replace returns the documents of a complete config, as [New] does. Unchanged groups are shared
// with d, including all documents and encodings that were built for them.
func (d *Documents) Replace(c Config) (*Documents, error) {
	a, err := parseAddresses(c.Addresses)
	if err != nil {
		return nil, err
	}
	groups := gather(&c)
	for i, g := range groups {
		if old := d.byPath[g.prefix+"/"+g.name]; old != nil && old.hash == g.hash {
			groups[i] = old
		}
	}
	return newDocuments(groups, a)
}

// Without returns documents without some group versions. A blank version selects all versions of
// its group. Unknown group versions are ignored.
func (d *Documents) Without(remove ...schema.GroupVersion) (*Documents, error) {
	var groups []*group
	for _, g := range d.groups {
		if left := g.without(remove); left != nil {
			groups = append(groups, left)
		}
	}
	return newDocuments(groups, d.addresses)
}

func newDocuments(groups []*group, a *addresses) (*Documents, error) {
	if err := check(groups); err != nil {
		return nil, err
	}
	d := &Documents{
		groups: groups, addresses: a, shown: a.all(), views: new(sync.Map),
		byPath: make(map[string]*group, len(groups)), roots: map[string]*Document{},
	}
	for _, g := range groups {
		d.byPath[g.prefix+"/"+g.name] = g
	}
	d.addRoots()
	return d, nil
}

// addRoots adds the documents at the roots of the prefixes.
func (d *Documents) addRoots() {
	under := map[string][]*group{}
	for _, g := range d.groups {
		under[g.prefix] = append(under[g.prefix], g)
	}
	for prefix, groups := range under {
		d.roots[prefix] = newRoot(groups, d.shown)
	}
}

// Find returns the document at a path, such as "apis", "apis/apps", "apis/apps/v1" or "api/v1",
// with or without leading and trailing slashes. It reports false if no document exists at the path.
func (d *Documents) Find(path string) (doc *Document, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch len(parts) {
	case 1:
		doc, ok = d.roots[parts[0]]
		return doc, ok
	case 2:
		if core := d.byPath[parts[0]+"/"]; core != nil {
			if v := core.version(parts[1]); v != nil {
				return v.document(core), true
			}
		}
		if g := d.byPath[path2(parts)]; g != nil && g.name != "" {
			return g.document(d.shown), true
		}
	case 3:
		if g := d.byPath[path2(parts)]; g != nil && g.name != "" {
			if v := g.version(parts[2]); v != nil {
				return v.document(g), true
			}
		}
	}
	return nil, false
}

func path2(parts []string) string { return parts[0] + "/" + parts[1] }

// Prefixes returns the prefixes in lexical order.
func (d *Documents) Prefixes() []string {
	return slices.Sorted(maps.Keys(d.roots))
}

// Paths yields the paths of all documents: each prefix with its groups, and each group with its
// versions.
func (d *Documents) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, prefix := range d.Prefixes() {
			if !yield("/" + prefix) {
				return
			}
			for _, g := range d.groups {
				if g.prefix == prefix && !g.paths(yield) {
					return
				}
			}
		}
	}
}

// Resources returns all resources, with all defaults filled in, in the order of the documents. The
// caller must not modify them.
func (d *Documents) Resources() []Resource {
	var out []Resource
	for _, g := range d.groups {
		for _, v := range g.versions {
			out = append(out, v.resources...)
		}
	}
	return out
}

// GroupVersions returns the group versions of all prefixes, in the order of preference within each
// group.
func (d *Documents) GroupVersions() []schema.GroupVersion {
	var out []schema.GroupVersion
	for _, g := range d.groups {
		for _, v := range g.versions {
			out = append(out, schema.GroupVersion{Group: g.name, Version: v.name})
		}
	}
	return out
}

// Hash identifies the content of all documents: servers that offer the same resources have equal
// hashes.
func (d *Documents) Hash() string { return hashOf(d.groups, d.shown) }
