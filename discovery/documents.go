package discovery

import (
	"iter"
	"slices"
	"strings"
	"sync"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Config is what [Documents] are made of.
type Config struct {
	// Resources are what is served. Groups have the order in which they first appear here, and so
	// have the versions of a group: the first one is preferred. The resources of a version are
	// sorted by name.
	Resources []Resource
	// Versions come before those of Resources. They set the order of groups and versions without
	// sorting the resources, and name versions that have none.
	Versions []Version
	// Addresses say at which address the clients of a network reach the server.
	Addresses []metav1.ServerAddressByClientCIDR
}

// Version is a version of a group.
type Version struct {
	// Prefix is the first segment of the path; blank means the usual one, see [PrefixOf].
	Prefix string
	schema.GroupVersion
	// Stale says that the resources may not be those of now, because the server that has them could
	// not be asked.
	Stale bool
}

// Documents are everything that a server says about its resources. They never change and are safe
// for any number of goroutines.
//
// Each document is made when it is first asked for, and encoded once for each representation.
type Documents struct {
	groups    []*group
	byPath    map[string]*group // "prefix/group"
	addresses *addresses
	shown     addressSet // the addresses of this view
	views     *sync.Map  // from the key of an addressSet to the *Documents; there are no more of them than networks
	roots     map[string]*Document
}

// New makes documents. The error is a [*ConfigError] that lists everything that is wrong: prefixes,
// groups and versions that are not segments of a path, because they are blank or have a slash,
// resources that are there twice, and paths that would mean two things.
func New(c Config) (*Documents, error) {
	a, err := parseAddresses(c.Addresses)
	if err != nil {
		return nil, err
	}
	return newDocuments(gather(&c), a)
}

// With returns documents with the groups of c in place of those that d has of the same prefix and
// name. New groups come last. Groups that do not differ are shared with d. The addresses are those
// of d.
func (d *Documents) With(c Config) (*Documents, error) {
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

// Replace returns the documents of a whole config, as [New] does. Groups that do not differ from
// those of d are shared with d, and with them everything that has been made and encoded of them.
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

// Without returns documents without some group versions. A blank version stands for all versions of
// its group. What d does not have is ignored.
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

// addRoots makes the documents at the roots of the prefixes.
func (d *Documents) addRoots() {
	under := map[string][]*group{}
	for _, g := range d.groups {
		under[g.prefix] = append(under[g.prefix], g)
	}
	for prefix, groups := range under {
		d.roots[prefix] = newRoot(prefix, groups, d.shown)
	}
}

// Find returns the document at a path, such as "apis", "apis/apps", "apis/apps/v1" or "api/v1",
// with or without slashes around it. ok is false if there is none.
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
	out := make([]string, 0, len(d.roots))
	for prefix := range d.roots {
		out = append(out, prefix)
	}
	slices.Sort(out)
	return out
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

// Resources returns all resources with everything stated, in the order of the documents. They are
// not to be changed.
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

// Hash identifies the content of all documents: it is the same for all servers that offer the same.
func (d *Documents) Hash() string { return hashOf(d.groups, d.shown) }
