package cbor

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// maxLevels caps the nesting that options can allow. The default limit is that of the reader of the
// text.
const maxLevels = 100000

// reader converts items of a sequence to annotated JSON texts, in which floats have a fraction or
// an exponent. It reads all of CBOR and reports the problems of an item with their positions. It
// favors diagnostics over speed; common input is read by [source].
type reader struct {
	data []byte
	pos  int
	out  []byte

	stack []level
	later uint64 // the innermost tag 21, 22 or 23 in effect, which selects the text form of byte strings; 0 if none

	noting   bool // whether marks are recorded
	marks    []mark
	problems []problem
	more     int    // number of problems beyond maxProblems
	chunks   []byte // scratch for strings in chunks
}

// level is an enclosing container.
type level struct {
	left  int // remaining items or entries, -1 if a break code ends them
	isMap bool
	later uint64 // reader.later outside of it
}

// mark maps the offset of a value or a key in the text to its item.
type mark struct{ text, item int }

// problem is a value that an object cannot represent. The text has null in its place.
type problem struct {
	text, item int
	cause      error
	message    string
}

// brokenError reports why the rest of the input cannot be read.
type brokenError struct {
	offset  int
	cause   error
	message string
}

func (e *brokenError) Error() string {
	return "cbor: at byte " + strconv.Itoa(e.offset) + ": " + e.message
}

// readers pools readers to reuse their memory.
var readers = sync.Pool{New: func() any { return new(reader) }}

func (r *reader) release() {
	fresh := reader{stack: r.stack[:0], chunks: r.chunks[:0], out: r.out[:0]}
	if cap(fresh.stack) > 1024 {
		fresh.stack = nil
	}
	if cap(fresh.chunks) > maxPooled {
		fresh.chunks = nil
	}
	if cap(fresh.out) > maxPooled {
		fresh.out = nil
	}
	*r = fresh
	readers.Put(r)
}

func (r *reader) broken(offset int, format string, args ...any) error {
	return &brokenError{offset: offset, cause: runtime.ErrSyntax, message: fmt.Sprintf(format, args...)}
}

func (r *reader) cutOff() error { return r.broken(len(r.data), "unexpected end of the input") }

// refuse records a problem of the item at an offset.
func (r *reader) refuse(item int, cause error, message string) {
	if len(r.problems) == maxProblems {
		r.more++
	} else {
		r.problems = append(r.problems, problem{text: len(r.out), item: item, cause: cause, message: message})
	}
}

// maxProblems is the maximum number of problems recorded for an item.
const maxProblems = 1000

// head reads the first byte of an item and its argument. A head of indefinite length has the
// argument 0.
func (r *reader) head() (major, info byte, argument uint64, err error) {
	if r.pos >= len(r.data) {
		return 0, 0, 0, r.cutOff()
	}
	c := r.data[r.pos]
	major, info = c&0xE0, c&0x1F
	if info < 24 {
		r.pos++
		return major, info, uint64(info), nil
	}
	return r.longHead(major, info)
}

func (r *reader) longHead(major, info byte) (byte, byte, uint64, error) {
	switch {
	case info == 31 && major != majorUint && major != majorNint && major != majorTag:
		r.pos++
		return major, info, 0, nil
	case info > 27:
		return 0, 0, 0, r.broken(r.pos, "the byte %#02x does not begin an item", major|info)
	}
	argument, content, ok := longHeadAt(r.data, r.pos, info)
	if !ok {
		return 0, 0, 0, r.cutOff()
	}
	r.pos = content
	return major, info, argument, nil
}

// item reads the item at the position and appends it to out.
func (r *reader) item() error {
	base := len(r.stack)
	for {
		opened, err := r.value()
		if err != nil {
			return err
		}
		for more := false; !more; opened = false {
			if len(r.stack) == base {
				return nil
			}
			if more, err = r.next(opened); err != nil {
				return err
			}
		}
	}
}

// next moves to the next value of the innermost container, past its key if it is a map. It returns
// false if there is none, and closes the container. first means that nothing in the container has
// been read yet.
func (r *reader) next(first bool) (more bool, err error) {
	top := &r.stack[len(r.stack)-1]
	switch {
	case top.left > 0:
		top.left--
	case top.left == 0:
		r.close(top)
		return false, nil
	case r.pos >= len(r.data):
		return false, r.cutOff()
	case r.data[r.pos] == breakCode:
		r.pos++
		r.close(top)
		return false, nil
	}
	if !first {
		r.out = append(r.out, ',')
	}
	if top.isMap {
		return true, r.key()
	}
	return true, nil
}

