// Package runtime holds the registry of a program with versioned APIs: its kinds, their Go types,
// and the functions that copy, default, validate, convert, show, encode and decode their objects.
//
// # The model
//
// An [Object] is a pointer to a Go struct. It needs no methods and no particular fields: everything
// that the module knows about it is in its [Kind]. A package that declares kinds exports one
// function, usually generated, that registers them with a [Builder]:
//
//	func AddTo(b *runtime.Builder)
//
// [NewScheme] calls the functions of all packages that a program uses, reports all conflicts
// between them in one error, and returns an immutable [Scheme]. A scheme is an ordinary value:
// there is no global scheme, packages do not register themselves, and no method takes a lock.
// [Scheme.With] and [Scheme.Without] derive other schemes, for example to disable a version.
//
// The module distinguishes four operations:
//
//   - Encoding and decoding are about syntax. The serializer packages do them.
//   - Converting changes the version of an object, see [Scheme.ConvertTo]. Functions between versions
//     are the edges of a graph, in which the best route is planned once.
//   - Showing an object as another kind, see [Scheme.As], makes a view of it: a
//     PartialObjectMetadata, a Table, a Scale or a kind of your own. Lists are shown as lists.
//   - Defaulting sets unset fields, see [Scheme.Default]. It happens only on request.
//
// Every object that this module returns states its kind and apiVersion, and so do the items of a
// list. Encoders write the kind and apiVersion of its [Kind], whatever the object states.
//
// # Embedded objects
//
// A field of type [RawExtension] holds an object of any kind in the bytes in which it arrived. A
// field of type [Embedded] holds an object of one family: it is decoded, defaulted and converted
// together with its parent if the caller asks for it, and written in the format of its parent. Both
// have the same encoding.
//
// # Registering by hand
//
// Generated code is ordinary code. A hand-written [KindSpec] needs only the fields that you use:
//
//	runtime.AddKind(b, &runtime.KindSpec[Widget]{
//		GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
//		TypeMeta:         func(w *Widget) (apiVersion, kind *string) { return &w.APIVersion, &w.Kind },
//	})
//
// [AddConversion], [AddAs], [AddDefault] and [AddValidation] add typed functions. A call that needs
// a function that the kind lacks returns a [*NoFunctionError]; only copying falls back to
// reflection. Package reflectjson provides JSON by reflection.
//
// # Errors
//
// Text that cannot be decoded yields a [*DecodeError] with the position of each [Problem], an
// invalid object yields [FieldErrors], and an unknown kind an [*UnknownKindError] with suggestions.
// Their causes are variables such as [ErrUnknownKind], for errors.Is.
//
// # Related packages
//
//   - Package schema has the identifiers of groups, versions, kinds and resources.
//   - Package conversion plans routes and defines the scope of a conversion.
//   - Package meta/v1 has the kinds that all groups share.
//   - Package serializer has the formats and negotiates between them.
//   - Package codegen generates the functions that are registered here.
//
// +askind:protobuf
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.runtime
package runtime
