package jsonwire

import (
	"encoding/binary"
	"math/bits"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/internal/batch"
	"github.com/askind/askind/wire/internal/chunk"
	"github.com/askind/askind/wire/internal/problems"
)

// Options are the options of a [Reader]. The zero value is lenient, with the default limits.
type Options struct {
	// Strict records unknown and duplicate members.
	Strict bool
	// Limits bound the input. The Reader enforces the limits of nesting, numbers, memory, embedded
	// objects and problems. The caller checks the size of the text, and [Exceeds] checks the
	// lengths of strings and lists.
	Limits schema.Limits
	// Annotated allows plain scalars, see the package comment, and integers with the fraction .0.
	Annotated bool
	// RawForm, if not nil, converts values for [Reader.Raw] and [Reader.Unmarshaler]: it appends a
	// valid value to dst in the form in which it is to be kept.
	RawForm func(dst, value []byte) ([]byte, error)
	// Apart allocates each string, each value behind a pointer and each array separately. By
	// default they share blocks of memory, which is faster, but a retained part keeps its whole
	// block in memory.
	Apart bool
	// Checker, if not nil, checks embedded objects in strict mode, see [Reader.RawObject].
	Checker Checker
	// Size is the size of the input from which the text was made; it determines the memory limit. 0
	// means the size of the text.
	Size int
	// Room, if not 0, is the memory limit in bytes, in place of Limits.Memory, for a text that is
	// part of another input.
	Room int
	// Source, if not nil, provides the values. The text passed with it must be empty.
	Source Source
}

const (
	// defaultMaxDepth is the maximum nesting of written values.
	defaultMaxDepth = 10000
	// highestMaxDepth caps the depth limit.
	highestMaxDepth = 100000

	// plainMark starts a plain scalar in an annotated text.
	plainMark = 0x01
)

// Reader is a position in a JSON text. Its methods read one value after the other; the caller knows
// the type and so which method to call next. A Reader is not safe for concurrent use and must not
// be copied.
//
// The zero Reader reads an empty text; [NewReader] and [Reader.Reset] give it another.
type Reader struct {
	data []byte
	pos  int // the next byte to read; len(data) after a fatal problem
	text chunk.Chunk
	// values holds the blocks for pointers and short lists of the decoded object.
	values batch.Set

	start    int // of the value read last
	keyStart int // of the key read last

	depth    int
	maxDepth int
	limits   schema.Limits // with defaults; maxDepth is a copy of one of them
	size     int           // of the text, or what it was made from
	digits   int           // maximum digits of an integer that is read without checking its length

	strict    bool
	annotated bool
	rawForm   func(dst, value []byte) ([]byte, error)
	source    Source // nil for a text, and after a failure
	checker   Checker
	embedded  int  // number of checked objects that enclose the text
	discards  bool // see Discards

	problems problems.List
	err      *Error
	errEnd   int

	unescaped []byte          // scratch of string values
	keyBuf    []byte          // scratch of keys
	resolved  []byte          // scratch of resolved plain scalars
	pairs     []entry[string] // of the current map
	entries   []entry[any]    // stack of entries of unfinished maps
	elements  []any           // stack of elements of unfinished arrays

	seen nameSet // names in a raw value, in strict mode
}

// NewReader returns a Reader at the start of data. It never writes to data, and its results do not
// refer to data unless a method says otherwise.
func NewReader(data []byte, o Options) *Reader {
	r := new(Reader)
	r.Reset(data, o)
	return r
}

// Reset starts reading another text and keeps scratch memory. Earlier results stay valid, except
// those that are valid only until the next call.
func (r *Reader) Reset(data []byte, o Options) {
	r.Release()
	r.data, r.start, r.keyStart, r.depth = data, 0, 0, 0
	r.strict, r.annotated, r.rawForm, r.source = o.Strict, o.Annotated, o.RawForm, o.Source
	r.checker, r.embedded, r.discards = o.Checker, 0, false
	r.errEnd = 0
	r.text.Off, r.values.Off = o.Apart, o.Apart
	r.limits = o.Limits.OrDefaults()
	r.maxDepth = r.limits.Depth
	r.problems.Reset(r.limits.Problems)
	r.digits = min(maxShort, r.limits.Number-1) // leaves room for a sign
	if r.size = o.Size; r.size == 0 {
		r.size = r.rest()
	}
	if r.values.Allow(r.limits.Memory, r.size); o.Room > 0 {
		r.values.Allot(o.Room)
	}
}

