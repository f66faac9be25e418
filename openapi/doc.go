// Package openapi makes API documents: OpenAPI 3.0 for each version of a group, OpenAPI 2.0 for all
// of them, and the index that clients of the Kubernetes API begin with.
//
// The schemas come from generated code, which has them compressed ([runtime.Schemas]); which
// resources are served, with which verbs and in which forms, is said by the caller in a list of
// [Resource] values. Both meet in a [Set]. It is immutable, so a server makes a new one whenever
// what it serves changes, and costs next to nothing until a document is asked for. Documents are
// made once and kept with their hash and their compressed form.
//
//	set := openapi.New(openapi.Config{Title: "fleet", Version: "v1.2.0"}, scheme, resources...)
//	index, err := set.Index()                             // GET /openapi/v3
//	doc, err := set.V3("apis/fleet.example.com/v1")       // GET /openapi/v3/apis/fleet.example.com/v1
//	doc, err := set.V2()                                  // GET /openapi/v2
//
// # Schemas
//
// A document has the schemas that its operations need and all that those refer to, under the names
// that clients of the Kubernetes API know: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta,
// com.example.fleet.v1.Machine. Those of kinds state the group versions and kinds that the scheme
// knows them as, in x-kubernetes-group-version-kind. A kind without a schema is an object about
// which nothing is said.
//
// # Related packages
//
// The generator writes the schemas, see package codegen. Package server serves the documents.
package openapi
