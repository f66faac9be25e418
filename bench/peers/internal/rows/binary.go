package rows

import (
	"bytes"
	"slices"

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
	for _, f := range []struct{ name, mediaType, group string }{
		{"protobuf", "application/vnd.kubernetes.protobuf", "Protobuf"},
		{"cbor", "application/cbor", "CBOR"},
	} {
		var encode []*compare.Row
		for _, s := range samples() {
			if !slices.Contains(s.formats, f.name) {
				continue
			}
			decodeRow := &compare.Row{
				Group: f.group, Name: "decode/" + f.name + "/" + s.name, Heavy: s.heavy,
				Subjects: []compare.Subject{w.oursReads(&s, f.mediaType, false), w.kubeReads(&s, f.mediaType, false)},
			}
			encodeRow := &compare.Row{
				Group: f.group, Name: "encode/" + f.name + "/" + s.name, Heavy: s.heavy,
				Subjects: []compare.Subject{w.oursWrites(&s, f.mediaType), w.kubeWrites(&s, f.mediaType)},
			}
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
						text, err := w.encoded(&s, f.mediaType)
						return decoding(text, func(text []byte) (any, error) {
							obj := s.peer()
							return obj, direct.Unmarshal(text, obj)
						}), err
					},
				})
				encodeRow.Subjects = append(encodeRow.Subjects, compare.Subject{Name: "fxamacker/cbor", Note: bareCBOR +
					" and the tag in front", Same: sameBehindTag, Prepare: func() (compare.Work, error) {
					obj, err := w.theirs(&s)
					if err != nil {
						return compare.Work{}, err
					}
					return marshaling(obj, direct.Marshal)
				}})
			}
			out, encode = append(out, decodeRow), append(encode, encodeRow)
		}
		out = append(out, encode...)
	}
	return out
}
