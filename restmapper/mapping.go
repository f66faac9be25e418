package restmapper

import (
	"context"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Mapping pairs a kind with the resource that serves its objects.
type Mapping struct {
	Kind     schema.GroupVersionKind
	Resource schema.GroupVersionResource // the plural, in lower case
	Singular string                      // in lower case
	Scope    runtime.Scope
	// Prefix is the first segment of the path according to discovery; blank means the default.
	Prefix string
}

// Resource is a resource with all of its names.
type Resource struct {
	Mapping
	ShortNames []string // "po" for pods
	Categories []string // such as "all"
}

// Resources returns the resources of all kinds of a scheme that are served, in the order of
// [runtime.Scheme.Kinds].
func Resources(s *runtime.Scheme) []Resource {
	var out []Resource
	for k := range s.Kinds() {
		info := k.Info()
		if info.Resource == "" {
			continue
		}
		out = append(out, Resource{
			Mapping: Mapping{
				Kind: k.GroupVersionKind(), Resource: k.GroupVersionResource(),
				Singular: info.Singular, Scope: info.Scope,
			},
			ShortNames: info.ShortNames, Categories: info.Categories,
		})
	}
	return out
}

// Mapper finds resources by name or kind. [Static] uses a fixed list, [Dynamic] the current
// resources of a server; both are safe for concurrent use.
//
// Errors are [*NoMatchError] and [*AmbiguousError], or an error of the mapper's source.
type Mapper interface {
	// ForResource finds a resource. The name is a plural, a singular or a short name in any case;
	// group and version may be blank, and a group may be abbreviated ("deployments.app"). Versions
	// of one group are ranked by preference, groups by the order of the mapper.
	ForResource(ctx context.Context, partial schema.GroupVersionResource) (Mapping, error)

	// ForKind finds the resource of a kind, in the first of the versions that has one. Without
	// versions it uses the preferred version of the group.
	ForKind(ctx context.Context, kind schema.GroupKind, versions ...string) (Mapping, error)
}
