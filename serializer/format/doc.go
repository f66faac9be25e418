// Package format defines what a wire format is: a [Format], one struct of names and functions that
// a factory of package serializer drives.
//
// Programs choose formats and hand them to a factory; they rarely call their functions:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// To write a format, fill in a Format. Name, MediaTypes and Append make one that can be written;
// Documents makes one that can be read as well. Every other field is an ability that the factory
// uses where it is set and replaces by a slower way where it is nil: lists item by item (List,
// ReadList), watch events (Events), changes to encoded objects (Splice), and reading only what a
// representation shows (Project).
//
// A [Document] is one encoded object that has been found in the input and not been decoded yet. The
// factory looks up its [runtime.Kind] and has it decoded. [Parts] and [Window] take lists apart so
// that they are written without being in memory as a whole; a [Framer] finds the events of a
// stream.
//
// # Related packages
//
// Packages json, yaml, protobuf, cbor, csv and text beside this one are formats. Package jsonwire
// reads and writes the JSON of any kind, which most formats for the same data model build on.
package format
