// Package v1 holds the kind CustomResourceDefinition of the API group apiextensions.k8s.io, version
// v1, as Kubernetes has it: an object that describes another kind.
//
// The schemas in it are JSON. [ValidateCustomResourceDefinition] checks a definition by the rules
// of package meta/dynamic, to which [CustomResourceDefinition.Definition] converts it. Package
// server/apiextensions serves definitions and the kinds that they describe.
//
// +groupName=apiextensions.k8s.io
// +askind:generate
package v1

//go:generate go tool askind
