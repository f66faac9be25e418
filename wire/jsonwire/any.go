package jsonwire

import (
	"bytes"
	"math"
	"slices"

	"github.com/askind/askind/wire/internal/batch"
)

// entry is a map entry that is held back until the size of its map is known.
type entry[V any] struct {
	key    string
	value  V
	offset int // of the key
}

// longRun is the maximum number of map entries or array elements that are held back. Those of a
// longer map or array are flushed in runs, because growing the stack copies it.
const longRun = 1024

// StringMap reads an object of strings. Null and another type return nil, an empty object an empty
// map; a null value counts as "".
func (r *Reader) StringMap() map[string]string {
	if r.Kind() != '{' {
		r.Object() // null, or recorded and skipped
		return nil
	}
	pairs := r.pairs[:0]
	var m map[string]string
	for key := r.Object(); key != nil; key = r.NextKey() {
		p := entry[string]{offset: r.keyStart, key: r.KeyString(key)}
		p.value = r.String("")
		if len(pairs) == longRun {
			m, pairs = put(r, m, pairs), pairs[:0]
		}
		pairs = append(pairs, p)
	}
	r.pairs = pairs
	return put(r, m, pairs)
}

// put moves entries to a map, which it allocates if m is nil, and records duplicate keys.
func put[V any](r *Reader, m map[string]V, entries []entry[V]) map[string]V {
	// the minimum sizes of a map: bytes for the map, and entries for which it has room; a map has
	// room for up to twice its entries
	const header, group = 48, 8
	n, each := len(entries), batch.SizeOf[string]()+batch.SizeOf[V]()
	if m == nil {
		r.Spend(header)
		m = make(map[string]V, n)
	}
	if n > 0 {
		r.Spend(max(group, 2*n) * each)
	}
	for i := range entries {
		e := &entries[i]
		if r.strict {
			if _, ok := m[e.key]; ok {
				r.repeated(e.key, e.offset)
			}
		}
		m[e.key] = e.value
	}
	clear(entries)
	return m
}

// Strings reads an array of strings. Null and another type return nil, an empty array an empty
// slice; a null element counts as "".
func (r *Reader) Strings() []string {
	if r.Kind() != '[' {
		r.Array()
		return nil
	}
	var out []string
	start := r.Offset()
	for more := r.Array(); more; more = r.NextElem() {
		out = Extend(r, out, start)
		out[len(out)-1] = r.String("")
	}
	return Settle(r, out)
}

// Any reads a value of any type: map[string]any, []any, string, bool, nil, and for numbers int64,
// uint64 above the range of int64, else float64. In strict mode an integer that a float64 cannot
// represent exactly is recorded. A number beyond float64 is recorded and returns nil.
func (r *Reader) Any() any {
	if r.peek() == '"' {
		return r.String("") // copies while it scans
	}
	switch s := r.Scalar(false); s.Kind {
	case '{':
		return r.anyObject()
	case '[':
		return r.anyArray()
	case '"':
		return r.keep(s.Text)
	case 'i':
		return int64(s.Bits)
	case 'u':
		return s.Bits
	case 'f':
		return math.Float64frombits(s.Bits)
	case 't':
		return s.Bits != 0
	}
	return nil
}

func (r *Reader) anyObject() any {
	base := len(r.entries)
	var m map[string]any
	for key := r.Object(); key != nil; key = r.NextKey() {
		e := entry[any]{offset: r.keyStart, key: r.KeyString(key)}
		e.value = r.Any()
		if len(r.entries)-base == longRun {
			m, r.entries = put(r, m, r.entries[base:]), r.entries[:base]
		}
		r.entries = append(r.entries, e)
	}
	m, r.entries = put(r, m, r.entries[base:]), r.entries[:base]
	if r.err != nil {
		return nil
	}
	return m
}

func (r *Reader) anyArray() any {
	base := len(r.elements)
	var runs [][]any
	for more := r.Array(); more; more = r.NextElem() {
		v := r.Any()
		if len(r.elements)-base == longRun {
			runs = append(runs, r.waiting(base))
		}
		r.elements = append(r.elements, v)
	}
	out := r.waiting(base)
	if runs != nil {
		r.Spend((len(runs)*longRun + len(out)) * batch.SizeOf[any]())
		out = slices.Concat(append(runs, out)...)
	}
	if r.err != nil {
		return nil
	}
	return out
}

// waiting returns a copy of the array elements that were held back.
func (r *Reader) waiting(base int) []any {
	values := r.elements[base:]
	r.Spend(batch.SizeOf[[]any]() + len(values)*batch.SizeOf[any]())
	out := make([]any, len(values))
	copy(out, values)
	clear(values)
	r.elements = r.elements[:base]
	return out
}

// Raw reads a value of any type and returns a copy of its bytes, including white space. Null
// returns nil. Plain scalars of an annotated text are converted to JSON. If [Options.RawForm] is
// set, the result is the output of that function. In strict mode duplicate members of the value, at
// any depth, are recorded.
func (r *Reader) Raw() []byte {
	if r.Null() {
		return nil
	}
	return bytes.Clone(r.raw())
}

// raw is Raw for a value that may be null, in memory that is valid until the next call.
func (r *Reader) raw() []byte {
	// the writer of an annotated text detects duplicates, unless they are still in the text
	if !r.strict || r.annotated && r.rawForm == nil {
		return r.rawUnchecked(nil)
	}
	r.seen.reset()
	b := r.rawUnchecked(&r.seen)
	if r.seen.suspect && r.err == nil {
		r.duplicates(r.start, r.pos)
	}
	return b
}

// rawUnchecked reads a value and returns its JSON, valid until the next call; nil after a failure.
// It passes the names of its members to seen, which may be nil.
func (r *Reader) rawUnchecked(seen *nameSet) []byte {
	if r.source != nil {
		out, ok := r.source.AppendRaw(r.unescaped[:0])
		if r.unescaped = out; !ok {
			r.abandon()
			return nil
		}
		return out
	}
	plain := r.skip(seen, nil)
	if r.err != nil {
		return nil
	}
	b := r.data[r.start:r.pos:r.pos]
	if plain {
		r.resolved = r.appendResolved(r.resolved[:0], b)
		b = r.resolved
	}
	if r.rawForm != nil {
		out, err := r.rawForm(r.unescaped[:0], b)
		if err != nil {
			r.Invalid(err)
			return nil
		}
		r.unescaped, b = out, out
	}
	return b
}

// Unmarshaler passes a value of any type, including null, to the UnmarshalJSON method of
// encoding/json. Its error is recorded as with [Reader.Invalid], and in strict mode so are members
// that occur twice, as with [Reader.Raw].
func (r *Reader) Unmarshaler(u interface{ UnmarshalJSON(data []byte) error }) {
	if b := r.raw(); b != nil {
		r.Invalid(u.UnmarshalJSON(b))
	}
}

// TextUnmarshaler passes a string to an encoding.TextUnmarshaler, whose error is recorded as with
// [Reader.Invalid]. It does not call it for null.
func (r *Reader) TextUnmarshaler(u interface{ UnmarshalText(text []byte) error }) {
	if b := r.Text(); b != nil {
		r.Invalid(u.UnmarshalText(b))
	}
}
