// Package restmapper maps names of resources to kinds and back, for command lines and servers:
// "deploy" is the short name of the resource deployments, which serves the kind Deployment of
// apps/v1.
//
// A [Mapper] finds the [Mapping] of a resource with [Mapper.ForResource] and that of a kind with
// [Mapper.ForKind]. [Static] uses a list of resources: those of a scheme ([FromScheme]) or any
// other ([NewStatic]). [Dynamic] requests the resources of a server ([Discovery]), and requests
// them again when a name is not found, so that a kind installed later is found at its first lookup.
//
//	m, err := restmapper.FromScheme(scheme)
//	…
//	mapping, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "deploy"})
//	// mapping.Kind is apps/v1, Kind=Deployment, and mapping.Resource apps/v1, Resource=deployments
//
// [ParseArguments] reads the arguments of a command, such as "deploy/web" or "group/resource/name".
//
// An unknown name is a [*NoMatchError]. A name of resources in several groups is an
// [*AmbiguousError], unless the mapper has an order of groups.
package restmapper
