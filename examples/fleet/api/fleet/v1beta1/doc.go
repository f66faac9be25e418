// Package v1beta1 is the second version of the API group fleet.example.com. It is served, and
// converted to version v1 and back.
//
// What differs from v1 is written where it differs: the marker +askind:to says under which name or
// at which place v1 has a field, +askind:drop that it has none, +askind:carry that it has nothing
// but that the value is to come back from there, and +askind:absent that a field of v1 is not known
// here. Whatever is neither named alike nor marked is an error of the generator, so nothing gets
// lost by oversight. What changed its type has a function in conversion.go, which the generator
// finds by the types that it converts.
//
// +groupName=fleet.example.com
// +askind:hub=github.com/askind/askind/examples/fleet/api/fleet/v1
package v1beta1
