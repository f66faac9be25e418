// Package query turns the parameters of a URL into options objects, and options objects into
// parameters.
//
// A request without a body has its options in the query: ?labelSelector=app%3Dweb&limit=500. This
// package treats such a query as a document of an ordinary kind, ListOptions for a list,
// DeleteOptions for a deletion, in some version:
//
//	codec := query.New(scheme)
//	options, err := query.Decode[metav1.ListOptions](codec, r.URL.Query(), query.DecodeOptions{Kind: query.KindOf("list")})
//
// # Versions
//
// The kind is that of the verb, see [KindOf], in meta.k8s.io/v1, unless the query has the parameter
// kind, or apiVersion, also spelled queryVersion. With ?apiVersion=meta.k8s.io/v2&rv=10 a client
// states that it uses version 2, in which the resource version is called rv; the object is then
// converted to the version of the server. An unknown version is an error that lists the known ones:
// a server must not guess the meaning of its parameters.
//
// # Values
//
// A parameter fills the field of its name. The first value of a repeated parameter counts, but a
// list field takes all values. A boolean is false if its value is 0 or false and true otherwise, so
// that ?watch alone requests a watch. Numbers are decimal. The fields of a kind and their types are
// determined by decoding small samples with the kind's own function, so every kind with JSON
// functions is supported, generated or not.
//
// Unknown parameters are ignored, as in servers of the Kubernetes API; in strict decoding they are
// an error with the nearest name. For DeleteOptions, the parameters uid and resourceVersion set the
// preconditions, unless they are blank.
//
// Maps cannot be represented in a query, and an object that uses one cannot be encoded.
//
// # Related packages
//
// Package serializer reads and writes documents and negotiates representations. Package meta/v1
// defines the options.
package query
