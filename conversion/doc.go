// Package conversion has the vocabulary of conversions between versions of a kind, and the planner
// that finds a way from one version to another.
//
// # Functions
//
// A conversion is a function from one Go type to another, [Func]. Generated code has one for each
// direction, and hand-written ones look the same:
//
//	func ConvertMachineToV1(in *Machine, out *v1.Machine, s *conversion.Scope) error
//
// It never writes to in. It fills every field of out except apiVersion and kind, which belong to
// the caller. Unless the [Scope] says that sharing is allowed, out has no memory in common with in
// afterwards. Errors say at which field they occurred, by means of [schema.AtField]. Where a field
// of the target is smaller than that of the source, [Narrow] converts the number or returns a
// [*RangeError]; no value is changed silently.
//
// # Routes
//
// Versions and the conversions between them are the nodes and edges of a [Graph]. There need not be
// an edge for every pair: [Graph.Plan] finds a [Route] over other versions. What an edge cannot
// carry over it declares as [Loss]; the planner prefers the route that loses least, then the
// shortest one, then the one over the preferred versions. It never guesses: if two routes are
// equally good, that is an [*AmbiguousRouteError] with both of them.
//
// # Related packages
//
// Package schema names versions and fields. Package runtime has the registry to which conversions
// are added, and calls them.
package conversion
