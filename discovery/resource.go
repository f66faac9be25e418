package discovery

import (
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Resource is one resource in one version of a group, as a server offers it.
type Resource struct {
	// Prefix is the first segment of the path. Blank means "api" for the group with the blank name
	// and "apis" for others.
	Prefix string
	// GroupVersionResource has the group, the version and the plural name.
	schema.GroupVersionResource
	// Kind is the kind of the objects. A blank version means that group and version are those of
	// the resource.
	Kind schema.GroupVersionKind
	// Singular is the singular name.
	Singular string
	// Scope says whether objects live in namespaces.
	Scope runtime.Scope
	// Verbs are what can be done: get, list, watch, create and so on.
	Verbs []string
	// ShortNames are abbreviations for command lines, and Categories the sets of resources, such as
	// "all", that it is in.
	ShortNames, Categories []string
	// Subresources are what is served below each object.
	Subresources []Subresource
}

// Subresource is what is served below the objects of a resource, such as "status".
type Subresource struct {
	// Name is the segment of the path behind the name of the object.
	Name string
	// Kind is what it answers with. A blank version means that group and version are those of the
	// resource; a blank kind that it answers with the kind of the resource.
	Kind schema.GroupVersionKind
	// Accepts are the kinds of bodies that it takes beside Kind.
	Accepts []schema.GroupVersionKind
	// Verbs are what can be done.
	Verbs []string
}

// The prefixes of resources that state none.
const (
	CorePrefix  = "api"
	GroupPrefix = "apis"
)

// PrefixOf returns the prefix of a group where none is stated: "api" for the group with the blank
// name, else "apis".
func PrefixOf(group string) string {
	if group == "" {
		return CorePrefix
	}
	return GroupPrefix
}

// ResourcesOf returns the resources of all kinds of a scheme that are served, in the order of
// [runtime.Scheme.Kinds], with the verbs given and the subresource status where the kind has it.
// Kinds that are marked as not served, and those of the groups named, are left out.
func ResourcesOf(s *runtime.Scheme, verbs []string, without ...string) []Resource {
	var out []Resource
	for k := range s.Kinds() {
		info := k.Info()
		if k.Resource() == "" || info.Unserved || k.Shared() || k.Metadata(k.New()) == nil ||
			slices.Contains(without, k.GroupVersion().Group) {
			continue
		}
		r := Resource{
			GroupVersionResource: k.GroupVersionResource(), Kind: k.GroupVersionKind(), Singular: info.Singular,
			Scope: k.Scope(),
			Verbs: slices.Clone(verbs), ShortNames: info.ShortNames, Categories: info.Categories,
		}
		if k.HasStatus() {
			r.Subresources = append(r.Subresources,
				Subresource{Name: "status", Verbs: []string{"get", "patch", "update"}})
		}
		out = append(out, r)
	}
	return out
}

// normal returns the resource with everything stated and in memory of its own.
func (r *Resource) normal() Resource {
	out := *r
	if out.Prefix == "" {
		out.Prefix = PrefixOf(r.Group)
	}
	out.Kind = r.kindOr(r.Kind)
	out.Verbs = sortedSet(r.Verbs)
	out.ShortNames, out.Categories = slices.Clone(r.ShortNames), slices.Clone(r.Categories)
	out.Subresources = make([]Subresource, len(r.Subresources))
	for i, s := range r.Subresources {
		s.Kind = r.kindOr(s.Kind)
		s.Verbs = sortedSet(s.Verbs)
		s.Accepts = slices.Clone(s.Accepts)
		out.Subresources[i] = s
	}
	sorted.StableFunc(out.Subresources, func(a, b Subresource) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// kindOr completes a kind with the group and version, or with the kind, of the resource.
func (r *Resource) kindOr(k schema.GroupVersionKind) schema.GroupVersionKind {
	if k.Kind == "" {
		k.Kind = r.Kind.Kind
		if k.Version == "" {
			k.Group, k.Version = r.Kind.Group, r.Kind.Version
		}
	}
	if k.Version == "" {
		k.Group, k.Version = r.Group, r.Version
	}
	return k
}

// sortedSet returns a sorted copy without repetitions, which is never nil.
func sortedSet(in []string) []string {
	out := append([]string{}, in...)
	slices.Sort(out)
	return slices.Compact(out)
}
