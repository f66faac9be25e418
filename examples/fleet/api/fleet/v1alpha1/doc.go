// Package v1alpha1 is the first version of the API group fleet.example.com, as it was before
// anybody knew better: everything is flat, and every value is a string. It is still served,
// converted to version v1 and back.
//
// It is the most that a version can differ from its hub. Fields move into structs and lists, change
// their types and their values, and where a union takes the place of three fields a function
// written by hand does its part and leaves the rest to the generated one. See conversion.go.
//
// +groupName=fleet.example.com
// +askind:hub=github.com/askind/askind/examples/fleet/api/fleet/v1
package v1alpha1
