// Package reflectjson gives JSON, and with it YAML, to kinds without generated code. It works by
// reflection and json-iterator:
//
//	type Note struct {
//		metav1.TypeMeta   `json:",inline"`
//		metav1.ObjectMeta `json:"metadata"`
//		Text string       `json:"text"`
//	}
//
//	func AddTo(b *runtime.Builder) {
//		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Note]{GroupVersionKind: GroupVersion.WithKind("Note")}))
//	}
//
// [Complete] fills in what a spec lacks. Generated code does the same several times faster; this
// package is for the time before the generator is set up, for tests, and for types that belong to
// others. It is a package of its own because a program that links json-iterator together with some
// other libraries loses the linker's elimination of unused methods.
//
// # How it reads
//
// The text passes the [jsonwire.Reader] first, driven by the Go types: it checks syntax, depth and
// UTF-8, compares names by their exact case, finds unknown and duplicate fields in strict mode and
// values of wrong types always, each with its offset, and gives the plain scalars of YAML the type
// of their field. What is left is handed to json-iterator. A value that is unusable does not keep
// the rest from being read.
//
// # How it writes
//
// Byte for byte as encoding/json in its default mode, omitzero included. The members kind and
// apiVersion of an object, and of the items of a list of one kind, are left to the runtime package.
//
// # Differences to encoding/json
//
// Tags mean the same, embedded structs too, and the methods of [json.Marshaler], [json.Unmarshaler]
// and their text forms are called. These differences remain:
//
//   - Names are compared by their exact case.
//   - Untyped integers are int64, or uint64 where int64 does not reach, never rounded; other
//     numbers are float64.
//   - Invalid UTF-8 in the input is an error rather than replaced.
//   - All values of a wrong type are reported, with their places; encoding/json reports the first.
//   - An interface is written by [jsonwire.AppendAny]: it may hold what JSON itself can say and
//     types with methods of their own; a plain struct inside it is an error. An interface with
//     methods cannot be read, and one without never fills what it pointed to before.
//   - A MarshalJSON or MarshalText method of a pointer is called for the values of maps as well.
//   - Where a member is stated twice, a shorter array does not clear the rest of the first one, and
//     null after a value of a type with an UnmarshalJSON method clears it.
//   - A null member of a struct that is embedded by pointer does not make the struct.
//   - A value that contains itself is found at a depth of 10,000 structs; encoding/json looks for
//     it earlier. Types that are recursive without a struct, such as a map of itself, must not
//     contain themselves.
//
// # Related packages
//
// jsonwire is the layer that this package and generated code read and write with; package json
// above it is the format.
package reflectjson
