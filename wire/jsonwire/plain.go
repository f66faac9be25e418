package jsonwire

import (
	"math"
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// plain consumes the plain scalar at the position and returns its text, valid until the next call;
// nil after a failure.
func (r *Reader) plain() []byte {
	i := r.pos
	if i+1 >= len(r.data) || r.data[i+1] != '"' {
		r.failChar(i+1, "a string after the plain scalar mark")
		return nil
	}
	r.start = i
	return r.quoted(i+1, &r.unescaped)
}

// plainKind returns the type of the plain scalar at the position without consuming it.
func (r *Reader) plainKind() byte {
	i := r.pos
	b := r.plain()
	if r.err != nil {
		return 0
	}
	r.pos = i
	return resolve(b).kind()
}

// plainNull consumes the plain scalar at the position if it is null.
func (r *Reader) plainNull() bool {
	i := r.pos
	b := r.plain()
	if r.err != nil {
		return false
	}
	if isNull(b) {
		return true
	}
	r.pos = i
	return false
}

func (r *Reader) plainBool(old bool) bool {
	b := r.plain()
	if r.err != nil || isNull(b) {
		return old
	}
	v, canonical, ok := boolOf(b)
	if !ok {
		r.plainWrong("boolean", b)
		return old
	}
	if !canonical && r.strict && !r.full(wire.AmbiguousValue) {
		r.record(Problem{
			Code: wire.AmbiguousValue, Offset: r.start, End: r.pos,
			Message: "ambiguous boolean " + schema.Shorten(string(b), shown) + ", write " + strconv.FormatBool(v),
		})
	}
	return v
}

// plainNumber consumes the plain scalar at the position and returns its number as JSON.
func (r *Reader) plainNumber(expected string) ([]byte, bool) {
	b := r.plain()
	if r.err != nil || isNull(b) {
		return nil, false
	}
	s := resolve(b)
	if !s.isNumber() {
		r.plainWrong(expected, b)
		return nil, false
	}
	if r.tooLong(r.start, r.pos, len(b)) {
		return nil, false
	}
	out, err := s.append(r.resolved[:0])
	if err != nil {
		r.outOfRange("JSON")
		return nil, false
	}
	r.resolved = out
	return out, true
}

// plainWrong records that the plain scalar just read is of another type than expected.
func (r *Reader) plainWrong(expected string, text []byte) {
	if r.full(wire.WrongType) {
		return
	}
	found := "string"
	switch resolve(text).kind() {
	case '0':
		found = "number"
	case 't':
		found = "boolean"
	}
	r.record(Problem{
		Code: wire.WrongType, Offset: r.start, End: r.pos,
		Message: "expected " + expected + ", found " + found + " " + quoteShort(string(text)),
	})
}

// appendResolved appends checked annotated text with each plain scalar replaced by its JSON.
func (r *Reader) appendResolved(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		switch src[i] {
		case '"':
			end, _, _ := scanString(src, i+1)
			dst = append(dst, src[i:end+1]...)
			i = end + 1
		case plainMark:
			end, escapeless, _ := scanString(src, i+2)
			text := src[i+2 : end]
			if !escapeless {
				r.unescaped = AppendUnescaped(r.unescaped[:0], text)
				text = r.unescaped
			}
			dst = r.appendScalar(dst, text, i)
			i = end + 1
		default:
			dst = append(dst, src[i])
			i++
		}
	}
	return dst
}

func (r *Reader) appendScalar(dst, text []byte, i int) []byte {
	s := resolve(text)
	if s.Kind == '"' {
		return AppendString(dst, string(text))
	}
	if exact := ExactInteger(text); exact != nil {
		return append(dst, exact...)
	}
	out, err := s.append(dst)
	if err != nil {
		// Infinity and NaN have no JSON representation.
		if !r.full(wire.OutOfRange) {
			r.record(Problem{
				Code: wire.OutOfRange, Offset: r.start + i, End: r.start + i + 1,
				Message: "number " + schema.Shorten(string(text), shown) + " is out of range for JSON",
			})
		}
		return append(dst, "null"...)
	}
	return out
}

// kind returns the type as [Reader.Kind] does.
func (s Scalar) kind() byte {
	if s.isNumber() {
		return '0'
	}
	return s.Kind
}

// resolve applies the YAML 1.1 rules of the Kubernetes wire format: a leading 0 is octal, 0x, 0o
// and 0b are recognized, underscores in numbers are ignored, and y, yes and on are true.
func resolve(text []byte) Scalar {
	if isNull(text) {
		return Scalar{Kind: 'n'}
	}
	switch c := text[0]; {
	case c-'0' <= 9, c == '+', c == '-', c == '.':
		if kind, bits := resolveNumber(text); kind != 0 {
			return Scalar{Kind: kind, Bits: bits}
		}
	default:
		if v, _, ok := boolOf(text); ok {
			if v {
				return Scalar{Kind: 't', Bits: 1}
			}
			return Scalar{Kind: 't'}
		}
	}
	return Scalar{Kind: '"', Text: text}
}

func isNull(text []byte) bool {
	switch string(text) {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// boolOf reads the boolean words of YAML 1.1; canonical reports whether the word is one of YAML
// 1.2.
func boolOf(text []byte) (v, canonical, ok bool) {
	switch string(text) {
	case "true", "True", "TRUE":
		return true, true, true
	case "false", "False", "FALSE":
		return false, true, true
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true, false, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false, false, true
	}
	return false, false, false
}

// resolveNumber returns a number with the kind and the bits of a [Scalar]. The kind is 0 if text is
// not a number.
func resolveNumber(text []byte) (kind byte, bits uint64) {
	switch string(text) {
	case ".nan", ".NaN", ".NAN":
		return 'f', math.Float64bits(math.NaN())
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return 'f', math.Float64bits(math.Inf(1))
	case "-.inf", "-.Inf", "-.INF":
		return 'f', math.Float64bits(math.Inf(-1))
	}
	plain := text
	if text[0] != '.' { // after a point an underscore counts only between digits, as in Go
		plain = make([]byte, 0, 64)
		for _, c := range text {
			if c != '_' {
				plain = append(plain, c)
			}
		}
		if v, err := strconv.ParseInt(string(plain), 0, 64); err == nil {
			return 'i', uint64(v)
		}
		if v, err := strconv.ParseUint(string(plain), 0, 64); err == nil {
			return 'u', v
		}
		if !isDecimal(plain) {
			return 0, 0
		}
	}
	if v, err := strconv.ParseFloat(string(plain), 64); err == nil {
		return 'f', math.Float64bits(v)
	}
	return 0, 0
}

// isDecimal reports whether text is a decimal number in YAML syntax: an optional sign, digits with
// an optional point at any position, and an optional exponent.
func isDecimal(text []byte) bool {
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	whole := digits(text, i)
	n := whole - i
	i = whole
	if i < len(text) && text[i] == '.' {
		fraction := digits(text, i+1)
		n += fraction - i - 1
		i = fraction
	}
	if n == 0 {
		return false
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		end := digits(text, i)
		if end == i {
			return false
		}
		i = end
	}
	return i == len(text)
}
