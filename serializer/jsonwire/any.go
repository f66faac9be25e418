package jsonwire

// entry is a map entry that waits until the size of its map is known.
type entry struct {
	key    string
	value  any
	offset int // of the key
}

// pair is an entry of a map of strings.
type pair struct {
	key    string
	value  string
	offset int
}

// StringMap reads an object of strings. Null and another type return nil, an empty object an empty
// map; a null value counts as "".
func (r *Reader) StringMap() map[string]string {
	if r.Kind() != '{' {
		r.Object() // null, or recorded and skipped
		return nil
	}
	pairs := r.pairs[:0]
	for key := r.Object(); key != nil; key = r.NextKey() {
		p := pair{offset: r.keyStart, key: r.KeyString(key)}
		p.value = r.String("")
		pairs = append(pairs, p)
	}
	r.pairs = pairs
	m := make(map[string]string, len(pairs))
	for i := range pairs {
		m[pairs[i].key] = pairs[i].value
	}
	if r.strict && len(m) < len(pairs) {
		seen := make(map[string]bool, len(m))
		for _, p := range pairs {
			r.repeated(seen, p.key, p.offset)
		}
	}
	clear(pairs)
	return m
}

// repeated records a duplicate if the key is in seen, and puts it there.
func (r *Reader) repeated(seen map[string]bool, key string, offset int) {
	if seen[key] && !r.full() {
		r.record(Problem{
			Code: DuplicateField, Offset: offset, End: r.tokenEnd(offset),
			Name: key, Message: "duplicate field " + quoteShort(key),
		})
	}
	seen[key] = true
}

// Strings reads an array of strings. Null and another type return nil, an empty array an empty slice; a null
// element counts as "".
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
// uint64 where int64 does not reach, else float64; in strict mode an integer that is not exact then is recorded. A number beyond float64 is recorded and
// returns nil.
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
	for key := r.Object(); key != nil; key = r.NextKey() {
		e := entry{offset: r.keyStart, key: r.KeyString(key)}
		e.value = r.Any()
		r.entries = append(r.entries, e)
	}
	entries := r.entries[base:]
	if r.err != nil {
		clear(entries)
		r.entries = r.entries[:base]
		return nil
	}
	m := make(map[string]any, len(entries))
	for i := range entries {
		m[entries[i].key] = entries[i].value
	}
	if r.strict && len(m) < len(entries) {
		seen := make(map[string]bool, len(m))
		for i := range entries {
			r.repeated(seen, entries[i].key, entries[i].offset)
		}
	}
	clear(entries)
	r.entries = r.entries[:base]
	return m
}

func (r *Reader) anyArray() any {
	base := len(r.elements)
	for more := r.Array(); more; more = r.NextElem() {
		v := r.Any()
		r.elements = append(r.elements, v)
	}
	values := r.elements[base:]
	if r.err != nil {
		clear(values)
		r.elements = r.elements[:base]
		return nil
	}
	out := make([]any, len(values))
	copy(out, values)
	clear(values)
	r.elements = r.elements[:base]
	return out
}

// Raw reads a value of any type and returns a copy of its bytes, white space inside included. Null returns
// nil. Plain scalars of an annotated text are written as the JSON they stand for. With [Options.RawForm] set, the result is what that
// makes of the bytes. In strict mode members that occur twice in the value, at any depth, are recorded.
func (r *Reader) Raw() []byte {
	if r.Null() {
		return nil
	}
	if !r.strict || r.annotated { // whoever annotates a text finds its duplicates
		return cloneBytes(r.rawUnchecked(nil))
	}
	r.seen.reset()
	b := r.rawUnchecked(&r.seen)
	if r.seen.suspect && r.err == nil {
		r.duplicates(r.start, r.pos)
	}
	return cloneBytes(b)
}

func cloneBytes(b []byte) []byte {
	if b == nil {
		return nil
	}
	out := make([]byte, len(b))
	copy(out, b)
	return out
}

// rawUnchecked reads a value and returns its JSON, valid until the next call; nil after a failure. The names of its members are given to seen, which
// may be nil.
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

// Unmarshaler reads a value of any type, null included, by the UnmarshalJSON method of encoding/json. Its
// error is recorded as with [Reader.Invalid].
func (r *Reader) Unmarshaler(u interface{ UnmarshalJSON(data []byte) error }) {
	if b := r.rawUnchecked(nil); b != nil {
		r.Invalid(u.UnmarshalJSON(b))
	}
}

// TextUnmarshaler reads a string by an encoding.TextUnmarshaler, whose error is recorded as with [Reader.Invalid]. Null
// does not call it.
func (r *Reader) TextUnmarshaler(u interface{ UnmarshalText(text []byte) error }) {
	if b := r.Text(); b != nil {
		r.Invalid(u.UnmarshalText(b))
	}
}
