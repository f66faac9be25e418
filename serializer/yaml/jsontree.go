package yaml

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/askind/askind/wire/jsonwire"
)

// maxDepth bounds how deeply objects and lists may be nested in a text that is read or written, as
// in the JSON format.
const maxDepth = 10000

// node is one value or key of a JSON text. A tree is a slice of nodes in the order of the text: a
// list is followed by its elements, an object by its keys, each followed by its value. next is the
// index of the first node after this one and its content.
type node struct {
	kind       byte // '{', '[', '"', '0' for a number, 't', 'f', 'n'
	arena      bool // a string whose text had escapes: start and end are offsets in the arena
	word       bool // a string for which isWord is known to hold
	start, end int  // the text of a number or a string, without the quotes
	next       int
}

// tree is a parsed JSON text. The zero value is ready for parse; a tree reuses its memory.
type tree struct {
	json  []byte
	arena []byte // unescaped strings
	nodes []node

	pos int
}

// errTruncated is the error for a JSON text that ends too early.
var errTruncated = errors.New("yaml: unexpected end of JSON text")

// parse reads one JSON value. The text must be valid JSON; invalid text that goes unnoticed is
// copied to the output unchanged.
func (t *tree) parse(json []byte) error {
	t.json, t.arena, t.nodes, t.pos = json, t.arena[:0], t.nodes[:0], 0
	if err := t.value(0); err != nil {
		return err
	}
	t.space()
	if t.pos != len(t.json) {
		return t.unexpected()
	}
	return nil
}

// bytes returns the text of a string or number.
func (t *tree) bytes(n *node) []byte {
	if n.arena {
		return t.arena[n.start:n.end]
	}
	return t.json[n.start:n.end]
}

func (t *tree) space() {
	if t.pos < len(t.json) && t.json[t.pos] <= ' ' {
		t.spaceSlow()
	}
}

func (t *tree) spaceSlow() {
	for t.pos < len(t.json) {
		switch t.json[t.pos] {
		case ' ', '\t', '\n', '\r':
			t.pos++
		default:
			return
		}
	}
}

func (t *tree) unexpected() error {
	if t.pos >= len(t.json) {
		return errTruncated
	}
	return fmt.Errorf("yaml: unexpected %q in JSON text at offset %d", t.json[t.pos], t.pos)
}

// value reads the next value.
func (t *tree) value(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("yaml: JSON text is nested more than %d levels deep", maxDepth)
	}
	t.space()
	if t.pos >= len(t.json) {
		return errTruncated
	}
	switch c := t.json[t.pos]; c {
	case '{':
		return t.object(depth)
	case '[':
		return t.list(depth)
	case '"':
		return t.str()
	case 't':
		return t.word(c, "true")
	case 'f':
		return t.word(c, "false")
	case 'n':
		return t.word(c, "null")
	default:
		return t.number()
	}
}

// list reads a list; t.pos is at its opening bracket.
func (t *tree) list(depth int) error {
	self := len(t.nodes)
	t.nodes = append(t.nodes, node{kind: '['})
	t.pos++
	if t.space(); t.pos < len(t.json) && t.json[t.pos] == ']' {
		t.pos++
		t.nodes[self].next = len(t.nodes)
		return nil
	}
	for {
		if err := t.value(depth + 1); err != nil {
			return err
		}
		if more, err := t.more(']'); !more {
			t.nodes[self].next = len(t.nodes)
			return err
		}
	}
}

// more reads the text after an element or a member: a comma, or the closing bracket.
func (t *tree) more(end byte) (bool, error) {
	t.space()
	if t.pos >= len(t.json) {
		return false, errTruncated
	}
	c := t.json[t.pos]
	if c != ',' && c != end {
		return false, t.unexpected()
	}
	t.pos++
	return c == ',', nil
}

