package discovery

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/schema"
)

// coreName is the name of the Group object of the core group, whose own name is blank.
const coreName = "core"

// The annotations of Groups.
const (
	// PrefixAnnotation states the first path segment of a group if it is not the usual one, see
	// [PrefixOf].
	PrefixAnnotation = "discovery.k8s.io/prefix"
	// LocalAnnotation, with the value "true", marks a Group as managed by the server that serves
	// it. An aggregator that shares the store leaves such Groups alone, and the server leaves all
	// others alone.
	LocalAnnotation = "discovery.k8s.io/local"
)

// GroupName returns the name of the Group object of a group: the name of the group itself, or
// "core" for the group with the blank name. Under a prefix other than [PrefixOf] the name is
// "PREFIX.NAME", because a group may be served under several prefixes with different resources. A
// blank prefix means that of [PrefixOf].
func GroupName(prefix, group string) string {
	name := cmp.Or(group, coreName)
	if prefix == "" || prefix == PrefixOf(group) {
		return name
	}
	return prefix + "." + name
}

// GroupOf returns the prefix and the name of the group that a Group object describes.
func GroupOf(g *v1alpha1.Group) (prefix, group string) {
	prefix = g.Annotations[PrefixAnnotation]
	group = g.Name
	if prefix != "" {
		group = strings.TrimPrefix(group, prefix+".")
	}
	if group == coreName {
		group = ""
	}
	return cmp.Or(prefix, PrefixOf(group)), group
}

// Groups returns all groups as objects of the group discovery.k8s.io, with the addresses of d.
// Their metadata has the name and the annotations; the store that holds them sets the rest. The
// caller owns the objects but must not modify the lists in their status.
func (d *Documents) Groups() []*v1alpha1.Group {
	out := make([]*v1alpha1.Group, len(d.groups))
	for i, g := range d.groups {
		out[i] = g.object(d.shown)
	}
	return out
}

// object returns the Group object.
func (g *group) object(shown addressSet) *v1alpha1.Group {
	out := newGroup(g.objectName())
	out.Status = v1alpha1.GroupStatus{
		Versions:                   make([]v1alpha1.GroupVersionResources, len(g.versions)),
		ServerAddressByClientCIDRs: shown.list,
	}
	if g.prefix != PrefixOf(g.name) {
		out.Annotations = map[string]string{PrefixAnnotation: g.prefix}
	}
	for i, v := range g.versions {
		out.Status.Versions[i] = v1alpha1.GroupVersionResources{Name: v.name, Resources: apiResources(v.resources)}
	}
	return out
}

// FromGroup returns the config that a Group object describes. Resources whose name or kind is
// invalid are omitted. Subresources are not checked; [New] returns an error for invalid ones.
func FromGroup(g *v1alpha1.Group) Config {
	var c Config
	prefix, name := GroupOf(g)
	if badName(prefix) || name != "" && badName(name) {
		return c
	}
	for _, v := range g.Status.Versions {
		if badName(v.Name) {
			continue
		}
		gv := schema.GroupVersion{Group: name, Version: v.Name}
		c.Versions = append(c.Versions, Version{Prefix: prefix, GroupVersion: gv})
		c.Resources = append(c.Resources, fromAPIResources(prefix, gv, v.Resources)...)
	}
	return c
}

// ForClient returns a Group with the addresses for the networks that contain the client, the
// longest prefix first. If that changes nothing, it returns g itself; otherwise the result shares
// everything except its addresses with g.
func ForClient(g *v1alpha1.Group, client netip.Addr) *v1alpha1.Group {
	all, err := parseAddresses(g.Status.ServerAddressByClientCIDRs)
	if err != nil || len(all.list) == 0 {
		return g // without networks, or not written by a server
	}
	out := *g
	out.Status.ServerAddressByClientCIDRs = all.of(client).list
	if slices.Equal(out.Status.ServerAddressByClientCIDRs, g.Status.ServerAddressByClientCIDRs) {
		return g
	}
	return &out
}
