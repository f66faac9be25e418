// Package json is the JSON format, the default of the Kubernetes API: compact on one line, or
// indented for people.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// An object is written as its [runtime.Kind] writes it, with the bytes of encoding/json, followed
// by a line feed; the indented form ends without one, as Kubernetes clients expect. A text may hold
// several objects one after the other; each is a document. The functions that were generated for a
// type decode its objects. An error reports all problems with line, column and field path. Unknown
// and duplicate fields are reported in strict decoding only.
//
// Decoding differs from encoding/json on purpose: names are case-sensitive; of two lists or maps
// with the same name only the last is used, and strict decoding reports the duplicate; invalid
// UTF-8 is an error; untyped integers stay exact. The differences for types without generated code
// are listed in package [github.com/askind/askind/serializer/json/reflectjson]. As in
// encoding/json, a struct that occurs twice is merged, and the last of two equal members wins. The
// first kind and the first apiVersion of an object determine its type.
//
// A byte order mark at the start is skipped. Input of only white space has no documents. The
// [schema.Limits] of [runtime.ReadOptions] bound the input.
//
// Lists are written and read item by item. A watch is a sequence of events, one per line.
//
// The package [github.com/askind/askind/serializer/yaml] is the other text format. Generated code
// writes and reads JSON through [github.com/askind/askind/wire/jsonwire].
package json