// object reads an object; t.pos is at its opening brace.
func (t *tree) object(depth int) error {
	json, self := t.json, len(t.nodes)
	t.nodes = append(t.nodes, node{kind: '{'})
	t.pos++
	if t.space(); t.pos < len(json) && json[t.pos] == '}' {
		t.pos++
		t.nodes[self].next = len(t.nodes)
		return nil
	}
	for {
		if t.space(); t.pos >= len(json) || json[t.pos] != '"' {
			return t.unexpected()
		}
		err := t.str()
		if err != nil {
			return err
		}
		if t.space(); t.pos >= len(json) || json[t.pos] != ':' {
			return t.unexpected()
		}
		if t.pos++; t.pos < len(json) && json[t.pos] == '"' {
			err = t.str()
		} else {
			err = t.value(depth + 1)
		}
		if err != nil {
			return err
		}
		if t.pos < len(json) && json[t.pos] == ',' {
			t.pos++
			continue
		}
		if more, err := t.more('}'); !more {
			t.nodes[self].next = len(t.nodes)
			return err
		}
	}
}

func (t *tree) word(kind byte, w string) error {
	if len(t.json)-t.pos < len(w) || string(t.json[t.pos:t.pos+len(w)]) != w {
		return t.unexpected()
	}
	t.nodes = append(t.nodes, node{kind: kind, start: t.pos, end: t.pos + len(w), next: len(t.nodes) + 1})
	t.pos += len(w)
	return nil
}

func (t *tree) number() error {
	start := t.pos
	for t.pos < len(t.json) {
		c := t.json[t.pos]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		t.pos++
	}
	if t.pos == start {
		return t.unexpected()
	}
	t.nodes = append(t.nodes, node{kind: '0', start: start, end: t.pos, next: len(t.nodes) + 1})
	return nil
}

// outsideWord marks bytes of a word of eight that are not in plainBytes, or are a quote or a
// backslash, which JSON escapes: bytes up to the space, DEL, non-ASCII bytes, and the four
// characters. The top bit of the lowest such byte is set. See the scanners of package jsonwire for
// the method.
func outsideWord(w uint64) uint64 {
	// '"' | 1 == '#'
	return ((w - ones*'!') | (((w | ones) ^ ones*'#') - ones) | ((w ^ ones*':') - ones) | ((w ^ ones*'\\') - ones) |
		((w ^ ones*0x7F) - ones) | w) & tops
}

// wordEnd returns the index of the first byte at or after i that outsideWord marks, or len(text).
func wordEnd(text []byte, i int) int {
	for len(text)-i >= 8 {
		if m := outsideWord(binary.LittleEndian.Uint64(text[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(text) && plainBytes[text[i]] && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// str reads a string; t.pos is at its quote. It also determines whether the string is a word.
func (t *tree) str() error {
	start := t.pos + 1
	text := t.json[start:]
	word := len(text) > 0 && isLetter(text[0])
	for i := wordEnd(text, 0); i < len(text); i = wordEnd(text, i+1) {
		switch text[i] {
		case '"':
			word = word && (i > 5 || !reserved(text[:i]))
			t.nodes = append(t.nodes, node{kind: '"', word: word, start: start, end: start + i, next: len(t.nodes) + 1})
			t.pos = start + i + 1
			return nil
		case '\\':
			t.pos = start + i
			return t.escaped(start)
		case ' ', ':': // allowed if another byte of the word follows
			word = word && i+1 < len(text) && text[i+1] != '"' && plainBytes[text[i+1]] && text[i+1] != '\\'
		default:
			word = false
		}
	}
	t.pos = len(t.json)
	return errTruncated
}

// escaped reads the rest of a string that has escapes, from its first backslash on.
func (t *tree) escaped(start int) error {
	end := t.pos
	for ; end < len(t.json) && t.json[end] != '"'; end++ {
		if t.json[end] == '\\' {
			end++
		}
	}
	if end >= len(t.json) {
		t.pos = len(t.json)
		return errTruncated
	}
	from := len(t.arena)
	t.arena = jsonwire.AppendUnescaped(t.arena, t.json[start:end])
	t.nodes = append(t.nodes, node{kind: '"', arena: true, start: from, end: len(t.arena), next: len(t.nodes) + 1})
	t.pos = end + 1
	return nil
}
