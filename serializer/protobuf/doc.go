// Package protobuf is the protobuf format of the Kubernetes API: compact, fast, and for programs
// only.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
//
// A protobuf message does not state its type, so an object is written in an envelope: the four
// bytes "k8s\x00", then a message with the apiVersion, the kind, and the object without them. Those
// bytes identify the format. An input has exactly one object.
//
// Kinds are written and read by the functions that were generated for their types. Some kinds, such
// as those of tables, have no such functions. Negotiation then chooses the next format that the
// client accepts, and writing such an object is a [*runtime.NoFunctionError]. Nil and empty lists
// and maps are equal in this format, because neither is written.
//
// An error reports all problems of an input with their byte offsets. Fields that the type does not
// have are reported in strict decoding only, by their number. Messages may nest 10,000 levels deep
// unless [runtime.ReadOptions] say otherwise.
//
// The package [github.com/askind/askind/serializer/json] is the format for people. Generated code
// writes and reads protobuf through [github.com/askind/askind/wire/pbwire].
package protobuf
