// Package pbwire is the interface between generated code and the protobuf wire format: a [Writer]
// that fills a buffer from its end to its start, and a [Reader] that reads fields from a byte
// slice. Applications use the format package above it; generators and hand-written leaf codecs (a
// time, a quantity) use this one.
//
// # Writing
//
// In protobuf the length of a message comes before the message. A Writer therefore works back to
// front: what is written later comes earlier in the output, and when a message is closed its length
// is known. Encoding a message needs no pass over the object to compute sizes; [Writer.Measure] is
// for lists that do not fit into the buffer. Generated code has functions that add up the sizes of
// the fields, and calls them if [Writer.Measures]; leaf codecs need none. A generated function
// writes its fields in descending order of their numbers, so that they are in ascending order on
// the wire, and lists from the last element to the first:
//
//	func PrependProtoMachineSpec(w *pbwire.Writer, in *MachineSpec) {
//		for i := len(in.Disks) - 1; i >= 0; i-- {
//			mark := w.Mark()
//			PrependProtoDisk(w, &in.Disks[i])
//			w.Message(3, mark)
//		}
//		w.StringMap(2, in.Labels)
//		w.Int32(1, in.Replicas)
//	}
//
// The Writer writes every value, zero or not; the calling code decides which fields to omit.
//
// # Reading
//
// A generated decoder drives the Reader and does not check for errors:
//
//	func DecodeProtoMachineSpec(r *pbwire.Reader, out *MachineSpec) {
//		for r.Next() {
//			switch r.Field() {
//			case 1:
//				out.Replicas = r.Int32()
//			case 2:
//				r.StringMap(&out.Labels)
//			case 3:
//				r.Messages(&out.Disks, DecodeProtoDisk)
//			case 4:
//				saved := r.Message()
//				DecodeProtoNetwork(r, &out.Network)
//				r.EndMessage(saved)
//			default:
//				r.Unknown()
//			}
//		}
//	}
//
// Every field that Next announces is consumed by exactly one call: of the method or function for
// its type, of [Reader.Message], or of [Reader.Unknown]. Those for lists and maps consume all
// consecutive elements. The semantics are those of every protobuf parser: the last of several
// scalars wins, lists grow, and repeated messages are merged.
//
//   - A value of the wrong wire type is recorded as a [Problem] and skipped; decoding goes on.
//   - Fields that the type does not have are skipped, and recorded in strict mode.
//   - Strings are not checked. Invalid UTF-8 is accepted, because writers of the Kubernetes wire
//     format do not check it; text formats replace it by U+FFFD.
//   - A 32-bit integer takes the low 32 bits of the encoded value, as the protobuf encoding
//     requires.
//
// Malformed input and messages nested too deep end decoding at once: every loop stops, every
// further read returns zero, and [Reader.Err] returns the cause. [Reader.Problems] lists everything
// found, by byte offset.
//
// # Memory
//
// Nothing the Reader returns aliases the input, except the result of [Reader.Text]. Strings of up
// to 128 bytes are parts of copies of the input of up to 1 KiB each, so that an object costs few
// allocations; longer ones are allocated separately. Values behind pointers ([New]) and lists share
// blocks of up to 8 KiB by type. A block has as many values as the previous object needed, and no
// more than the rest of the input can fill. [Reader.Item] ends both, so that the items of a list do
// not keep each other in memory, and [Options.Apart] turns sharing off. A length in the input is
// not used before it has been checked against the rest of the input.
//
// # The envelope
//
// Protobuf messages do not state their type, so the Kubernetes wire format puts every object into
// an envelope that does: see [Writer.OpenEnvelope] and [ParseEnvelope].
//
// # Related packages
//
// Package jsonwire is the counterpart for JSON. Package protobuf is the format for applications.
package pbwire

import "github.com/askind/askind/wire"

// ABI1 exists as long as code generated against version 1 of the contract is supported. Generated
// files state it, so that an outdated generator causes a compile error. The current version is
// [wire.Protobuf].
const ABI1 = 1

// The current version must be one of those that generated files can state.
const _ = uint(ABI1 - wire.Protobuf)
