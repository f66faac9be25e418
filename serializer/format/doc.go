// Package format defines what a wire format is: a [Format], one struct of names and functions that
// a factory of package serializer drives.
//
// Programs pass formats to a factory; they rarely call their functions:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// To write a format, fill in a Format. A format with Name, MediaTypes and Append can be written;
// with Documents it can be read as well. Every other field is an optional ability, without which
// the factory uses a slower method: lists item by item (List, ReadList), watch events (Events),
// changes to encoded objects (Splice), and reading only what a representation shows (Project).
//
// A [Document] is one encoded object that has been found in the input and not been decoded yet. The
// factory looks up its [runtime.Kind] and lets the document decode itself. [Parts] and [Window]
// split lists, so that a whole list does not have to be in memory to be written; a [Framer] finds
// the events of a stream.
//
// # Related packages
//
// The sibling packages json, yaml, protobuf, cbor, csv and text are formats. Package jsonwire reads
// and writes the JSON of any kind, on which most formats for the same data model are based.
package format
