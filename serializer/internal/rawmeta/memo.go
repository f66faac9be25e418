package rawmeta

import (
	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/serializer/jsonwire"
)

// memo writes sets of fields. It remembers where the last ones stand in the output, one for each place in the list of managed fields, and needs no copies of
// them as a [fieldset.Memo] does.
type memo struct {
	known [memoSize]extent
}

const memoSize = 8

// extent is a part of the output that is known to be a set as [fieldset.End] takes it.
type extent struct{ from, end int }

func (m *memo) reset() { *m = memo{} }

// append appends the text in the message of a set of fields, which is that of the entry n.
func (m *memo) append(dst, b []byte, n int) ([]byte, bool) {
	text, ok := raw(b)
	switch {
	case !ok:
		return dst, false
	case len(text) == 0:
		return append(dst, "null"...), true
	}
	slot := &m.known[n%memoSize]
	if !fieldset.Alike(dst[slot.from:slot.end], text) && fieldset.End(text) != len(text) {
		dst, err := jsonwire.AppendRaw(dst, text)
		return dst, err == nil
	}
	*slot = extent{len(dst), len(dst) + len(text)}
	return append(dst, text...), true
}
