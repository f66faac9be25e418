package yaml

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/serializer/internal/arrange"
)

// emitter writes a JSON text as block YAML in one pass. Lines are indented by two spaces per level,
// except that the items of a list are not indented below their key. Members are written in the
// order of the text and sorted when their object is complete.
type emitter struct {
	text
	dst     []byte
	line    int           // start of the current line in dst
	depth   int           // number of open collections
	members arrange.Stack // of open objects
	// declared preserves the order of members in the text instead of sorting them by name.
	declared bool

	scratch []byte    // for the JSON text of an object
	names   [2][]byte // scratch for two names that are compared
}

// emitters pools emitters to reuse their memory.
var emitters = sync.Pool{New: func() any { return new(emitter) }}

// emitter returns an emitter that writes members in the order of the format. Return it with
// release.
func (s *codec) emitter() *emitter {
	e := emitters.Get().(*emitter)
	e.declared = s.declared
	return e
}

// maxPooled is the maximum number of bytes for which a pooled emitter keeps memory.
const maxPooled = 1 << 20

// maxIndent is the largest indentation. Collections below it are in flow style, so that the output
// is not much longer than the text, however deeply it is nested.
const maxIndent = 128

// maxSimpleKey is the maximum length in bytes of a key that is on one line with its value.
const maxSimpleKey = 128

// append appends one JSON text to dst as a YAML document. The text must be valid JSON; invalid text
// that goes unnoticed is copied to the output unchanged. On error dst is returned unchanged.
func (e *emitter) append(dst, json []byte) ([]byte, error) {
	// The document starts on a line of its own, whatever precedes it in dst.
	e.json, e.pos, e.dst, e.line, e.depth = json, 0, dst, len(dst), 0
	e.members.Reset()
	if err := e.inline(0); err != nil {
		return dst, err
	}
	if e.peek(); e.pos != len(e.json) {
		return dst, e.unexpected()
	}
	if len(e.dst) > e.line {
		e.dst = append(e.dst, '\n')
	}
	return e.dst, nil
}

func (e *emitter) release() {
	e.dst, e.json = nil, nil
	if cap(e.arena) > maxPooled {
		e.arena = nil
		e.names = [2][]byte{}
	}
	if cap(e.scratch) > maxPooled {
		e.scratch = nil
	}
	e.members.Release(maxPooled)
	emitters.Put(e)
}

// newLine ends the current line and indents the next one.
func (e *emitter) newLine(indent int) {
	e.dst = append(e.dst, '\n')
	e.line = len(e.dst)
	e.pad(indent)
}

const blanks = "                                                                "

// pad writes spaces.
func (e *emitter) pad(n int) {
	for n > len(blanks) {
		e.dst = append(e.dst, blanks...)
		n -= len(blanks)
	}
	e.dst = append(e.dst, blanks[:n]...)
}

// startLine begins a new entry of a collection: on the current line if that is empty, else on the
// next.
func (e *emitter) startLine(indent int) {
	if len(e.dst) > e.line {
		e.newLine(indent)
		return
	}
	e.pad(indent)
}

// inline writes the next value on the current line. A collection has its entries at indent, the
// first of them on the current line.
func (e *emitter) inline(indent int) error {
	switch e.peek() {
	case '{':
		return e.object(indent, true)
	case '[':
		return e.list(indent, true)
	}
	return e.leaf(max(indent, 2))
}

// below writes the value of a member that has its plain key at indent, after the colon.
func (e *emitter) below(indent int) error {
	switch e.peek() {
	case '{':
		return e.object(indent+2, false)
	case '[':
		return e.list(indent, false)
	}
	e.dst = append(e.dst, ' ')
	return e.leaf(indent + 2)
}

// leaf writes a scalar.
func (e *emitter) leaf(indent int) error {
	var s []byte
	var err error
	switch e.peek() {
	case '"':
		var word bool
		if s, word, err = e.str(); err != nil {
			return err
		}
		st := plain
		if !word {
			st, _ = choose(s, false)
		}
		e.scalar(s, st, indent, true)
		return nil
	case 't':
		s, err = e.word("true")
	case 'f':
		s, err = e.word("false")
	case 'n':
		s, err = e.word("null")
	default:
		if s, err = e.number(); err == nil {
			e.dst = appendNumber(e.dst, s)
		}
		return err
	}
	e.dst = append(e.dst, s...)
	return err
}

// enter reads the opening bracket of a collection whose closing one is end. It reports whether the
// collection has entries; one without is written. If here is not set, it follows a colon.
func (e *emitter) enter(end byte, here bool) (bool, error) {
	open := e.json[e.pos]
	e.pos++
	if e.peek() != end {
		if e.depth++; e.depth > maxDepth {
			return false, fmt.Errorf("yaml: JSON text is nested more than %d levels deep", maxDepth)
		}
		return true, nil
	}
	e.pos++
	if !here {
		e.dst = append(e.dst, ' ')
	}
	e.dst = append(e.dst, open, end)
	return false, nil
}

// list writes a list. If here is set, the first element is on the current line.
func (e *emitter) list(indent int, here bool) error {
	if indent > maxIndent {
		return e.deep(here)
	}
	more, err := e.enter(']', here)
	for ; more && err == nil; more, err = e.more(']') {
		if !here {
			e.startLine(indent)
		}
		here = false
		e.dst = append(e.dst, '-', ' ')
		if err := e.inline(indent + 2); err != nil {
			return err
		}
	}
	return err
}