// Release discards the text and the values read from it, before the Reader is put into a pool. The
// Reader then reads an empty text.
func (r *Reader) Release() {
	const keep = 1 << 16
	r.data, r.pos = nil, 0
	r.rawForm, r.source, r.checker, r.err = nil, nil, nil, nil
	r.problems.Reset(0)
	r.text = chunk.Chunk{}
	r.values.Reset()
	r.unescaped, r.keyBuf, r.resolved = capped(r.unescaped, keep), capped(r.keyBuf, keep), capped(r.resolved, keep)
	r.pairs, r.entries, r.elements = capped(r.pairs, 1024), capped(r.entries, 1024), capped(r.elements, 1024)
	r.seen.stack = capped(r.seen.stack, 1024)
}

// capped empties scratch memory, or discards it if it has grown beyond the limit.
func capped[E any](s []E, limit int) []E {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// Offset returns the position in the input.
func (r *Reader) Offset() int {
	if r.source != nil {
		return r.source.Offset()
	}
	return r.pos
}

// Strict reports whether unknown and duplicate members are recorded.
func (r *Reader) Strict() bool { return r.strict }

// space moves to the next byte that is not white space.
func (r *Reader) space() { r.pos = skipSpace(r.data, r.pos) }

// peek returns the next byte that is not white space, 0 at the end.
func (r *Reader) peek() byte {
	r.space()
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

// Kind returns the type of the next value without consuming it: '{', '[', '"', '0' for a number,
// 't' for a boolean of either value, 'n' for null, and 0 where no value starts, as after a failure.
// A plain scalar of an annotated text has the type that [Reader.Any] would give it, but can be read
// as a string regardless of its Kind: callers of [Reader.String] or [Reader.Text] must use the
// result.
func (r *Reader) Kind() byte {
	switch c := r.peek(); c {
	case '{', '[', '"', 't', 'n':
		return c
	case 'f':
		return 't'
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	case plainMark:
		if r.annotated {
			return r.plainKind()
		}
	case 0:
		if r.source != nil {
			return r.source.Kind()
		}
	}
	return 0
}

// Null consumes the next value if it is null, and reports whether it was.
func (r *Reader) Null() bool {
	if r.pos < len(r.data) && r.data[r.pos] > ' ' && r.data[r.pos] != 'n' {
		return false
	}
	switch r.peek() {
	case 'n':
		r.literal("null")
		return r.err == nil
	case plainMark:
		if r.annotated {
			return r.plainNull()
		}
	case 0:
		return r.source != nil && r.source.Null()
	}
	return false
}

// literal consumes the word that begins with the byte at the position.
func (r *Reader) literal(word string) bool {
	i := r.pos
	end := literal(r.data, i, word)
	if end == i {
		r.fail(i, min(i+len(word), len(r.data)), "invalid literal, expected "+word)
		return false
	}
	r.start, r.pos = i, end
	return true
}

// Object enters an object and returns its first key, with the position on that member's value. It
// returns nil if there is no member to read: the object is empty, the value is null, or it has
// another type, which is recorded and skipped. The key aliases the input or a scratch buffer and is
// valid until the next call.
func (r *Reader) Object() []byte {
	if i := r.pos; i+1 < len(r.data) && r.data[i] == '{' && r.data[i+1] == '"' && r.depth < r.maxDepth {
		r.depth++
		return r.key(i + 1)
	}
	return r.objectSlow()
}

func (r *Reader) objectSlow() []byte {
	if r.source != nil {
		return r.sourceKey(r.source.Object())
	}
	if !r.enter('{', "object") {
		return nil
	}
	switch r.peek() {
	case '"':
		return r.key(r.pos)
	case '}':
		r.pos++
		r.depth--
	default:
		r.failChar(r.pos, "a member name or '}'")
	}
	return nil
}

// enter consumes the opening bracket c and counts the depth. It reports false for null and for
// other types, which it records and skips.
func (r *Reader) enter(c byte, expected string) bool {
	if r.peek() != c {
		if !r.Null() && r.err == nil {
			r.wrongType(expected)
		}
		return false
	}
	if r.depth >= r.maxDepth {
		r.failDepth(r.pos)
		return false
	}
	r.depth++
	r.start = r.pos
	r.pos++
	return true
}

func (r *Reader) failDepth(i int) {
	r.failLimit(i, i+1, &schema.LimitError{
		Limit: "Depth", What: "the nesting", Unit: "levels", Max: r.maxDepth,
		Got: r.maxDepth + 1,
	})
}

// NextKey returns the key of the next member after a value was read, with the position on its
// value, or nil at the end of the object and after a failure. The key is valid until the next call.
func (r *Reader) NextKey() []byte {
	if i := r.pos; i+1 < len(r.data) {
		if r.data[i] == ',' && r.data[i+1] == '"' {
			return r.key(i + 1)
		}
		if r.data[i] == '}' {
			r.pos++
			r.depth--
			return nil
		}
	}
	return r.nextKeySlow()
}

func (r *Reader) nextKeySlow() []byte {
	if r.source != nil {
		return r.sourceKey(r.source.NextKey())
	}
	switch r.peek() {
	case ',':
		r.pos++
		if r.peek() == '"' {
			return r.key(r.pos)
		}
		r.failChar(r.pos, "a member name")
	case '}':
		r.pos++
		r.depth--
	default:
		r.failChar(r.pos, "',' or '}'")
	}
	return nil
}

// key reads the key whose opening quote is at i, and the colon.
func (r *Reader) key(i int) []byte {
	r.keyStart = i
	data := r.data
	for j := i + 1; len(data)-j >= 8; j += 8 {
		m := special(binary.LittleEndian.Uint64(data[j:]))
		if m == 0 {
			continue
		}
		end := j + bits.TrailingZeros64(m)>>3
		if end+2 >= len(data) || data[end] != '"' || data[end+1] != ':' {
			break
		}
		r.pos = end + 2
		if data[end+2] == ' ' { // pretty-printed texts have one space here
			r.pos++
		}
		return data[i+1 : end : end]
	}
	return r.keySlow(i)
}

func (r *Reader) keySlow(i int) []byte {
	key := r.quoted(i, &r.keyBuf)
	if r.err != nil {
		return nil
	}
	if r.peek() != ':' {
		r.failChar(r.pos, "':' after a member name")
		return nil
	}
	r.pos++
	return key
}

// Array enters an array and reports whether the position is on a first element. It is false for an
// empty array, for null, and for another type, which is recorded and skipped.
func (r *Reader) Array() bool {
	if i := r.pos; i+1 < len(r.data) && r.data[i] == '[' && r.data[i+1] > ' ' && r.data[i+1] != ']' &&
		r.depth < r.maxDepth {
		r.depth++
		r.pos++
		return true
	}
	return r.arraySlow()
}

func (r *Reader) arraySlow() bool {
	if r.source != nil {
		return r.sourceElem(r.source.Array())
	}
	if !r.enter('[', "array") {
		return false
	}
	if r.peek() == ']' {
		r.pos++
		r.depth--
		return false
	}
	return true
}

// NextElem reports, after an element was read, whether the position is on a further one. It is
// false at the end of the array and after a failure.
func (r *Reader) NextElem() bool {
	if i := r.pos; i < len(r.data) && r.data[i] == ',' {
		r.pos++
		return true
	}
	return r.nextElemSlow()
}

func (r *Reader) nextElemSlow() bool {
	if r.source != nil {
		return r.sourceElem(r.source.NextElem())
	}
	switch r.peek() {
	case ',':
		r.pos++
		return true
	case ']':
		r.pos++
		r.depth--
	default:
		r.failChar(r.pos, "',' or ']'")
	}
	return false
}

// rest returns how many bytes of the input remain.
func (r *Reader) rest() int {
	if r.source != nil {
		return r.source.Rest()
	}
	return len(r.data) - r.pos
}

// End checks that only white space remains.
func (r *Reader) End() {
	if r.source != nil {
		return // a source has one value
	}
	if r.peek(); r.pos < len(r.data) && r.err == nil {
		r.failChar(r.pos, "the end of the text")
	}
}
