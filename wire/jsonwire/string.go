package jsonwire

import (
	"encoding/base64"

	"github.com/askind/askind/wire/internal/chunk"
)

func (r *Reader) stringSlow(old string) string {
	if r.source != nil {
		if b, found := r.source.Text(); r.use(found) {
			return r.keep(b)
		}
		return old
	}
	if b := r.Text(); b != nil {
		return r.keep(b)
	}
	return old
}

// keep returns a copy of b as a string. The remaining input, which requires a call to a source, is
// computed only if the chunk has no room.
func (r *Reader) keep(b []byte) string {
	if free := r.text.Buf[r.text.Used:]; len(b) <= min(len(free), chunk.SharedLimit) {
		return r.text.Take(copy(free, b))
	}
	return r.text.Keep(b, (r.rest()+len(b))/2)
}

// Text reads a string without copying it. The result aliases the input or a scratch buffer, must
// not be written to, and is valid until the next call. It is nil, not empty, for null and for
// another type, which is recorded and skipped. Decoders of times and quantities parse it in place.
func (r *Reader) Text() []byte {
	switch r.peek() {
	case '"':
		r.start = r.pos
		return r.quoted(r.pos, &r.unescaped)
	case 'n':
		r.literal("null")
		return nil
	case plainMark:
		if r.annotated {
			if b := r.plain(); !isNull(b) {
				return b
			}
			return nil
		}
	case 0:
		if r.source != nil {
			b, found := r.source.Text()
			if r.use(found) {
				return b
			}
			return nil
		}
	}
	r.wrongType("string")
	return nil
}

// TextOrNumber returns the next value as text if it is a string or a number. The result is valid
// until the next call, and nil for null. A value of another type is recorded and skipped; the
// result is then nil.
//
// It is for leaf decoders of types that have a text form and also accept a number, such as a
// quantity. Checking [Reader.Kind] first is error-prone: the plain scalar yes of an annotated text
// has the Kind of a boolean, but [Reader.String] reads it without a problem.
func (r *Reader) TextOrNumber() []byte {
	if r.Kind() == '0' {
		return r.Number()
	}
	return r.Text()
}

// quoted reads the string whose opening quote is at i, into scratch memory if it has escapes; nil
// after a failure.
func (r *Reader) quoted(i int, scratch *[]byte) []byte {
	end, plain, bad := scanString(r.data, i+1)
	if bad != "" {
		r.fail(end, min(end+1, len(r.data)), bad)
		return nil
	}
	r.pos = end + 1
	b := r.data[i+1 : end : end]
	if !plain {
		*scratch = AppendUnescaped((*scratch)[:0], b)
		b = *scratch
	}
	return b
}

// KeyString returns a copy of a key as a string, for the keys of maps.
func (r *Reader) KeyString(key []byte) string {
	return r.keep(key)
}

// Bytes reads a base64 string (standard alphabet, padded), or an array of numbers below 256. Null
// and unusable values return nil; an empty string returns an empty slice.
func (r *Reader) Bytes() []byte {
	switch r.Kind() {
	case '"':
		if r.source != nil {
			b, found := r.source.Bytes()
			if r.use(found) {
				return append([]byte{}, b...)
			}
			return nil
		}
	case 'n':
		r.Null()
		return nil
	case '[':
		out := []byte{}
		for more := r.Array(); more; more = r.NextElem() {
			out = append(out, r.Uint8(0))
		}
		if r.err != nil {
			return nil
		}
		return out
	}
	text := r.Text()
	if text == nil {
		return nil
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		r.Invalid(err)
		return nil
	}
	return out[:n]
}

// Bool reads a boolean. Null returns old; another type is recorded, skipped, and returns old.
func (r *Reader) Bool(old bool) bool {
	switch c := r.peek(); c {
	case 't', 'f':
		if r.literal(wordOf(c)) {
			return c == 't'
		}
		return old
	case 'n':
		r.literal("null")
		return old
	case plainMark:
		if r.annotated {
			return r.plainBool(old)
		}
	case 0:
		if r.source != nil {
			v, found := r.source.Bool()
			if r.use(found) {
				return v
			}
			return old
		}
	}
	r.wrongType("boolean")
	return old
}