// object writes an object. If here is set, the first member is on the current line. Each member
// ends with the start of the next line, so that members can be moved; the last one of these is
// removed.
func (e *emitter) object(indent int, here bool) error {
	if indent > maxIndent {
		return e.deep(here)
	}
	base := e.members.Len()
	more, err := e.enter('}', here)
	if !more || err != nil {
		return err
	}
	if !here {
		e.startLine(indent)
	}
	for ; more && err == nil; more, err = e.more('}') {
		name, word, err := e.name()
		if err != nil {
			return err
		}
		if word && len(name) <= maxSimpleKey {
			e.dst = append(append(e.dst, name...), ':')
			err = e.below(indent)
		} else if e.key(name, indent) {
			err = e.below(indent)
		} else {
			err = e.inline(indent + 2)
		}
		if err != nil {
			return err
		}
		e.startLine(indent)
	}
	e.close(base)
	e.dst = e.dst[:len(e.dst)-indent]
	e.line = len(e.dst)
	return err
}

// name reads the name of a member with its colon and pushes the member. The name is valid until the
// next string is read; word is that of [text.str].
func (e *emitter) name() (name []byte, word bool, err error) {
	if e.peek() != '"' {
		return nil, false, e.unexpected()
	}
	at := e.pos
	if name, word, err = e.str(); err != nil {
		return nil, false, err
	}
	if e.peek() != ':' {
		return nil, false, e.unexpected()
	}
	e.pos++
	e.members.Push(arrange.Member{Start: len(e.dst), Key: at, Rank: arrange.Rank(name)})
	return name, word, nil
}

// close arranges the members of the object whose first member is at base on the stack.
func (e *emitter) close(base int) {
	end := len(e.dst)
	switch {
	case e.declared:
		order := e.members.Sort(base, byText{e})
		sorted.Func(order, func(a, b arrange.Member) int { return cmp.Compare(a.Start, b.Start) })
		e.forPeople(order)
		end, _ = e.members.Arrange(e.dst, end, base, order)
	case e.members.Repeats(base, byText{e}):
		order := e.members.Sort(base, byText{e})
		sorted.Func(order, e.Compare)
		end, _ = e.members.Arrange(e.dst, end, base, order)
	default:
		end, _ = e.members.Close(e.dst, end, base, e)
	}
	e.dst = e.dst[:end]
}

// forPeople reorders the members of an object that has a kind and an apiVersion, from the order of
// declaration to the order that people use.
func (e *emitter) forPeople(members []arrange.Member) {
	typed := 0
	for _, m := range members {
		if e.place(m) <= placeOfKind {
			typed++
		}
	}
	if typed == 2 {
		sorted.Func(members, func(a, b arrange.Member) int { return e.place(a) - e.place(b) })
	}
}

const (
	placeOfAPIVersion = iota
	placeOfKind
	placeOfMetadata
	placeOfSpec
	placeOfOthers
	placeOfStatus
)

// place returns the position that people give a member.
func (e *emitter) place(m arrange.Member) int {
	switch string(e.nameAt(m.Key, &e.names[0])) {
	case "apiVersion":
		return placeOfAPIVersion
	case "kind":
		return placeOfKind
	case "metadata":
		return placeOfMetadata
	case "spec":
		return placeOfSpec
	case "status":
		return placeOfStatus
	}
	return placeOfOthers
}

// deep writes a collection that is too deep for lines of its own. If here is not set, it follows a
// colon.
func (e *emitter) deep(here bool) error {
	if !here {
		e.dst = append(e.dst, ' ')
	}
	return e.flow()
}

// flow writes the next value in flow style, with quotes around all strings.
func (e *emitter) flow() error {
	switch e.peek() {
	case '{':
		base := e.members.Len()
		more, err := e.enter('}', true)
		if !more || err != nil {
			return err
		}
		e.dst = append(e.dst, '{')
		for ; more && err == nil; more, err = e.more('}') {
			name, _, err := e.name()
			if err != nil {
				return err
			}
			if len(name) > maxSimpleKey {
				e.dst = append(e.dst, "? "...)
			}
			e.scalar(name, doubleQuoted, 0, false)
			e.dst = append(e.dst, ": "...)
			if err := e.flow(); err != nil {
				return err
			}
			e.dst = append(e.dst, ", "...)
		}
		e.close(base)
		e.dst = append(e.dst[:len(e.dst)-len(", ")], '}')
		return err
	case '[':
		more, err := e.enter(']', true)
		if !more || err != nil {
			return err
		}
		e.dst = append(e.dst, '[')
		for ; more && err == nil; more, err = e.more(']') {
			if err := e.flow(); err != nil {
				return err
			}
			e.dst = append(e.dst, ", "...)
		}
		e.dst = append(e.dst[:len(e.dst)-len(", ")], ']')
		return err
	case '"':
		s, _, err := e.str()
		if err == nil {
			e.scalar(s, doubleQuoted, 0, false)
		}
		return err
	}
	return e.leaf(0)
}

// more reads the text after an entry of a collection whose closing bracket is end, and reports
// whether another one follows.
func (e *emitter) more(end byte) (bool, error) {
	switch e.peek() {
	case ',':
		e.pos++
		return true, nil
	case end:
		e.pos++
		e.depth--
		return false, nil
	}
	return false, e.unexpected()
}

// key writes any key with its colon, and reports whether the value may follow as after a plain key:
// a key of several lines, or a very long one, has its colon on a line of its own.
func (e *emitter) key(name []byte, indent int) bool {
	st, traits := choose(name, true)
	if string(name) == mergeKey {
		st = doubleQuoted // a plain << would be read as a merge
	}
	if traits.multiline || len(name) > maxSimpleKey {
		st, _ = choose(name, false)
		e.dst = append(e.dst, '?', ' ')
		e.scalar(name, st, indent+2, true)
		e.startLine(indent)
		e.dst = append(e.dst, ':', ' ')
		return false
	}
	e.scalar(name, st, indent+2, false)
	e.dst = append(e.dst, ':')
	return true
}
