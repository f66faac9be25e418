// Package v1beta1 is the second version of the API group fleet.example.com. It is served, and
// converted to version v1 and back.
//
// Markers on the fields state the differences from v1: askind:to gives the name or the path of the
// field in v1, askind:drop says that v1 has no such field, askind:carry that v1 has none but the
// value is preserved, and askind:absent that this version lacks a field of v1. A field that has
// neither the same name nor a marker is an error of the generator, so nothing is lost by oversight.
// For fields whose types differ, conversion.go has functions, which the generator finds by the
// types that they convert.
//
// +groupName=fleet.example.com
// +askind:hub=github.com/askind/askind/examples/fleet/api/fleet/v1
// +askind:nolint:rule=enum-missing,reason="this version accepts what it always did"
package v1beta1
