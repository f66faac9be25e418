// Package protomessage registers kinds that are protobuf messages: structs that protoc-gen-go
// generated, as they are.
//
//	func AddTo(b *runtime.Builder) {
//		runtime.AddKind(b, protomessage.Complete(runtime.KindSpec[gadgetpb.Gadget]{
//			GroupVersionKind: schema.GroupVersionKind{Group: "gadgets.example.com", Version: "v1", Kind: "Gadget"},
//		}))
//	}
//
// [Complete] fills in the functions of the spec with google.golang.org/protobuf: its wire format in
// the protobuf format, protojson in JSON, and, by way of that, in YAML and CBOR; [proto.Merge] for
// deep copies. Conversions, defaults and views are registered as for any other type. A program that
// has such kinds links google.golang.org/protobuf, about three megabytes, which is why this package
// is one of its own.
//
// # Kind and apiVersion
//
// A message that has the string fields kind and api_version (in JSON kind and apiVersion), without
// presence, states them there, in memory and in JSON. They are not part of the message in a
// protobuf envelope, which has both outside, as for every other kind. A message without such fields
// is written in JSON with the two members before its own, so that it is recognized when it is read;
// in memory it does not say what it is.
//
// # How JSON is read
//
// Names may be those of JSON (firstName) or those of the .proto file (first_name), in their exact
// case. Values are what protojson takes: 64-bit integers as strings or as numbers, enumerations by
// name or by number, the well-known types in their own forms. Other than in protojson alone,
//
//   - all that is wrong is found at once, each with its place in the file, and the rest of the
//     object is still read;
//   - unknown and duplicate fields are problems in strict decoding and ignored in lenient decoding,
//     where the last duplicate counts;
//   - plain scalars of YAML have the type of their field: a name that is written no is a text.
//
// JSON is written without white space and in the order of the fields, the same each time, with maps
// sorted. Protobuf is written deterministically, as far as one version of
// google.golang.org/protobuf goes. Unknown fields of a protobuf message are kept and written again,
// as they always are with that library; strict decoding reports them.
//
// # What it does not do
//
// Lists of messages are messages like any other: they are read and written as a whole. The
// generator writes nothing for such types: it is told so by leaving the kind markers off. Fields of
// generated kinds cannot be messages, because a message is only equal, copied and written by its
// own library.
package protomessage
