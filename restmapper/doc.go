// Package restmapper maps names of resources to kinds and back, as command lines and servers need:
// "deploy" is the short name of the resource deployments, which serves the kind Deployment of
// apps/v1.
//
// A [Mapper] finds the [Mapping] of a resource with [Mapper.ForResource] and that of a kind with
// [Mapper.ForKind]. [Static] answers from a list of resources: those of a scheme ([FromScheme]) or
// any other ([NewStatic]). [Dynamic] asks a server for its resources ([Discovery]) and asks again
// when a name is not found, so that a kind installed later is found at its first look-up.
//
// A name that no resource has is a [*NoMatchError]; one that resources of several groups have is an
// [*AmbiguousError], unless the mapper was given an order of groups.
package restmapper
