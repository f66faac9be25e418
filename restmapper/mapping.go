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
	// Prefix is the first segment of the path, as discovery says it; blank means the usual one.
	Prefix string
}

// Resource is a resource with all the names that a person may call it by.
type Resource struct {
	Mapping
	ShortNames []string // "po" of pods
	Categories []string // such as "all"
}

// Resources returns the resources of all kinds of a scheme that are served, in the order of
// [runtime.Scheme.Kinds].
func Resources(s *runtime.Scheme) []Resource {
	var out []Resource
	for k := range s.Kinds() {
		if k.Resource() == "" {
			continue
		}
		info := k.Info()
		out = append(out, Resource{
			Mapping: Mapping{
				Kind: k.GroupVersionKind(), Resource: k.GroupVersionResource(),
				Singular: info.Singular, Scope: k.Scope(),
			},
			ShortNames: info.ShortNames, Categories: info.Categories,
		})
	}
	return out
}

// Mapper finds resources by what people and programs call them. [Static] answers from a
// fixed list, [Dynamic] from what a server offers now; both are safe for any number of
// goroutines.
//
// Errors are [*NoMatchError] and [*AmbiguousError], or an error of the source that a mapper asks.
type Mapper interface {
	// ForResource finds a resource. The name is a plural, a singular or a short name in any case;
	// group and version may be blank, and a group may be cut short ("deployments.app"). The
	// versions of a group compete by preference, different groups by the order that the mapper was
	// given.
	ForResource(ctx context.Context, partial schema.GroupVersionResource) (Mapping, error)

	// ForKind finds the resource of a kind, in the first of the versions in which there is one.
	// Without versions it is the preferred version of the group.
	ForKind(ctx context.Context, kind schema.GroupKind, versions ...string) (Mapping, error)
}
