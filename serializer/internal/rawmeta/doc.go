// Package rawmeta works on the metadata of objects, the ObjectMeta of meta/v1, in its encoded form.
// A server that shows nothing else of what it stores need not build it in memory: most of it is
// copied.
//
// There are three ways. Each either does what decoding and encoding would do, byte for
// byte, or declines and leaves that to the caller:
//
//   - [CanonicalProto] recognizes a protobuf message that encoding would write just so. It can be
//     copied.
//   - [CanonicalJSON] does the same for a JSON text.
//   - [Transcoder.AppendJSON] writes the JSON text of a protobuf message.
//
// All that comes from the writers of the Kubernetes wire format is taken, except for what is rare:
// fields that are unknown, repeated or out of order, values that are written in more than one way,
// and JSON texts with white space. What is declined is never an error here, because decoding finds
// out better what is wrong.
//
// Strings are taken as protobuf has them, in JSON as [jsonwire.AppendString] writes them. Nothing
// is kept of the input.
package rawmeta
