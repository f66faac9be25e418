// Package json is the JSON format: the default of the Kubernetes wire, written compactly on one
// line, or indented for people.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// An object is written as its [runtime.Kind] writes it, with the bytes of encoding/json, followed
// by a line feed; the indented form ends without one, as Kubernetes clients expect. A text may hold
// several objects one after the other; each is a document. Objects are read by the functions that
// were generated for their types: names are compared by their exact case, integers stay exact, and
// everything that is wrong comes back with line, column and field path. Unknown and duplicate
// fields are reported in strict decoding only.
//
// What differs from encoding/json is meant: names are compared by their exact case; of two lists or
// maps of one name the last counts alone, and strict decoding tells both; text that is not UTF-8 is
// an error rather than replaced; untyped integers stay exact. The differences of types without
// generated code are listed in package [github.com/askind/askind/serializer/json/reflectjson]. What
// does not differ: a struct that comes twice has the members of both, of equal ones the last. What
// an object is, is said by the first kind and the first apiVersion.
//
// A byte order mark at the start is skipped. Text in another encoding than UTF-8 is an error. An
// input of white space only has no documents. What is read is bounded by the [schema.Limits] of
// [runtime.ReadOptions].
//
// Lists are written and read item by item with the AppendList methods and [Serializer.ReadList],
// watch events with [Serializer.AppendEvent], one to a line, and [Serializer.Event]. The serializer
// package calls them.
//
// The package [github.com/askind/askind/serializer/yaml] is the other text format. Generated code
// writes and reads JSON through [github.com/askind/askind/wire/jsonwire].
package json
