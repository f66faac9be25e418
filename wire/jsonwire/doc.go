// Package jsonwire is the interface between generated code and JSON text: a [Reader] that reads
// values from a byte slice, and append functions that write them. Applications use the format
// packages above it; generators and hand-written leaf codecs (a time, a quantity) use this one.
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
// A Reader is a position in a text. A generated decoder drives it and does not check for errors:
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
// The semantics are those of encoding/json (null leaves a scalar unchanged, the last of duplicate
// members wins), with these differences:
//
//   - Names are compared by their exact case, because the caller's switch compares them.
//   - Invalid UTF-8 in the input is a syntax problem, as RFC 8259 requires.
//   - A value of the wrong type is recorded as a [Problem] and skipped; decoding goes on.
//   - In strict mode unknown and duplicate members are recorded as well.
//   - An untyped integer is an int64 or a uint64 where it fits, never a rounded float64.
//
// A syntax problem or an exceeded depth ends decoding at once: the position moves to the end, every
// loop stops, every further read returns its argument, and [Reader.Err] returns the cause.
// [Reader.Problems] lists everything found, in input order. Problems carry byte offsets; a field
// path and a line are computed afterwards by [PathAt] and schema.PositionOf, so that valid input
// costs nothing extra.
//
// # Memory
//
// Nothing the Reader returns aliases the input, except keys and the results of [Reader.Text] and
// [Reader.Number], which are valid until the next call. Strings up to 256 bytes share chunks of at
// most 1 KiB, so that an object costs few allocations; longer ones are allocated separately. Values
// behind pointers, and the elements of short arrays, share blocks of at most 8 KiB with others of
// the same type, see [New] and [Extend]; a reused reader sizes the blocks by the previous text.
// [Reader.Item] ends chunks and blocks, so that the items of a list do not keep each other in
// memory, and [Options.Apart] turns sharing off.
//
// # Annotated text
//
// YAML reaches the same decoders through annotated text, see [Options.Annotated]. In place of a
// value, such a text may have the byte 0x01 followed by a JSON string. The pair is a plain scalar:
// text that was written without quotes and whose type the reading method decides.
//
//	{"version":\x01"1.10","replicas":\x01"0x10","paused":\x01"yes","note":\x01"~"}
//
// [Reader.String] reads 1.10 as text, [Reader.Int32] reads 0x10 as 16, [Reader.Bool] reads yes as
// true (in strict mode it also recommends to write true), and every method reads an empty text, ~
// and null as null. [Reader.Any], [Reader.Raw] and [Reader.Kind] resolve the scalar by the YAML 1.1
// rules that the Kubernetes wire format has always used. In a plain JSON text the byte 0x01 is a
// syntax problem.
//
// Writing has a counterpart, [Annotate]: for a format with more types than JSON, such as CBOR, it
// makes the append functions mark values that JSON cannot distinguish, such as the content of a
// []byte and floats without a fraction. When such a format is read, integer fields accept numbers
// in annotated text that end in .0, and [Options.RawForm] converts raw values to JSON.
//
// A binary format can also pass its values to the decoders one by one, without a text, as a
// [Source]. Then the Reader has no text, its fast paths do not apply, and each method calls the
// source. A source that meets a value that it does not support ends decoding, and the format starts
// again with an annotated text.
//
// # Related packages
//
// Package pbwire is the counterpart for protobuf. Package json is the format for applications.
package jsonwire

import "github.com/askind/askind/wire"

// ABI1 exists as long as code generated against version 1 of the contract is supported. Generated
// files state it, so that an outdated generator causes a compile error. The current version is
// [wire.JSON].
const ABI1 = 1

// The current version must be one of those that generated files can state.
const _ = uint(ABI1 - wire.JSON)
