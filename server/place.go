package server

import (
	"maps"
	"slices"

	"github.com/askind/askind/serializer/format"
)

// index returns the paths at which people begin to read: the roots of discovery, the one of all
// groups with a name first.
func (st *state) index() []string {
	prefixes := map[string]bool{}
	for _, all := range st.prefixes {
		for _, prefix := range all {
			prefixes[prefix] = true
		}
	}
	out := []string{"/apis"}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if path := "/" + prefix; path != out[0] {
			out = append(out, path)
		}
	}
	return append(out, "/version")
}

// place describes where the answer to the call is, for formats with links.
func (c *call) place() *format.ResourcePlace {
	r := c.res
	p := &format.ResourcePlace{
		Root: "/" + r.root(), Resource: r.gvr.Resource, Namespaced: r.namespaced(), Namespace: c.Namespace,
		Name: c.Name, Subresource: c.Subresource, Watch: slices.Contains(r.verbs, verbWatch),
	}
	for _, name := range slices.Sorted(maps.Keys(r.subresources)) {
		if slices.Contains(r.subresources[name].verbs, verbGet) {
			p.Subresources = append(p.Subresources, name)
		}
	}
	for _, other := range c.st.ordered {
		if other.gvr.GroupResource() == r.gvr.GroupResource() {
			p.Versions = append(p.Versions, format.VersionPlace{Version: other.gvr.Version, Root: "/" + other.root()})
		}
	}
	return p
}
