// Package dynamic describes resources that a program learns of at run time, such as those of a
// CustomResourceDefinition, so that a scheme knows their kinds and a server serves them although
// they have no Go types.
//
// A [Definition] says what a generated package would: the names of a resource, its scope, and for
// each version its subresources, the columns of its tables, its selectable fields and its schema.
// [FromCRD] reads one from a CustomResourceDefinition. [New] checks a definition and returns a
// [Resource], whose AddTo registers the kinds:
//
//	boats, err := dynamic.New(definition)
//	scheme, err = scheme.With(boats.AddTo)
//	err = srv.Install(boats.AddTo) // or on a running server of package server
//
// # Objects
//
// An [Object] has typed metadata, as all objects of a server do, and keeps everything else as a
// tree of package meta/unstructured. It is read and written as JSON, YAML and CBOR, and shown as a
// Table and as PartialObjectMetadata in every format. The kinds have no protobuf form.
//
// The versions of a resource convert into each other by their apiVersion alone.
//
// # Schemas
//
// The schema of a version is published in OpenAPI documents, for kubectl explain and for clients
// that check what they send. Objects are not validated against it, members that it does not have
// are kept, and its defaults are not set. List types in it do not change how objects merge:
// server-side apply deduces the structure of an object from its values, and replaces lists.
//
// # Related packages
//
// Package meta/unstructured holds objects whose kind nobody has described. Its Definition registers
// such objects with a scheme, for tools that read and show them.
package dynamic
