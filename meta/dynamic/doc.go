// Package dynamic describes resources that are defined at run time, such as those of a
// CustomResourceDefinition, so that a scheme knows their kinds and a server serves them although
// they have no Go types.
//
// A [Definition] declares what a generated package would: the names of a resource, its scope, and
// for each version its subresources, the columns of its tables, its selectable fields and its
// schema. [FromCRD] converts a CustomResourceDefinition. [New] checks a definition and returns a
// [Resource], whose AddTo registers the kinds:
//
//	boats, err := dynamic.New(definition)
//	scheme, err = scheme.With(boats.AddTo)
//	err = srv.Install(boats.AddTo) // or on a running server of package server
//
// # Objects
//
// An [Object] has typed metadata, as servers require, and keeps everything else as a tree of
// package meta/unstructured. It is read and written as JSON, YAML and CBOR, and shown as a Table
// and as PartialObjectMetadata in every format. The kinds do not support protobuf.
//
// The versions of a resource are converted by changing the apiVersion and removing the members that
// the other version does not have.
//
// # Schemas
//
// The schema of a version is a structural one, as in CustomResourceDefinitions: each value has a
// type, and allOf, anyOf, oneOf and not only restrict values whose types are known without them.
// [New] refuses other schemas. The schema is published in OpenAPI documents, for kubectl explain
// and for clients that check what they send, and objects are held to it as an API server holds
// them:
//
//   - Members that it does not have are removed when an object is read, and reported by line and
//     column where the reader is strict.
//   - The metadata of embedded objects has the members and types of all metadata, and follows the
//     rules for names, labels, annotations, owners and finalizers.
//   - Members that are missing get their defaults, as do null ones that the schema does not allow to
//     be null. Such a null without a default is removed. Defaults that would add more than 16 MiB
//     to an object are an error.
//   - Validation checks types, enums, lengths, ranges, patterns, formats, required members, list
//     types, and what allOf, anyOf, oneOf and not combine. When an object is changed, a value that is
//     equal to what it replaces is not checked again.
//   - Server-side apply merges lists and maps by the list types and map types. Without a schema it
//     replaces lists.
//
// Rules in the Common Expression Language, x-kubernetes-validations, are evaluated if the
// definition has a compiler of rules, as the module validation/cel has; otherwise
// [Resource.Ignored] lists them. A version without a schema keeps all members of its objects; one
// whose schema has no properties keeps none, unless x-kubernetes-preserve-unknown-fields is true.
//
// # Related packages
//
// Package meta/unstructured holds objects of undescribed kinds. Its Definition is for tools that
// read, convert and show such objects: it declares the names, the scope and the columns of a kind
// in one version, and its objects are trees, including the metadata. A server serves only objects
// with typed metadata, so a resource to be served needs a [Definition] of this package.
package dynamic
