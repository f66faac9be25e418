// Package jsonwire is the contract between generated code and the JSON text: a [Reader] that pulls
// values out of a byte slice, and append functions that write them. People program against the
// format packages above it; generators and hand-written leaf codecs (a time, a quantity) program
// against this one.
//
// # Writing
//
// Every writer has the form append(dst, value) and returns the grown slice. The bytes are those of
// encoding/json in its default mode: <, > and & and the separators U+2028 and U+2029 are
// escaped, invalid UTF-8 becomes U+FFFD, map keys are sorted, floats are written in the
// shortest form. A generated object appends ',"name":value' for every member it has and finally
// calls [CloseObject], which turns the first comma into the opening brace.
//
// # Reading
//
// A Reader is a position in a text. A generated decoder drives it and never looks at an error:
//
//	for key := r.Object(); key != nil; key = r.NextKey() {
//		switch string(key) {
//		case "replicas":
//			r.Seen(&seen, 0, key)
//			out.Replicas = r.Int32(out.Replicas)
//		default:
//			r.Unknown(key, names)
//		}
//	}
//
// The meaning is that of encoding/json (null leaves a scalar as it was, the last of two equal
// members wins), with these differences:
//
//   - Names are compared by their exact case, because the caller's switch does it.
//   - Invalid UTF-8 in the input is a syntax problem, as RFC 8259 demands.
//   - A value of the wrong type is recorded as a [Problem] and skipped; decoding goes on.
//   - In strict mode unknown and duplicate members are recorded as well.
//   - An untyped integer is an int64 or a uint64 where it fits, never a rounded float64.
//
// A syntax problem or an exceeded depth ends the text at once: the position moves to the end, every
// loop stops, every further read returns what it was given, and [Reader.Err] tells why.
// [Reader.Problems] lists everything found, in input order. Problems carry byte offsets; a field
// path and a line are computed afterwards by [PathAt] and schema.PositionOf, so that nothing is
// tracked while decoding goes well.
//
// # Memory
//
// Nothing the Reader returns aliases the input, except keys and the results of [Reader.Text] and
// [Reader.Number], which are valid until the next call. Strings up to 256 bytes share chunks of at
// most 1 KiB, so that an object costs few allocations; longer ones stand alone. What pointers lead
// to, and the elements of short arrays, share blocks of at most 8 KiB with others of the same type,
// see [New] and [Extend]; a reader that is used again knows from the text before how many there
// will be. [Reader.Item] ends chunks and blocks, so that the items of a list do not keep each other
// alive, and [Options.Apart] does without them.
//
// # Annotated text
//
// YAML reaches the same decoders through annotated text, see [Options.Annotated]. Wherever JSON
// wants a value, such a text may hold the byte 0x01 followed by a JSON string. The pair is a plain
// scalar: text that was written without quotes and whose type the reading method decides.
//
//	{"version":\x01"1.10","replicas":\x01"0x10","paused":\x01"yes","note":\x01"~"}
//
// [Reader.String] reads 1.10 as the text it is, [Reader.Int32] reads 0x10 as sixteen, [Reader.Bool]
// reads yes as true (in strict mode it also says to write true), and every method reads an empty
// text, ~ and null as null. [Reader.Any], [Reader.Raw] and [Reader.Kind] resolve the scalar by the
// YAML 1.1 rules that the Kubernetes wire format has always used. In a plain JSON text the byte
// 0x01 is a syntax problem.
//
// The way back is [Annotate]: a format with more types than JSON, such as CBOR, has the append
// functions mark what JSON would blur, the content of a []byte and floats without a fraction. For
// its reading, numbers that end in .0 are integers to fields of integers in annotated texts, and
// [Options.RawForm] brings raw values into the form of JSON.
//
// A binary format can also do without a text and hand its values to the decoders one by one, as a
// [Source]. Then the Reader has no text, so its fast ways, which look at the text, do not apply;
// each method asks the source in its slow way. Whatever a source does not know ends the reading,
// and the format starts again with an annotated text.
//
// # Related packages
//
// pbwire is the same contract for protobuf; package json above this one is the format for users.
package jsonwire

import "github.com/askind/askind/wire"

// ABI1 exists as long as code generated against version 1 of the contract is supported. Generated
// files state it, so that a generator too old for this package shows as a compile error. The
// current version is [wire.JSON].
const ABI1 = 1

// The current version must be one of those that generated files can state.
const _ = uint(ABI1 - wire.JSON)
