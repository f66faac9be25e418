package rows

import (
	"bytes"
	"slices"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/askind/askind/bench/peers/internal/compare"
)

const bareCBOR = "fxamacker/cbor in the modes of apimachinery, on its type, without the codec around it"

// sameBehindTag compares what ours writes, which begins with the tag that says what CBOR it is,
// with what is written without one.
func sameBehindTag(ours, theirs []byte) error {
	return compare.Equal(bytes.TrimPrefix(ours, []byte{0xd9, 0xd9, 0xf7}), theirs)
}

func binaryRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, f := range []struct{ name, group string }{{"protobuf", "Protobuf"}, {"cbor", "CBOR"}} {
		mediaType := mediaTypes[f.name]
		var encode []*compare.Row
		for _, s := range samples() {
			if !slices.Contains(s.formats, f.name) {
				continue
			}
			decodeRow := newRow(f.group, "decode/"+f.name+"/"+s.name,
				w.oursReads(&s, mediaType, false), w.kubeReads(&s, mediaType, false))
			encodeRow := newRow(f.group, "encode/"+f.name+"/"+s.name,
				w.oursWrites(&s, mediaType), w.kubeWrites(&s, mediaType))
			decodeRow.Heavy, encodeRow.Heavy = s.heavy, s.heavy
			if f.name == "protobuf" && s.name == "pod" {
				decodeRow.Subjects = append(decodeRow.Subjects, w.functionsRead(&s))
				encodeRow.Subjects = append(encodeRow.Subjects, w.functionsWrite(&s))
				for _, l := range messageLibraries() {
					decodeRow.Subjects = append(decodeRow.Subjects, w.messageReads(&s, l))
					encodeRow.Subjects = append(encodeRow.Subjects, w.messageWrites(&s, l))
				}
			}
			if f.name == "cbor" {
				decodeRow.Subjects = append(decodeRow.Subjects, compare.Subject{
					Name: "fxamacker/cbor", Note: bareCBOR,
					Same: s.same, Prepare: func() (compare.Work, error) {
						text, err := w.encoded(&s, mediaType)
						return decoding(text, func(text []byte) (any, error) {
							obj := s.peer()
							return obj, direct.Unmarshal(text, obj)
						}), err
					},
				})
				writes := w.kubeWith(&s, func(obj kruntime.Object) (compare.Work, error) {
					return marshaling(obj, direct.Marshal)
				})
				writes.Name, writes.Same = "fxamacker/cbor", sameBehindTag
				writes.Note = bareCBOR + " and the tag in front"
				encodeRow.Subjects = append(encodeRow.Subjects, writes)
			}
			out, encode = append(out, decodeRow), append(encode, encodeRow)
		}
		out = append(out, encode...)
	}
	return out
}
