// Package yaml is the YAML format, for files and output that people write and read.
//
// [Format] returns it for a serializer factory:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// # Reading
//
// A stream is split at the lines of three hyphens or dots. Documents with nothing but comments are
// skipped. The decoders are those of JSON, so a document means the same, with one addition: the
// type of a plain scalar depends on the field that it is written for. In a string field, no and
// 1.10 and 0777 are strings; in a numeric field 0777 is octal. Where no field decides, as in
// embedded objects, the rules of YAML 1.1 apply, as in Kubernetes: yes and on are booleans, and
// 1.10 is the number 1.1. A quoted scalar is always a string, and so is a key.
//
// Problems have the line and column in the file, and the field path. A duplicate key is a problem
// in strict decoding; otherwise only the last one is used, even where JSON decoding would merge two
// objects. An invalid document does not prevent reading the others.
//
// Anchors, aliases and merge keys are supported. Members of a mapping take precedence over merged
// ones, wherever the merge key is. The tags of JSON types, of timestamps, which are strings, and of
// binary data, which stays base64 text, are supported; other tags are problems, and so are keys
// that are not strings.
//
// A list is read item by item, with one item in memory at a time, if the items are in block style
// below a line "items:" and have no anchors.
//
// # Limits
//
// [schema.Limits] apply as for all formats. By default a document may have 128 MiB, 10,000 levels
// of nesting, and 100,000 values or 16 MiB of text from aliases. It may always have 100 directives
// %TAG. The text must be UTF-8, or UTF-16 with a byte order mark.
//
// # Writing
//
// The output is that of sigs.k8s.io/yaml byte for byte: keys sorted at every level, lists not
// indented below their keys, quotes where a reader of YAML 1.1 needs them, long lines folded after
// column 80. It differs where that output cannot be read back: the key << is quoted, and characters
// such as U+007F and U+0085 and the digits of integers beyond 64 bits in raw values are preserved.
// Collections below about 64 levels are in flow style, which bounds the length of deep output.
//
// [Options] can select the order in which types declare their members instead, which is easier to
// read.
//
// A list that is written item by item has the same bytes. Each watch event is a document after a
// line of hyphens; the next such line ends it.
//
// # Editing
//
// [Edit] changes values of a text and leaves everything else as it is, comments included. What
// moves to another place, such as a field that a newer version nests deeper, takes its comments
// along.
//
// [FromJSON] and [ToJSON] convert text without regard to kinds. The package
// [github.com/askind/askind/serializer/json] is the other text format.
package yaml
