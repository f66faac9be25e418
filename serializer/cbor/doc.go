// Package cbor is the CBOR format of the Kubernetes API: RFC 8949 with the additional rules of
// Kubernetes.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), cbor.Format())
//
// # Writing
//
// An object is one data item with the tag 55799, which identifies CBOR. The output is deterministic
// in the sense of RFC 8949, section 4.2.1: definite lengths, the shortest heads, the shortest
// floats that keep the value, and the entries of each map in the order of their encoded keys, so
// that short keys come first. Strings and keys are byte strings, as in Kubernetes. A []byte is a
// byte string with the tag 22; nil slices and maps are null. Embedded objects, such as those of a
// [runtime.RawExtension], are written inline.
//
// Kinds need no code for this format. It uses the functions for JSON: generated code writes
// annotated text, see [jsonwire.Annotate], which distinguishes bytes and floats from strings and
// integers, and this package converts the text to CBOR. A number above the maximum int64 is an
// integer in a field of an unsigned type. In a raw or untyped value it is the nearest float,
// because Kubernetes would otherwise reject the whole object. A number beyond float64 is an error
// that errors.Is finds as [errors.ErrUnsupported].
//
// # Reading
//
// The input is a sequence of items as in RFC 8742, each with or without the tag 55799 and each a
// document of its own. Strings may be byte or text strings, both of valid UTF-8, and lengths may be
// indefinite. The decoders are those of JSON, so items have the same meaning:
//
//   - A byte string with the tag 22 is the content of a []byte; for a text field, or without a
//     field, it is that content in base64. A string without the tag is base64 text for a []byte.
//   - A float without a fraction is an integer for an integer field. Without a field it stays a
//     float.
//   - Integers are exact up to the maximum uint64; an integer below the minimum int64 is a problem.
//   - Times with the tags 0 and 1 are text as in RFC 3339. Unknown tags are ignored.
//   - NaN and the infinities, undefined and other simple values, big numbers, the tags 21 and 23 on
//     byte strings, the tags 21 to 23 on or around keys that are byte strings, and keys that are
//     not strings are problems.
//   - Raw values are kept as JSON with sorted names, as encoding/json would write them.
//
// Problems carry the field path and the offset of the byte where the offending item or key begins.
// A duplicate key is a problem in strict decoding; otherwise the last one wins, as in JSON. Other
// readers of this format reject such a map even in lenient decoding.
//
// Common items, with definite lengths and without problems, are decoded directly, see
// [jsonwire.Source]. Any other item is first converted to annotated text, which also locates every
// problem.
//
// # Limits
//
// [schema.Limits] apply as for all formats. Memory is allocated for received bytes, never for an
// announced length.
//
// [FromJSON] and [ToJSON] convert without regard to kinds. Package
// [github.com/askind/askind/serializer/json] is the format that most clients use.
package cbor
