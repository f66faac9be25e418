// Package openapi creates API documents: OpenAPI 3.0 for each version of a group, OpenAPI 2.0 for
// all of them, and the index that clients of the Kubernetes API read first.
//
// A [Set] combines the schemas, which generated code contains in compressed form
// ([runtime.Schemas]), with the caller's list of [Resource] values, which state the served
// resources, their verbs and their representations. A Set is immutable, so a server creates a new
// one whenever its resources change. It creates documents on first use, and caches them with their
// hash and their compressed form.
//
//	set := openapi.New(openapi.Config{Title: "fleet", Version: "v1.2.0"}, scheme, resources...)
//	index, err := set.Index()                       // GET /openapi/v3
//	v3, err := set.V3("apis/fleet.example.com/v1")  // GET /openapi/v3/apis/fleet.example.com/v1
//	v2, err := set.V2()                             // GET /openapi/v2
//
// # Schemas
//
// A document has the schemas that its operations need and all that those refer to, under the names
// that clients of the Kubernetes API know: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta,
// com.example.fleet.v1.Machine. The schema of a kind lists its group versions and kinds in the
// scheme, in x-kubernetes-group-version-kind. A kind without a schema is an object with any
// content.
//
// # Related packages
//
// Package codegen generates the schemas. Package server serves the documents.
package openapi
