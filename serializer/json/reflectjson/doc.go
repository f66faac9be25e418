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
// [Complete] fills in the missing functions of a spec. Generated code does the same several times
// faster; this package is for projects without the generator, for tests, and for types from other
// modules. It is a separate package because a program that links json-iterator together with some
// other libraries loses the linker's elimination of unused methods.
//
// # How it reads
//
// A [jsonwire.Reader] reads the text, driven by the Go types: it checks syntax, depth and UTF-8,
// compares names case-sensitively, reports values of wrong types and, in strict mode, unknown and
// duplicate fields, each with its offset, and gives the plain scalars of YAML the type of their
// field. An unusable value does not prevent reading the rest.
//
// # How it writes
//
// json-iterator writes the values. The output is that of encoding/json in its default mode, byte
// for byte, including omitzero. The members kind and apiVersion of an object, and of the items of a
// list of one kind, are left to the runtime package.
//
// # Differences to encoding/json
//
// Tags and embedded structs have the same meaning, and the methods of [json.Marshaler],
// [json.Unmarshaler] and their text forms are called. These differences remain:
//
//   - Names are case-sensitive.
//   - Untyped integers are int64, or uint64 above the range of int64, and are never rounded; other
//     numbers are float64.
//   - Invalid UTF-8 in the input is an error rather than replaced.
//   - All values of a wrong type are reported, with their positions; encoding/json reports the
//     first.
//   - An interface is written by [jsonwire.AppendAny]: it may hold JSON values and types with
//     methods of their own; a plain struct inside it is an error. An interface with methods cannot
//     be decoded, and one without never decodes into its previous value.
//   - A MarshalJSON or MarshalText method of a pointer is called for the values of maps as well.
//   - If a member occurs twice, a shorter array does not clear the rest of the first one, and null
//     after a value of a type with an UnmarshalJSON method clears it.
//   - A value that contains itself is found at a depth of 10,000 structs; encoding/json looks for
//     it earlier. Types that are recursive without a struct, such as a map of itself, must not
//     contain themselves.
//
// # Related packages
//
// Package jsonwire is the layer below this package and generated code; package json is the format.
package reflectjson
