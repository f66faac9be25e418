package discovery

import (
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
		out.Items[i] = g.aggregated()
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

// aggregated returns the group with all its resources.
func (g *group) aggregated() v2.APIGroupDiscovery {
	out := v2.APIGroupDiscovery{
		ObjectMeta: metav1.ObjectMeta{Name: g.name}, Versions: make([]v2.APIVersionDiscovery, len(g.versions)),
	}
	for i, v := range g.versions {
		to := &out.Versions[i]
		to.Version, to.Freshness = v.name, v2.DiscoveryFreshnessCurrent
		if v.stale {
			to.Freshness = v2.DiscoveryFreshnessStale
		}
		to.Resources = make([]v2.APIResourceDiscovery, len(v.resources))
		for j := range v.resources {
			to.Resources[j] = v.resources[j].aggregated()
		}
	}
	return out
}

// aggregated returns the resource with its subresources.
func (r *Resource) aggregated() v2.APIResourceDiscovery {
	out := v2.APIResourceDiscovery{
		Resource: r.Resource, SingularResource: r.Singular, ResponseKind: kindOut(r.Kind), Scope: v2.ScopeNamespace,
		Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
	}
	if r.Scope == runtime.Cluster {
		out.Scope = v2.ScopeCluster
	}
	for _, s := range r.Subresources {
		sub := v2.APISubresourceDiscovery{Subresource: s.Name, ResponseKind: kindOut(s.Kind), Verbs: s.Verbs}
		for _, k := range s.Accepts {
			sub.AcceptedTypes = append(sub.AcceptedTypes, *kindOut(k))
		}
		out.Subresources = append(out.Subresources, sub)
	}
	return out
}

func kindOut(k schema.GroupVersionKind) *v2.GroupVersionKind {
	return &v2.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
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
