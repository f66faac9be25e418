package meta

import (
	"context"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// RESTMapping pairs a kind with the resource that serves its objects.
type RESTMapping struct {
	Kind     schema.GroupVersionKind
	Resource schema.GroupVersionResource // the plural, in lower case
	Singular string                      // in lower case
	Scope    runtime.Scope
}

// APIResource is a resource with all the names that a person may call it by.
type APIResource struct {
	RESTMapping
	ShortNames []string // "po" of pods
	Categories []string // "all", of which a resource is one of many
}

// APIResources returns the resources of all kinds of a scheme that are served, in the order of [runtime.Scheme.Kinds].
func APIResources(s *runtime.Scheme) []APIResource {
	var out []APIResource
	for k := range s.Kinds() {
		if k.Resource() == "" {
			continue
		}
		out = append(out, APIResource{
			RESTMapping: RESTMapping{Kind: k.GroupVersionKind(), Resource: k.GroupVersionResource(), Singular: k.Singular(), Scope: k.Scope()},
			ShortNames:  k.ShortNames(), Categories: k.Categories(),
		})
	}
	return out
}

// RESTMapper finds resources by what people and programs call them. [StaticMapper] answers from a fixed list, [DiscoveryMapper] from what
// a server offers now; both are safe for any number of goroutines.
//
// Errors are [*NoMatchError] and [*AmbiguousError], or an error of the source that a mapper asks.
type RESTMapper interface {
	// MappingFor finds a resource. The name is a plural, a singular or a short name in any case; group and version may be blank,
	// and a group may be cut short ("deployments.app"). The versions of a group compete by preference, different groups by the
	// order that the mapper was given.
	MappingFor(ctx context.Context, partial schema.GroupVersionResource) (RESTMapping, error)

	// RESTMapping finds the resource of a kind, in the first of the versions in which there is one. Without versions it is the
	// preferred version of the group.
	RESTMapping(ctx context.Context, kind schema.GroupKind, versions ...string) (RESTMapping, error)
}
