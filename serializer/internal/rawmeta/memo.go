package rawmeta

import (
	"encoding/binary"

	"github.com/askind/askind/serializer/jsonwire"
)

// memo writes sets of fields. Looking at each byte of them would be most of the work of a list, and many objects of a list have the same ones,
// because the same programs wrote them. So it remembers where the last ones stand in the output: what is equal to one of them needs no look.
type memo struct {
	known [memoSize]extent
}

const memoSize = 16

// extent is a part of the output that is known to be sound and compact.
type extent struct{ from, end int }

func (m *memo) reset() { *m = memo{} }

// append appends the text in the message of a set of fields.
func (m *memo) append(dst, b []byte) ([]byte, bool) {
	text, ok := raw(b)
	switch {
	case !ok:
		return dst, false
	case len(text) == 0:
		return append(dst, "null"...), true
	}
	slot := &m.known[slotOf(text)]
	if slot.end-slot.from == len(text) && string(dst[slot.from:slot.end]) == string(text) {
		return append(dst, text...), true
	}
	from := len(dst)
	if fieldsEnd(text) != len(text) {
		dst, err := jsonwire.AppendRaw(dst, text)
		return dst, err == nil
	}
	dst = append(dst, text...)
	*slot = extent{from, len(dst)}
	return dst, true
}

// slotOf chooses a slot by the length and the end of a text, where texts that begin alike often differ.
func slotOf(text []byte) uint {
	h := uint64(len(text))
	if len(text) >= 32 {
		h ^= binary.LittleEndian.Uint64(text[len(text)/2:])
	}
	return uint(h * 0x9E3779B97F4A7C15 >> 60)
}
