// Package pbwire is the contract between generated code and the protobuf wire format: a [Writer]
// that fills a buffer from its end to its start, and a [Reader] that pulls fields out of a byte
// slice. People program against the format package above it; generators and hand-written leaf
// codecs (a time, a quantity) program against this one.
//
// # Writing
//
// In protobuf the length of a message stands before the message. A Writer therefore works back to
// front: what is written later stands earlier, and when a message is closed its length is known.
// There is no pass over the object to compute sizes. A generated function writes its fields in
// descending order of their numbers, so that they are in ascending order on the wire, and lists
// from the last element to the first:
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
// The Writer writes every value that it is given, zero or not; which fields are left out is the
// decision of the calling code.
//
// # Reading
//
// A generated decoder drives the Reader and never looks at an error:
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
// elements that follow each other. The meaning is that of every protobuf parser: the last of
// several scalars wins, lists grow, and messages that occur again are merged into what is there.
//
//   - A value of the wrong wire type is recorded as a [Problem] and skipped; decoding goes on.
//   - Fields that the type does not have are skipped, and recorded in strict mode.
//   - Strings are taken as they are. Invalid UTF-8 is accepted, because writers of the Kubernetes
//     wire format do not check it; text formats write U+FFFD in its place.
//   - A 32-bit integer takes the low 32 bits of what is written, as the protobuf encoding demands.
//
// Broken input and messages nested too deep end decoding at once: every loop stops, every further
// read returns zero, and [Reader.Err] tells why. [Reader.Problems] lists everything found, by byte
// offset.
//
// # Memory
//
// Nothing the Reader returns aliases the input, except the result of [Reader.Text]. Strings of up
// to 128 bytes are cut from copies of the input of up to one kilobyte each, so that an object costs
// few allocations; longer ones stand alone. What pointers lead to ([New]) and lists share blocks of
// up to eight kilobytes by their type, as many values in a block as the object before needed, and
// no more than the rest of the input can fill. [Reader.Item] ends both, so that the items of a list
// do not keep each other alive, and [Options.Apart] does without them. No length that is stated in
// the input is believed before that many bytes are known to follow.
//
// # The envelope
//
// Protobuf messages do not say what they are, so the Kubernetes wire format puts every object into
// an envelope that does: see [Writer.OpenEnvelope] and [ParseEnvelope].
//
// # Related packages
//
// jsonwire is the same contract for JSON; package protobuf above this one is the format for users.
package pbwire

import "github.com/askind/askind/wire"

// ABI1 exists as long as code generated against version 1 of the contract is supported. Generated
// files state it, so that a generator too old for this package shows as a compile error. The
// current version is [wire.Protobuf].
const ABI1 = 1

// The current version must be one of those that generated files can state.
const _ = uint(ABI1 - wire.Protobuf)
