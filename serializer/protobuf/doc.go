// Package protobuf is the protobuf format of the Kubernetes wire: compact, fast, and for programs
// only.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
//
// A protobuf message does not say what it is. An object is therefore written in an envelope: the
// four bytes "k8s\x00", then a message that holds the apiVersion, the kind, and the object without
// the two. The format is recognized by those bytes, and an input holds exactly one object.
//
// Kinds are written and read by the functions that were generated for their types. A kind without
// them has no protobuf form, as the kinds for tables have none: negotiation goes on to the next
// format that the client accepts, and writing such an object is a [*runtime.NoFunctionError]. Nil
// and empty lists and maps are equal in this format, because neither is written.
//
// Everything that is wrong with an input comes back at once. There are no lines in it, so messages
// say at which byte. Fields that the type does not have are reported in strict decoding only, by
// their number. Messages may nest 10,000 levels deep unless [runtime.ReadOptions] say otherwise.
//
// The package [github.com/askind/askind/serializer/json] is the format for people. Generated code
// writes and reads protobuf through [github.com/askind/askind/wire/pbwire].
package protobuf
