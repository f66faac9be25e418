// Package unstructured holds objects whose Go type is not known when the program is built: custom
// resources, documents of any kind, what a tool passes on without looking inside.
//
// # Objects
//
// An [Object] is a tree of JSON values that states its own kind. It is read and written by the
// formats of the serializer package, like any other object; the one thing to say is that documents
// of unknown kinds are wanted at all:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//	obj, err := f.Decode(data, serializer.DecodeOptions{Unknown: unstructured.Kind})
//
// Kinds that the scheme knows are still read into their types. A factory over a scheme without
// kinds, runtime.NewScheme(), reads everything into objects of this package. Writing needs no
// option, because the object brings its kind along.
//
// # Reading and changing
//
// A path is a list of steps: names of members and, in arrays, indexes in decimal, as in a JSON
// Pointer (RFC 6901), so that no name needs an escape.
//
//	image, found, err := obj.String("spec", "containers", "0", "image")
//	err = obj.Set("web:2", "spec", "containers", "0", "image")
//	found, err = obj.Delete("metadata", "labels", "app.kubernetes.io/managed-by")
//
// Three outcomes are distinguished. A value of the wanted type is found. What does not exist, or is
// null, is not found, which is not an error. A value of another type, at the end of the path or on
// the way, is an [*AccessError] that says where it is and what it is; it is never taken for
// something missing. The getters are String, Bool, Int64, Uint64, Float64, Strings and StringMap;
// Get returns a [Value] of any type, which has the same methods; Members and Elements iterate.
//
// An Object is always an object: where it states apiVersion, kind and metadata these are two
// strings and an object, and decoding or Set refuse anything else. So the methods for metadata,
// such as [Object.Name] and [Object.SetLabels], need no error.
//
// # Lists
//
// A [List] is an object with items. [List.Items] returns them in place. When a list is read, items
// that state neither kind nor apiVersion get them from the list: its apiVersion, and its kind
// without List. They are written with what they state. An item that is not an object is an error,
// never left out.
//
// # What is kept
//
// Members are kept and written in lexical order of their names, as Kubernetes writes untyped
// objects; of equal names the last counts. Numbers without a point and an exponent are exact as
// int64, above that as uint64; all others are a float64. The output of 1.0 is 1, as in
// encoding/json, so the two are equal here. Everything else is kept as it came, null included.
//
// In YAML, what has no quotes is read by the rules of untyped values, except where every object has
// text: a label 1.10 is the text 1.10, and the name of an object may be 007.
//
// # Memory
//
// An object of 5 KB takes three allocations to read and about 1.4 bytes for each byte of its JSON
// to keep, where nested maps take about seven. Names are shared between objects. The rest lies in a
// few blocks without gaps, so a part of an object, a Value or even a string, keeps its block, and
// what was deleted is given back only when the last of its block goes: [Object.Clone] makes a copy
// that has no more than it needs. Items of lists never share a block.
//
// # Typed objects
//
// [From] makes an untyped object of a typed one, and [To] is the way back, converting between
// versions where the type wants another. [FromMap] and Map lead to and from nested maps.
//
// # Conversions and other representations
//
// A scheme takes an untyped object for the kind that it states. Where it knows that kind by a Go
// type, Scheme.ConvertTo and Scheme.As do with the object what they do with a typed one. An object
// of any other kind is shown as PartialObjectMetadata, and as a Table with its name and age. A
// [Definition] registers a kind that the program learns of at run time, with the names of its
// resource and the columns of its tables, so that servers can offer it:
//
//	scheme, err = scheme.With(definition.AddTo)
//
// # Related packages
//
// Package meta reads the metadata of typed objects. Package runtime has RawExtension, which keeps
// the bytes of an object inside another; an Object fits there as well, see Scheme.Embed.
package unstructured