func (r *reader) close(top *level) {
	c := byte(']')
	if top.isMap {
		c = '}'
	}
	r.out = append(r.out, c)
	r.later = top.later
	r.stack = r.stack[:len(r.stack)-1]
}

// key reads the key of a map and appends it with its colon.
func (r *reader) key() error {
	start := r.pos
	if r.noting {
		r.marks = append(doubled(r.marks), mark{len(r.out), start})
	}
	major, info, argument, err := r.head()
	if err != nil {
		return err
	}
	around := r.later
	for ; major == majorTag; major, info, argument, err = r.head() {
		if tagTimeEpoch <= argument && argument <= tagBigNint {
			break
		}
		if tagBase64URL <= argument && argument <= tagBase16 {
			r.later = argument
		}
	}
	if err != nil {
		return err
	}
	if major != majorBytes && major != majorText {
		return &brokenError{
			offset: start, cause: runtime.ErrWrongType,
			message: "expected a string as the key of a map, found " + describe(major, info),
		}
	}
	s, err := r.string(major, info, argument)
	if err != nil {
		return err
	}
	if major == majorBytes && r.later != 0 {
		// Only the type decides whether this is the name of a field or the key of a map, and the
		// tag requests base64 for one but not for the other.
		r.refuse(start, runtime.ErrInvalidValue, fmt.Sprintf(
			"the tag %d is not supported on the keys of maps, write them as text strings or put the tag on the values",
			r.later))
	}
	r.out = appendQuoted(r.out, s)
	r.later = around
	r.out = append(r.out, ':')
	return nil
}

// string returns the content of a string whose head was read. It aliases the input or scratch
// memory.
func (r *reader) string(major, info byte, length uint64) ([]byte, error) {
	if info != 31 {
		if length > uint64(len(r.data)-r.pos) {
			return nil, r.cutOff()
		}
		s := r.data[r.pos : r.pos+int(length)]
		r.pos += int(length)
		return s, nil
	}
	r.chunks = r.chunks[:0]
	for {
		at := r.pos
		if at < len(r.data) && r.data[at] == breakCode {
			r.pos++
			return r.chunks, nil
		}
		m, i, n, err := r.head()
		if err != nil {
			return nil, err
		}
		if m != major || i == 31 {
			return nil, r.broken(at, "expected another part of the string, found %s", describe(m, i))
		}
		s, err := r.string(m, i, n)
		if err != nil {
			return nil, err
		}
		// Each part of a text string must be UTF-8 by itself. Whole strings are checked later.
		if major == majorText && !utf8.Valid(s) {
			return nil, r.broken(at, "invalid UTF-8 in a part of a text string")
		}
		r.chunks = append(r.chunks, s...)
	}
}

// value reads the next item, or, for a container, its head, and pushes the container on the stack.
func (r *reader) value() (opened bool, err error) {
	start := r.pos
	if r.noting {
		r.marks = append(doubled(r.marks), mark{len(r.out), start})
	}
	major, info, argument, err := r.head()
	if err != nil {
		return false, err
	}
	if major == majorTag {
		around := r.later
		major, info, argument, err = r.tags(start, argument)
		if err != nil {
			return false, err
		}
		if major == majorTag { // the tags and their content have been read already
			r.later = around
			return false, nil
		}
		opened, err = r.content(start, major, info, argument, around)
		if !opened { // the tags apply to the content of a container
			r.later = around
		}
		return opened, err
	}
	return r.content(start, major, info, argument, r.later)
}

// content reads the rest of an item whose head was read. around is the value of later in its
// container.
func (r *reader) content(start int, major, info byte, argument, around uint64) (opened bool, err error) {
	switch major {
	case majorBytes, majorText:
		s, err := r.string(major, info, argument)
		if err != nil {
			return false, err
		}
		if major == majorBytes && r.later != 0 {
			r.encoded(start, s)
			return false, nil
		}
		r.out = appendQuoted(r.out, s)
		return false, nil
	case majorUint:
		r.out = strconv.AppendUint(r.out, argument, 10)
		return false, nil
	case majorNint:
		if argument > math.MaxInt64 {
			r.refuse(start, runtime.ErrOutOfRange, "an integer below -9223372036854775808 cannot be represented in an object")
			r.out = append(r.out, "null"...)
			return false, nil
		}
		r.out = strconv.AppendInt(r.out, -1-int64(argument), 10)
		return false, nil
	case majorArray, majorMap:
		return true, r.open(start, major, info, argument, around)
	}
	return false, r.other(start, info, argument)
}

