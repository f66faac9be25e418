// Package runtime is the registry at the heart of a program with versioned APIs: it knows every
// kind, its Go type, and the functions that copy, default, validate, convert, show, encode and
// decode its objects.
//
// # The model
//
// An [Object] is a pointer to a Go struct. It needs no methods and no particular fields: all that
// is known about it is in its [Kind], an immutable record. A package that declares kinds exports
// one function, usually generated, that registers them on a [Builder]:
//
//	func AddTo(b *runtime.Builder)
//
// [NewScheme] runs the functions of all packages that a program wants, reports every conflict
// between them in one error, and freezes the rest into a [Scheme]. A scheme is a value that you
// hold: there is no global one, nothing registers itself, and no method takes a lock. [Scheme.With]
// and [Scheme.Without] make other schemes from it, for example to switch a version of a group off.
//
// Four words are kept apart. To encode and to decode is about syntax and is done by the serializer
// packages. To convert changes the version of an object ([Scheme.ConvertTo]): functions between
// versions are edges of a graph, on which the best route is planned once. To show as changes the
// kind ([Scheme.As]): any object as a PartialObjectMetadata, a Table, a Scale or a kind of your
// own, and any list as a list of those. To default fills in what is unset ([Scheme.Default]); it
// happens when it is asked for and at no other time.
//
// Kind and apiVersion are set in every object that this module makes, in the items of lists too. On
// the wire the kind's own name is written, whatever the object says.
//
// # Objects inside objects
//
// A field of the type [RawExtension] holds an object of any kind as the bytes that it arrived in.
// One of the type [Embedded] holds an object of a family, as the program knows it: decoded,
// defaulted and converted with its parent where a decoder is asked for that, and written in the
// format of its parent. Both have the same bytes.
//
// # Registering by hand
//
// Generated code is ordinary code. A [KindSpec] written by hand needs only the fields that you use:
//
//	runtime.AddKind(b, &runtime.KindSpec[Widget]{
//		GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
//		TypeMeta:         func(w *Widget) (apiVersion, kind *string) { return &w.APIVersion, &w.Kind },
//	})
//
// [AddConversion], [AddAs], [AddDefault] and [AddValidation] add typed functions to it. What a kind
// has no function for is an error that says so when it is needed; deep copies are then made by
// reflection, and the reflectjson package offers JSON by reflection.
//
// # Errors
//
// A text that cannot be decoded is a [*DecodeError] of located [Problem]s, an object that breaks
// its rules is [FieldErrors], and a kind that is not known is an [*UnknownKindError] that names
// what is near. The causes are variables such as [ErrUnknownKind] for errors.Is, which finds them
// through any wrapping.
//
// # Related packages
//
// Package schema has the identifiers, conversion the planning of routes and the terms of a
// conversion, meta/v1 the kinds that all groups share, serializer the formats and the negotiation
// between them, codegen the generator of everything that is registered here.
//
// +askind:protobuf
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.runtime
package runtime
