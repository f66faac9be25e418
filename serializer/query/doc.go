// Package query turns the parameters of a URL into options objects, and options objects into
// parameters.
//
// A request without a body says what it wants in its query: ?labelSelector=app%3Dweb&limit=500.
// Here such a query is the document of a kind like any other, ListOptions for a list, DeleteOptions
// for a deletion, in a version like any other:
//
//	codec := query.New(scheme, query.Options{})
//	options, err := query.Decode[metav1.ListOptions](codec, r.URL.Query(), query.DecodeOptions{Kind: query.KindOf("list")})
//
// # Versions
//
// The kind is that of the verb, see [KindOf], in meta.k8s.io/v1, unless the query has the parameter
// kind, or apiVersion, also spelled queryVersion. With ?apiVersion=meta.k8s.io/v2&rv=10 a client
// states that it speaks version 2, in which the resource version is called rv; the object is then
// converted to what the server works with. A version that is not registered is an error that lists
// those that are: a server must not guess what the parameters of a version that it does not know
// mean.
//
// # Values
//
// A parameter fills the field of its name. Of a repeated parameter the first value counts, but a
// list field takes them all. A boolean is false if its value is 0 or false and true otherwise, so
// that ?watch alone asks for a watch. Numbers are decimal. What fields a kind has, and of which
// type they are, is found out by decoding small samples with the kind's own function, so every kind
// with a JSON form can be read, whether its code was generated or not.
//
// Parameters that no field takes are ignored, as servers of the Kubernetes API do, or an error with
// the nearest name in strict decoding. Parameters of the fields of [Options].Nested stand at the
// top of the query: DeleteOptions take uid and resourceVersion into their preconditions.
//
// Maps have no place in a query, and an object that uses one cannot be encoded.
//
// # Related packages
//
// Package serializer reads and writes documents and negotiates their form. Package meta/v1 has the
// options.
package query
