// Package v1alpha1 is the first version of the API group fleet.example.com: its structs are flat,
// and most values are strings. It is still served, converted to version v1 and back.
//
// It shows how much a version can differ from its hub. Fields move into structs and lists, and
// change their types and their values. Where a union replaces three fields, a hand-written function
// converts these and leaves the rest to the generated one. See conversion.go.
//
// +groupName=fleet.example.com
// +askind:hub=github.com/askind/askind/examples/fleet/api/fleet/v1
// +askind:nolint:rule=enum-missing,reason="the server writes the status"
package v1alpha1
