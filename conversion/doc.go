// Package conversion defines conversions between versions of a kind, and the planner that finds a
// route from one version to another.
//
// # Functions
//
// A conversion is a function from one Go type to another, [Func]. Generated code has one for each
// direction, and hand-written functions have the same form:
//
//	func ConvertMachineToV1(in *Machine, out *v1.Machine, s *conversion.Scope) error
//
// It never writes to in. It fills every field of out except apiVersion and kind, which belong to
// the caller. Unless the [Scope] says that sharing is allowed, out shares no memory with in
// afterwards. Errors name the field where they occurred, by means of [schema.AtField]. If the
// target's field has a smaller type than the source's, [Narrow] converts the number or returns a
// [*RangeError]; no value is changed silently.
//
// # Routes
//
// Versions and the conversions between them are the nodes and edges of a [Graph]. Not every pair
// needs an edge: [Graph.Plan] finds a [Route] through other versions. An edge declares data that it
// cannot convert as a [Loss]. The planner prefers the route with the fewest losses, then the
// shortest one, then the one through the preferred versions. It never guesses: two equally good
// routes are an [*AmbiguousRouteError] that names both.
//
// # Related packages
//
// Package schema identifies versions and fields. Package runtime holds the registry of conversions
// and calls them.
package conversion
