// Package rawmeta works on the metadata of objects, the ObjectMeta of meta/v1, in its encoded form.
// A server that only passes metadata on does not have to decode it: most of it is copied. If all
// metadata is decoded, write-projected/json-json/pods-500 of bench/peers takes 134 % longer,
// protobuf-json 240 % and protobuf-protobuf ten times as long.
//
// There are three functions. Each either produces what decoding and encoding would, byte for byte,
// or declines and leaves that to the caller:
//
//   - [CanonicalProto] recognizes a protobuf message that encoding would reproduce. It can be
//     copied.
//   - [CanonicalJSON] does the same for a JSON text.
//   - [AppendJSON] writes the JSON text of a protobuf message.
//
// Output of the writers of the Kubernetes wire format is accepted, except for rare forms: fields
// that are unknown, repeated or out of order, values with several encodings, and JSON texts with
// white space. Declining is never an error, because decoding reports problems better.
//
// Strings are accepted as protobuf encodes them, and in JSON as [jsonwire.AppendString] writes
// them. The input is not retained.
package rawmeta
