// Package yaml is the YAML format: files that people write, and the output that they read.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// # Reading
//
// A stream is taken apart at the lines of three hyphens or dots, and every document of it is read;
// those that hold nothing but comments are passed over. A document goes to the same decoders as
// JSON does, so it means the same, with one addition: what a plain scalar is, is up to the field
// that it is written for. In a field of text, no and 1.10 and 0777 are the text that was written;
// in a field of numbers 0777 is octal. Where no field decides, as in embedded objects, the rules of
// YAML 1.1 apply, as they always have on the Kubernetes wire: yes and on are booleans, and 1.10 is
// the number 1.1. A quoted scalar is text everywhere. Keys are the text that was written.
//
// Problems carry the line, column and field path in the file as it was written, in every document
// of it. A key that occurs twice is a problem in strict decoding; otherwise the last one counts
// alone, also where readers of JSON put two objects together. One broken document does not keep the
// others from being read.
//
// Anchors, aliases and merge keys are supported. Members of a mapping win over merged ones,
// wherever the merge stands. The tags of JSON types, of timestamps, which are text, and of binary
// data, which is kept as base64 text, are obeyed; other tags are problems, as are keys that are not
// text.
//
// A list is read item by item, and only one of its items is in memory at a time, if they are
// written in block style below a line that says "items:" and have no anchors, see
// [Serializer.ReadList].
//
// # Limits
//
// They are [schema.Limits], as for all formats. A document may have 128 MiB, nest 10,000 levels
// deep, and gain 100,000 values or 16 MiB of text by aliases, unless [Options] or the caller say
// otherwise. The text must be UTF-8, or UTF-16 with a byte order mark.
//
// # Writing
//
// The output is that of sigs.k8s.io/yaml byte for byte: keys sorted at every level, lists not
// indented below their keys, quotes where a reader of YAML 1.1 needs them, long lines folded after
// column 80. It differs in two places where that output cannot be read back: the key << is quoted,
// and characters such as U+007F and U+0085 survive. So do the digits of integers beyond 64 bits
// that stand in raw values.
//
// With [Options] members are written in the order in which types declare them instead, which people
// find easier to read.
//
// A list that is written item by item has the same bytes. A watch event is a document behind a line
// of hyphens, so that a reader knows that it has ended when the next one begins.
//
// [FromJSON] and [ToJSON] convert texts without looking at kinds. The package
// [github.com/askind/askind/serializer/json] is the other text format.
package yaml
