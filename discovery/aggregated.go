package discovery

import (
	"slices"

	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// aggregated returns groups with all their resources.
func aggregated(groups []*group) *v2.APIGroupDiscoveryList {
	out := &v2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: kindAggregated.Kind, APIVersion: kindAggregated.APIVersion()},
		Items:    make([]v2.APIGroupDiscovery, len(groups)),
	}
	for i, g := range groups {
		out.Items[i] = aggregatedGroup(g)
	}
	return out
}

// aggregatedBeta returns the same in version v2beta1.
func aggregatedBeta(groups []*group) *v2beta1.APIGroupDiscoveryList {
	out := &v2beta1.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: kindAggregatedBeta.Kind, APIVersion: kindAggregatedBeta.APIVersion()},
	}
	// The two versions have the same fields, so one cannot hold what the other refuses.
	_ = toBeta(aggregated(groups), out)
	return out
}

// aggregatedGroup returns one group with all its resources.
func aggregatedGroup(g *group) v2.APIGroupDiscovery {
	out := v2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.name}, Versions: make([]v2.APIVersionDiscovery,
		len(g.versions))}
	for i, v := range g.versions {
		out.Versions[i] = v2.APIVersionDiscovery{
			Version: v.name, Freshness: v2.DiscoveryFreshnessCurrent,
			Resources: make([]v2.APIResourceDiscovery, len(v.resources)),
		}
		if v.stale {
			out.Versions[i].Freshness = v2.DiscoveryFreshnessStale
		}
		room := roomFor(v.resources)
		for j := range v.resources {
			out.Versions[i].Resources[j] = room.resource(&v.resources[j])
		}
	}
	return out
}

// room is memory for the subresources and kinds of one version, which are many and small.
type room struct {
	subresources []v2.APISubresourceDiscovery
	kinds        []v2.GroupVersionKind
}

func roomFor(resources []Resource) *room {
	subresources, kinds := 0, len(resources)
	for i := range resources {
		subresources += len(resources[i].Subresources)
	}
	return &room{
		subresources: make([]v2.APISubresourceDiscovery, 0, subresources),
		kinds:        make([]v2.GroupVersionKind, 0, kinds+subresources),
	}
}

// kind returns a pointer to a kind. The slice never grows, so that the pointers stay valid.
func (m *room) kind(k schema.GroupVersionKind) *v2.GroupVersionKind {
	m.kinds = append(m.kinds, v2.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	return &m.kinds[len(m.kinds)-1]
}

func (m *room) resource(r *Resource) v2.APIResourceDiscovery {
	out := v2.APIResourceDiscovery{
		Resource: r.Resource, SingularResource: r.Singular, ResponseKind: m.kind(r.Kind), Scope: v2.ScopeNamespace,
		Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
	}
	if r.Scope == runtime.Cluster {
		out.Scope = v2.ScopeCluster
	}
	from := len(m.subresources)
	for _, s := range r.Subresources {
		sub := v2.APISubresourceDiscovery{Subresource: s.Name, ResponseKind: m.kind(s.Kind), Verbs: s.Verbs}
		for _, k := range s.Accepts {
			sub.AcceptedTypes = append(sub.AcceptedTypes,
				v2.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
		}
		m.subresources = append(m.subresources, sub)
	}
	if len(r.Subresources) > 0 {
		out.Subresources = m.subresources[from:len(m.subresources):len(m.subresources)]
	}
	return out
}

func kindIn(k *v2.GroupVersionKind) schema.GroupVersionKind {
	if k == nil {
		return schema.GroupVersionKind{}
	}
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// FromAggregated returns the resources of an aggregated document that was found under a prefix, and
// the versions with whether they are stale. What cannot be a resource is left out.
func FromAggregated(prefix string, list *v2.APIGroupDiscoveryList) Config {
	var c Config
	for i := range list.Items {
		g := &list.Items[i]
		for _, v := range g.Versions {
			gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
			c.Versions = append(c.Versions, Version{
				Prefix: prefix, GroupVersion: gv,
				Stale: v.Freshness == v2.DiscoveryFreshnessStale,
			})
			c.Resources = append(c.Resources, fromAggregated(prefix, gv, v.Resources)...)
		}
	}
	return c
}

func fromAggregated(prefix string, gv schema.GroupVersion, list []v2.APIResourceDiscovery) []Resource {
	var out []Resource
	for i := range list {
		in := &list[i]
		r := Resource{
			Prefix: prefix, GroupVersionResource: gv.WithResource(in.Resource), Kind: kindIn(in.ResponseKind),
			Singular: in.SingularResource,
			Verbs:    in.Verbs, ShortNames: in.ShortNames, Categories: in.Categories,
		}
		if in.Scope == v2.ScopeCluster {
			r.Scope = runtime.Cluster
		}
		// A resource that is not served itself is listed for its subresources, without a kind.
		if in.Resource == "" || r.Kind.Kind == "" ||
			slices.ContainsFunc(out, func(o Resource) bool { return o.Resource == in.Resource }) {
			continue
		}
		for _, s := range in.Subresources {
			sub := Subresource{Name: s.Subresource, Kind: kindIn(s.ResponseKind), Verbs: s.Verbs}
			for j := range s.AcceptedTypes {
				sub.Accepts = append(sub.Accepts, kindIn(&s.AcceptedTypes[j]))
			}
			r.Subresources = append(r.Subresources, sub)
		}
		out = append(out, r.normal())
	}
	return out
}
