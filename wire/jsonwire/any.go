package jsonwire

import (
	"slices"
	"unsafe"
)

// entry is a map entry that waits until the size of its map is known.
type entry[V any] struct {
	key    string
	value  V
	offset int // of the key
}

// longRun is how many entries of a map, or elements of an array, wait at most: those of a large one
// leave in runs, because what waits is copied as it grows.
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

// put moves entries to a map, which is made if there is none, and records those whose key is there
// already.
func put[V any](r *Reader, m map[string]V, entries []entry[V]) map[string]V {
	// a map takes so many bytes, and has room for so many entries at least, for up to twice as many
	// as it has
	const header, group = 48, 8
	var none V
	n, each := len(entries), int(unsafe.Sizeof("")+unsafe.Sizeof(none))
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
// uint64 where int64 does not reach, else float64; in strict mode an integer that is not exact then
// is recorded. A number beyond float64 is recorded and returns nil.
func (r *Reader) Any() any {
	switch c := r.peek(); c {
	case '"':
		return r.String("")
	case '{':
		return r.anyObject()
	case '[':
		return r.anyArray()
	case 't', 'f':
		v := r.Bool(false)
		if r.err != nil {
			return nil
		}
		return v
	case plainMark:
		if r.annotated {
			return r.plainAny()
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.anyNumber()
	case 'n':
		r.literal("null")
		return nil
	case 0:
		if r.source != nil {
			return r.sourceAny()
		}
	}
	r.failChar(r.pos, "a value")
	return nil
}

func (r *Reader) anyNumber() any {
	i := r.pos
	end, integer, bad := scanNumber(r.data, i)
	if bad != "" {
		r.failChar(end, bad)
		return nil
	}
	if r.tooLong(i, end, end-i) {
		return nil
	}
	r.start, r.pos = i, end
	v, ok := untyped(r.data[i:end], integer)
	if !ok {
		r.outOfRange("float64")
		return nil
	}
	if f, ok := v.(float64); ok && integer {
		r.inexact(r.data[i:end], f)
	}
	return v
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
		r.Spend((len(runs)*longRun + len(out)) * int(unsafe.Sizeof(any(nil))))
		out = slices.Concat(append(runs, out)...)
	}
	if r.err != nil {
		return nil
	}
	return out
}

// waiting returns the elements of an array that wait, in memory of their own.
func (r *Reader) waiting(base int) []any {
	values := r.elements[base:]
	r.Spend(int(unsafe.Sizeof(values)) + len(values)*int(unsafe.Sizeof(any(nil))))
	out := make([]any, len(values))
	copy(out, values)
	clear(values)
	r.elements = r.elements[:base]
	return out
}

// Raw reads a value of any type and returns a copy of its bytes, white space inside included. Null
// returns nil. Plain scalars of an annotated text are written as the JSON they stand for. With
// [Options.RawForm] set, the result is what that makes of the bytes. In strict mode members that
// occur twice in the value, at any depth, are recorded.
func (r *Reader) Raw() []byte {
	if r.Null() {
		return nil
	}
	return cloneBytes(r.raw())
}

// raw is Raw for a value that may be null, in memory that is valid until the next call.
func (r *Reader) raw() []byte {
	// whoever annotates a text finds its duplicates, unless they are there still
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

func cloneBytes(b []byte) []byte {
	if b == nil {
		return nil
	}
	out := make([]byte, len(b))
	copy(out, b)
	return out
}

// rawUnchecked reads a value and returns its JSON, valid until the next call; nil after a failure.
// The names of its members are given to seen, which may be nil.
func (r *Reader) rawUnchecked(seen *nameSet) []byte {
	if r.source != nil {
		out, ok := r.source.AppendRaw(r.unescaped[:0])
		if r.unescaped = out; !ok {
			r.abandon()
			return nil
		}
		return out
	}
	plain := r.skip(seen)
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

// Unmarshaler reads a value of any type, null included, by the UnmarshalJSON method of
// encoding/json. Its error is recorded as with [Reader.Invalid], and in strict mode so are members
// that occur twice, as with [Reader.Raw].
func (r *Reader) Unmarshaler(u interface{ UnmarshalJSON(data []byte) error }) {
	if b := r.raw(); b != nil {
		r.Invalid(u.UnmarshalJSON(b))
	}
}

// TextUnmarshaler reads a string by an encoding.TextUnmarshaler, whose error is recorded as with
// [Reader.Invalid]. Null does not call it.
func (r *Reader) TextUnmarshaler(u interface{ UnmarshalText(text []byte) error }) {
	if b := r.Text(); b != nil {
		r.Invalid(u.UnmarshalText(b))
	}
}