// doubled returns a slice with room for one element more. A full one is doubled, because smaller
// steps would copy it more often.
func doubled[T any](s []T) []T {
	if len(s) == cap(s) {
		return slices.Grow(s, len(s)+16)
	}
	return s
}

// open begins an array or a map.
func (r *reader) open(start int, major, info byte, count, around uint64) error {
	l := level{left: -1, isMap: major == majorMap, later: around}
	if info != 31 {
		// Every item takes at least one byte.
		rest := uint64(len(r.data) - r.pos)
		if l.isMap {
			rest /= 2
		}
		if count > rest {
			return r.broken(start, "%s of %d entries exceeds the input", describe(major, info), count)
		}
		l.left = int(count)
	}
	if len(r.stack) >= maxLevels {
		return &brokenError{offset: start, cause: runtime.ErrLimit, message: fmt.Sprintf("nested deeper than %d",
			maxLevels)}
	}
	r.stack = append(doubled(r.stack), l)
	c := byte('[')
	if l.isMap {
		c = '{'
	}
	r.out = append(r.out, c)
	return nil
}

// other reads a float or a simple value.
func (r *reader) other(start int, info byte, argument uint64) error {
	switch info {
	case headFalse & 0x1F:
		r.out = append(r.out, "false"...)
	case headTrue & 0x1F:
		r.out = append(r.out, "true"...)
	case headNull & 0x1F:
		r.out = append(r.out, "null"...)
	case headFloat16 & 0x1F, headFloat32 & 0x1F, headFloat64 & 0x1F:
		v := floatOf(info, argument)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.refuse(start, runtime.ErrInvalidValue, "the number "+strconv.FormatFloat(v, 'g', -1, 64)+
				" cannot be represented in an object")
			r.out = append(r.out, "null"...)
			return nil
		}
		r.out = appendFloatText(r.out, v)
	case breakCode & 0x1F:
		return r.broken(start, "unexpected break code, expected an item")
	default:
		if info == 24 && argument < 32 {
			return r.broken(start, "the simple value %d is written in two bytes", argument)
		}
		message := "the simple value " + strconv.FormatUint(argument, 10) + " cannot be represented in an object"
		if info == headUndefined&0x1F {
			message = "undefined cannot be represented in an object"
		}
		r.refuse(start, runtime.ErrInvalidValue, message)
		r.out = append(r.out, "null"...)
	}
	return nil
}

// floatOf returns the float with the given head.
func floatOf(info byte, argument uint64) float64 {
	switch info {
	case headFloat16 & 0x1F:
		return fromHalf(uint16(argument))
	case headFloat32 & 0x1F:
		return float64(math.Float32frombits(uint32(argument)))
	}
	return math.Float64frombits(argument)
}

