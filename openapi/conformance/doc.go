// Package conformance compares the output of package openapi and the generator with other programs.
// It is a separate module, so that their libraries are not dependencies of ours.
//
//   - OpenAPI documents are valid for github.com/getkin/kin-openapi.
//   - Generated validation and github.com/santhosh-tekuri/jsonschema accept and reject the same
//     random objects.
//   - CustomResourceDefinitions pass the validation of k8s.io/apiextensions-apiserver, and its
//     schema validation accepts and rejects the same random objects as generated validation.
//   - Code is generated for the types of a kubebuilder project, in folder kubebuilder, without
//     changes to them. Their CustomResourceDefinition equals that of controller-gen except for
//     listed differences.
package conformance
