// Package unstructured holds objects whose Go type is unknown when the program is built: custom
// resources, documents of any kind, objects that a tool only passes on.
//
// # Objects
//
// An [Object] is a tree of JSON values that states its own kind. It is read and written by the
// formats of the serializer package, like any other object. Set an option to accept documents of
// unknown kinds:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//	obj, err := f.Decode(data, serializer.DecodeOptions{Unknown: unstructured.Kind})
//
// Kinds that the scheme knows are still decoded into their types. A factory for a scheme without
// kinds, runtime.NewScheme(), decodes everything into objects of this package. Encoding needs no
// option, because the object provides its kind.
//
// # Reading and changing
//
// A path is a list of steps: names of members and, in arrays, indexes in decimal, as in a JSON
// Pointer (RFC 6901), so that names need no escapes.
//
//	image, found, err := obj.String("spec", "containers", "0", "image")
//	err = obj.Set("web:2", "spec", "containers", "0", "image")
//	found, err = obj.Delete("metadata", "labels", "app.kubernetes.io/managed-by")
//
// There are three outcomes. A value of the requested type is found. A value that does not exist, or
// is null, is not found, which is not an error. A value of another type, at the end of the path or
// on the way, is an [*AccessError] with its path and type; it is never treated as missing. The
// getters are String, Bool, Int64, Uint64, Float64, Strings and StringMap; Get returns a [Value] of
// any type, which has the same methods; Members and Elements iterate.
//
// An Object is always well-formed: its apiVersion, kind and metadata, if present, are two strings
// and an object, and decoding and Set reject anything else. So the methods for metadata, such as
// [Object.Name] and [Object.SetLabels], need no error.
//
// # Lists
//
// A [List] is an object with items. [List.Items] returns them in place. When a list is read, items
// that state neither kind nor apiVersion get them from the list: its apiVersion, and its kind
// without List. They are written with the kind and apiVersion that they state. An item that is not
// an object is an error; it is never omitted.
//
// # Fidelity
//
// Members are kept and written in lexical order of their names, as Kubernetes writes untyped
// objects; the last of duplicate names wins. Numbers without a point and an exponent are exact, as
// int64 or, above its range, uint64; all others are float64. The output of 1.0 is 1, as in
// encoding/json, so the two are equal here. Everything else is preserved, including null.
//
// In YAML, unquoted scalars are read by the rules of untyped values, except in fields that are
// strings in every object: a label 1.10 is the string 1.10, and the name of an object may be 007.
//
// # Memory
//
// An object of 5 KB takes three allocations to read and about 1.4 bytes for each byte of its JSON
// to keep, while nested maps take about seven. Names are shared between objects. The rest is in a
// few blocks without gaps, so a part of an object, a Value or even a string, keeps its block in
// memory, and deleted content is freed only when its whole block is unused: [Object.Clone] returns
// a copy without unused memory. Items of lists never share a block.
//
// # Typed objects
//
// [From] converts a typed object to an untyped one, and [To] converts back, between versions if
// necessary. [FromMap] and Map convert from and to nested maps.
//
// # Conversions and other representations
//
// A scheme treats an untyped object as the kind that it states. If that kind is registered with a
// Go type, Scheme.ConvertTo and Scheme.As treat the object like a typed one. An object of any other
// kind is shown as PartialObjectMetadata, and as a Table with its name and age. A [Definition]
// registers a kind at run time, with the names of its resource and the columns of its tables, so
// that servers can offer it:
//
//	scheme, err = scheme.With(definition.AddTo)
//
// # Related packages
//
// Package meta reads the metadata of typed objects. Package runtime has RawExtension, which holds
// the bytes of an object inside another; it can also hold an Object, see Scheme.Embed.
package unstructured
