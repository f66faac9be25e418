package discovery

import (
	"fmt"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// apiGroup returns a group with its versions, without addresses.
func apiGroup(g *group) metav1.APIGroup {
	out := metav1.APIGroup{Name: g.name, Versions: make([]metav1.GroupVersionForDiscovery, len(g.versions))}
	for i, v := range g.versions {
		out.Versions[i] = metav1.GroupVersionForDiscovery{GroupVersion: schema.GroupVersion{
			Group:   g.name,
			Version: v.name,
		}.String(), Version: v.name}
	}
	if len(out.Versions) > 0 {
		out.PreferredVersion = out.Versions[0]
	}
	return out
}

// apiGroupList returns groups with their versions.
func apiGroupList(groups []*group, shown addressSet) *metav1.APIGroupList {
	out := &metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: kindAPIGroupList.Kind, APIVersion: kindAPIGroupList.Version},
		Groups:   make([]metav1.APIGroup, len(groups)),
	}
	for i, g := range groups {
		out.Groups[i] = g.legacy()
		if len(shown.list) > 0 {
			out.Groups[i].ServerAddressByClientCIDRs = shown.list
		}
	}
	return out
}

// apiVersions returns the versions of groups, each as "group/version", in both spellings of the
// field.
func apiVersions(groups []*group, shown addressSet) *metav1.APIVersions {
	out := &metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: kindAPIVersions.Kind, APIVersion: kindAPIVersions.Version},
		Versions: []string{}, ServerAddressByClientCIDRs: shown.list,
	}
	for _, g := range groups {
		for _, v := range g.legacy().Versions {
			out.Versions = append(out.Versions, v.GroupVersion)
		}
	}
	out.APIVersions = out.Versions
	return out
}

// apiResources returns resources, each followed by its subresources, in the form of an
// APIResourceList.
func apiResources(in []Resource) []metav1.APIResource {
	out := make([]metav1.APIResource, 0, len(in))
	for i := range in {
		r := &in[i]
		own := metav1.APIResource{
			Name: r.Resource, SingularName: r.Singular, Namespaced: r.Scope == runtime.Namespaced,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		}
		setKind(&own, r, r.Kind)
		out = append(out, own)
		for _, s := range r.Subresources {
			sub := metav1.APIResource{Name: r.Resource + "/" + s.Name, Namespaced: own.Namespaced, Verbs: s.Verbs}
			setKind(&sub, r, s.Kind)
			out = append(out, sub)
		}
	}
	return out
}

// setKind sets the kind, with its group and version if they differ from those of the resource.
func setKind(out *metav1.APIResource, r *Resource, k schema.GroupVersionKind) {
	out.Kind = k.Kind
	if k.GroupVersion() != r.GroupVersion() {
		out.Group, out.Version = k.Group, k.Version
	}
}

// FromResourceList returns the resources of an APIResourceList that was found under a prefix. A
// blank prefix means the usual one, see [PrefixOf]. Resources whose name or kind is invalid are
// omitted. Subresources are not checked; [New] returns an error for invalid ones.
func FromResourceList(prefix string, list *metav1.APIResourceList) ([]Resource, error) {
	gv, err := schema.ParseGroupVersion(list.GroupVersion)
	if err != nil {
		return nil, err
	}
	if badName(gv.Version) {
		return nil, fmt.Errorf("discovery: the version %q is not a valid path segment", gv.Version)
	}
	return fromAPIResources(prefix, gv, list.APIResources), nil
}

// fromAPIResources reads resources, each followed by its subresources.
func fromAPIResources(prefix string, gv schema.GroupVersion, list []metav1.APIResource) []Resource {
	var out []Resource
	index := map[string]int{}
	for i := range list {
		in := &list[i]
		if badName(in.Name) || badName(in.Kind) { // or a subresource
			continue
		}
		if _, twice := index[in.Name]; twice {
			continue
		}
		index[in.Name] = len(out)
		r := Resource{
			Prefix: prefix, GroupVersionResource: gv.WithResource(in.Name),
			Kind:     schema.GroupVersionKind{Group: in.Group, Version: in.Version, Kind: in.Kind},
			Singular: in.SingularName, Verbs: slices.Clone(in.Verbs), ShortNames: slices.Clone(in.ShortNames),
			Categories: slices.Clone(in.Categories),
		}
		if !in.Namespaced {
			r.Scope = runtime.Cluster
		}
		out = append(out, r)
	}
	for i := range list {
		in := &list[i]
		name, sub, ok := strings.Cut(in.Name, "/")
		if at, known := index[name]; ok && known {
			kind := schema.GroupVersionKind{Group: in.Group, Version: in.Version, Kind: in.Kind}
			out[at].Subresources = append(out[at].Subresources,
				Subresource{Name: sub, Kind: kind, Verbs: slices.Clone(in.Verbs)})
		}
	}
	for i := range out {
		out[i] = out[i].normal()
	}
	return out
}
