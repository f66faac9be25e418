// Package conformance compares what package openapi and the generator say with what other programs
// make of it. It is a module of its own, so that their libraries are not dependencies of ours.
//
//   - OpenAPI documents are valid for github.com/getkin/kin-openapi.
//   - Generated validation and JSON Schema judge random objects alike, as
//     github.com/santhosh-tekuri/jsonschema reads the schemas.
//   - CustomResourceDefinitions pass the validation of k8s.io/apiextensions-apiserver, and its
//     schema validation judges random objects as generated validation does.
//   - The types of a kubebuilder project, in folder kubebuilder, generate as they are. Their
//     CustomResourceDefinition is that of controller-gen but for differences that have names.
package conformance
