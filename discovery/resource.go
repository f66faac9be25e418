package discovery

import (
	"cmp"
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
	// Kind is the kind of the objects. If its version is blank, group and version are those of the
	// resource.
	Kind schema.GroupVersionKind
	// Singular is the singular name.
	Singular string
	// Scope says whether the objects are namespaced.
	Scope runtime.Scope
	// Verbs lists the supported verbs: get, list, watch, create and so on.
	Verbs []string
	// ShortNames lists abbreviations for command lines. Categories lists the sets of resources,
	// such as "all", that include this one.
	ShortNames, Categories []string
	// Subresources lists the subresources of each object.
	Subresources []Subresource
}

// Subresource is a subresource of the objects of a resource, such as "status".
type Subresource struct {
	// Name is the path segment after the name of the object.
	Name string
	// Kind is the kind of the responses. If its version is blank, group and version are those of
	// the resource; if the kind is blank, it is the kind of the resource.
	Kind schema.GroupVersionKind
	// Accepts lists the kinds of request bodies that it accepts in addition to Kind.
	Accepts []schema.GroupVersionKind
	// Verbs lists the supported verbs.
	Verbs []string
}

// The usual prefixes of resources.
const (
	CorePrefix  = "api"
	GroupPrefix = "apis"
)

// PrefixOf returns the usual prefix of a group: "api" for the group with the blank name, else
// "apis".
func PrefixOf(group string) string {
	if group == "" {
		return CorePrefix
	}
	return GroupPrefix
}

// ResourcesOf returns the resources of all served kinds of a scheme, in the order of
// [runtime.Scheme.Kinds], with the given verbs, and with the subresource status if the kind has it.
// Kinds that are marked as not served, and kinds of the groups in without, are omitted.
func ResourcesOf(s *runtime.Scheme, verbs []string, without ...string) []Resource {
	var out []Resource
	for k := range s.Kinds() {
		info := k.Info()
		if info.Resource == "" || info.Unserved || info.Shared || k.Metadata(k.New()) == nil ||
			slices.Contains(without, k.GroupVersion().Group) {
			continue
		}
		r := Resource{
			GroupVersionResource: k.GroupVersionResource(), Kind: k.GroupVersionKind(), Singular: info.Singular,
			Scope: info.Scope, Verbs: slices.Clone(verbs), ShortNames: info.ShortNames, Categories: info.Categories,
		}
		if info.Status {
			r.Subresources = append(r.Subresources,
				Subresource{Name: "status", Verbs: []string{"get", "patch", "update"}})
		}
		out = append(out, r)
	}
	return out
}

// normal returns a deep copy of the resource with all defaults filled in.
func (r *Resource) normal() Resource {
	out := *r
	out.Prefix = cmp.Or(r.Prefix, PrefixOf(r.Group))
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
	sorted.Func(out.Subresources, func(a, b Subresource) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// kindOr fills in the group and version, or the whole kind, of the resource.
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

// sortedSet returns a sorted copy without duplicates, never nil.
func sortedSet(in []string) []string {
	out := append([]string{}, in...)
	slices.Sort(out)
	return slices.Compact(out)
}
