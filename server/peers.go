package server

import (
	"slices"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// peersList reports whether a shared Group lists a group version, or a resource of it, that this
// server does not serve: another replica has announced it. Clients may have learned of it there.
// Only the memory of this replica is read.
func (s *Server) peersList(prefix string, gvr schema.GroupVersionResource) bool {
	if !s.config.replicas || s.groups == nil || gvr.Group == "" && prefix != discovery.PrefixOf("") {
		return false
	}
	r, err := (&groupStorage{s: s}).groups()
	if err != nil {
		return false
	}
	name := discovery.GroupName(prefix, gvr.Group)
	e, err := r.Get(s.ctx, store.Key{Name: name}, store.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return false
	}
	group, err := groupOf(e)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(group.Status.Versions, func(v v1alpha1.GroupVersionResources) bool {
		named := func(r metav1.APIResource) bool { return r.Name == gvr.Resource }
		return v.Name == gvr.Version && (gvr.Resource == "" || slices.ContainsFunc(v.Resources, named))
	})
}

// find returns the resource that a path names. A client that asks for one which another replica
// serves shall try again: this replica has not seen its definition yet, or has an older version of
// the program.
func (s *Server) find(st *state, t *target) (*resource, *subresource, error) {
	r, sub, err := st.find(t)
	if err != nil && st.resources[t.gvr] == nil && s.peersList(t.prefix, t.gvr) {
		err = unavailable(errAtPeer)
	}
	return r, sub, err
}
