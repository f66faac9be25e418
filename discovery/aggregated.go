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
		new(room).group(g, &out.Items[i])
	}
	return out
}

// aggregatedBeta is like aggregated, in version v2beta1.
func aggregatedBeta(groups []*group) *v2beta1.APIGroupDiscoveryList {
	out := &v2beta1.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: kindAggregatedBeta.Kind, APIVersion: kindAggregatedBeta.APIVersion()},
	}
	// The two versions have the same fields, so the conversion cannot fail.
	_ = toBeta(aggregated(groups), out)
	return out
}

// room holds the many small values of one group. It can be reused once the group is no longer
// needed.
type room struct {
	versions     []v2.APIVersionDiscovery
	resources    []v2.APIResourceDiscovery
	subresources []v2.APISubresourceDiscovery
	kinds        []v2.GroupVersionKind
}

// group fills out with one group and all its resources.
func (m *room) group(g *group, out *v2.APIGroupDiscovery) {
	resources, subresources, kinds := 0, 0, 0
	for _, v := range g.versions {
		resources += len(v.resources)
		for i := range v.resources {
			subresources += len(v.resources[i].Subresources)
			for _, s := range v.resources[i].Subresources {
				kinds += len(s.Accepts)
			}
		}
	}
	// The slices never grow from here on, so that pointers and parts of them stay valid.
	m.versions = slices.Grow(m.versions[:0], len(g.versions))
	m.resources = slices.Grow(m.resources[:0], resources)
	m.subresources = slices.Grow(m.subresources[:0], subresources)
	m.kinds = slices.Grow(m.kinds[:0], resources+subresources+kinds)
	for _, v := range g.versions {
		freshness := v2.DiscoveryFreshnessCurrent
		if v.stale {
			freshness = v2.DiscoveryFreshnessStale
		}
		from := len(m.resources)
		for i := range v.resources {
			m.resources = append(m.resources, m.resource(&v.resources[i]))
		}
		m.versions = append(m.versions, v2.APIVersionDiscovery{
			Version: v.name, Freshness: freshness, Resources: m.resources[from:len(m.resources):len(m.resources)],
		})
	}
	*out = v2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.name}, Versions: m.versions}
}

// kind returns a pointer to a kind.
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
		first := len(m.kinds)
		for _, k := range s.Accepts {
			m.kind(k)
		}
		if len(s.Accepts) > 0 {
			sub.AcceptedTypes = m.kinds[first:len(m.kinds):len(m.kinds)]
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
// the versions, marked as stale where the document says so. Resources whose name or kind is invalid
// are omitted. Subresources are not checked; [New] returns an error for invalid ones.
func FromAggregated(prefix string, list *v2.APIGroupDiscoveryList) Config {
	var c Config
	for i := range list.Items {
		g := &list.Items[i]
		if g.Name != "" && badName(g.Name) {
			continue
		}
		for _, v := range g.Versions {
			if badName(v.Version) {
				continue
			}
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
	names := map[string]bool{}
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
		// A resource that is not served itself is listed without a kind, for its subresources only.
		if badName(in.Resource) || badName(r.Kind.Kind) || names[in.Resource] {
			continue
		}
		names[in.Resource] = true
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