// appendFloatText appends a finite float in a form distinct from an integer. One without a fraction
// has all of its digits, because an integer field may accept it.
func appendFloatText(dst []byte, v float64) []byte {
	if v == math.Trunc(v) && -1<<63 <= v && v < 1<<64 {
		switch {
		case v >= 1<<63:
			dst = strconv.AppendUint(dst, uint64(v), 10)
		case v == 0 && math.Signbit(v):
			dst = append(dst, "-0"...)
		default:
			dst = strconv.AppendInt(dst, int64(v), 10)
		}
		return append(dst, ".0"...)
	}
	from := len(dst)
	dst, _ = jsonwire.AppendFloat64(dst, v) // neither NaN nor infinite
	for _, c := range dst[from:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// The tags that this package interprets.
const (
	tagTimeText  = 0
	tagTimeEpoch = 1
	tagBigUint   = 2
	tagBigNint   = 3
	tagBase64URL = 21
	tagBase64    = 22
	tagBase16    = 23
)

// tags reads the tags after the first one, and returns the head of their content. A time is read
// completely, and the major type returned is that of a tag.
func (r *reader) tags(start int, tag uint64) (major, info byte, argument uint64, err error) {
	for {
		switch tag {
		case tagTimeText, tagTimeEpoch:
			return majorTag, 0, 0, r.time(start, tag)
		case tagBigUint, tagBigNint:
			r.refuse(start, runtime.ErrOutOfRange, "big numbers cannot be represented in an object")
		case tagBase64URL, tagBase64, tagBase16:
			r.later = tag
		}
		major, info, argument, err = r.head()
		if err != nil || major != majorTag {
			return major, info, argument, err
		}
		tag = argument
	}
}

// time reads the content of a time tag and appends it as text.
func (r *reader) time(start int, tag uint64) error {
	major, info, argument, err := r.head()
	if err != nil {
		return err
	}
	var t time.Time
	var bad error
	switch {
	case tag == tagTimeText && (major == majorText || major == majorBytes):
		s, err := r.string(major, info, argument)
		if err != nil {
			return err
		}
		if t, bad = time.Parse(time.RFC3339, string(s)); bad != nil {
			_, bad = time.Parse(time.RFC3339, schema.Shorten(string(s), shownTime)) // the error quotes the text
		}
	case tag == tagTimeEpoch && (major == majorUint || major == majorNint):
		seconds := int64(argument)
		if major == majorNint {
			seconds = -1 - seconds
		}
		if t = time.Unix(seconds, 0).UTC(); argument > math.MaxInt64 {
			bad = errTimeRange
		}
	case tag == tagTimeEpoch && major == majorOther && headFloat16&0x1F <= info && info <= headFloat64&0x1F:
		seconds, fraction := math.Modf(floatOf(info, argument))
		if math.Abs(seconds) < 1<<62 { // false for NaN and infinity
			t = time.Unix(int64(seconds), int64(fraction*1e9)).UTC()
			break
		}
		bad = errTimeRange
	default:
		return &brokenError{
			offset: start, cause: runtime.ErrInvalidValue,
			message: fmt.Sprintf("the content of the time tag %d is %s", tag, describe(major, info)),
		}
	}
	var text []byte
	if bad == nil {
		text, bad = t.MarshalText()
	}
	if bad != nil {
		r.refuse(start, runtime.ErrInvalidValue, bad.Error())
		r.out = append(r.out, "null"...)
		return nil
	}
	r.out = appendQuoted(r.out, text)
	return nil
}

// shownTime is the maximum number of bytes of a malformed time that an error shows.
const shownTime = 64

var errTimeRange = errors.New("the time is out of range")

// encoded appends a byte string in the text form that a tag requests, or null if the tag is not
// supported.
func (r *reader) encoded(start int, s []byte) {
	if r.later != tagBase64 {
		r.refuse(start, runtime.ErrInvalidValue,
			fmt.Sprintf("the tag %d is not supported on byte strings, use 22", r.later))
		r.out = append(r.out, "null"...)
		return
	}
	r.out = append(r.out, '"')
	r.out = base64.StdEncoding.AppendEncode(r.out, s)
	r.out = append(r.out, '"')
}

// majors are the types of items for messages, by their major types.
var majors = [...]string{
	majorUint >> 5: "an integer", majorNint >> 5: "an integer", majorBytes >> 5: "a byte string",
	majorText >> 5: "a text string", majorArray >> 5: "an array", majorMap >> 5: "a map", majorTag >> 5: "a tag",
	majorOther >> 5: "a simple value",
}

// describe returns the type of an item for messages.
func describe(major, info byte) string {
	switch major | info {
	case headFalse, headTrue:
		return "a boolean"
	case headNull:
		return "null"
	case headUndefined:
		return "undefined"
	case headFloat16, headFloat32, headFloat64:
		return "a float"
	case breakCode:
		return "a break code"
	}
	return majors[major>>5]
}

// appendQuoted appends a JSON string. The reader of the text checks that s is UTF-8.
func appendQuoted(dst, s []byte) []byte {
	dst = append(slices.Grow(dst, len(s)+2), '"')
	for _, c := range s {
		if c < 0x20 || c == '"' || c == '\\' {
			return appendEscaped(dst, s)
		}
	}
	return append(append(dst, s...), '"')
}

// appendEscaped appends the string content after the opening quote, with escapes.
func appendEscaped(dst, s []byte) []byte {
	const digits = "0123456789abcdef"
	clean := 0 // s[clean:i] remains to be copied
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[clean:i]...)
		clean = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
		}
	}
	dst = append(dst, s[clean:]...)
	return append(dst, '"')
}
