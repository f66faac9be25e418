package yaml

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/askind/askind/wire/jsonwire"
)

// maxDepth bounds how deeply objects and lists may be nested in a text that is read or written, as
// in the JSON format.
const maxDepth = 10000

// text is a position in a JSON text that is read token by token.
type text struct {
	json  []byte
	pos   int
	arena []byte // the last string that had escapes
}

// errTruncated is the error for a JSON text that ends too early.
var errTruncated = errors.New("yaml: unexpected end of JSON text")

// peek skips white space and returns the next byte, or 0 at the end of the text.
func (t *text) peek() byte {
	if t.pos < len(t.json) && t.json[t.pos] > ' ' {
		return t.json[t.pos]
	}
	return t.peekSlow()
}

func (t *text) peekSlow() byte {
	for ; t.pos < len(t.json); t.pos++ {
		switch c := t.json[t.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (t *text) unexpected() error {
	if t.pos >= len(t.json) {
		return errTruncated
	}
	return fmt.Errorf("yaml: unexpected %q in JSON text at offset %d", t.json[t.pos], t.pos)
}

// word reads true, false or null.
func (t *text) word(w string) ([]byte, error) {
	rest := t.json[t.pos:]
	if len(rest) < len(w) || string(rest[:len(w)]) != w {
		return nil, t.unexpected()
	}
	t.pos += len(w)
	return rest[:len(w)], nil
}

// number reads a number.
func (t *text) number() ([]byte, error) {
	start := t.pos
	for ; t.pos < len(t.json); t.pos++ {
		c := t.json[t.pos]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
	}
	if t.pos == start {
		return nil, t.unexpected()
	}
	return t.json[start:t.pos], nil
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

// str reads a string; the position is at its quote. The result is valid until the next call. word
// reports that isWord is known to hold.
func (t *text) str() (s []byte, word bool, err error) {
	start := t.pos + 1
	text := t.json[start:]
	word = len(text) > 0 && isLetter(text[0])
	for i := wordEnd(text, 0); i < len(text); i = wordEnd(text, i+1) {
		switch text[i] {
		case '"':
			t.pos = start + i + 1
			return text[:i], word && (i > 5 || !reserved(text[:i])), nil
		case '\\':
			end, ok := stringEnd(t.json, start+i)
			if !ok {
				t.pos = len(t.json)
				return nil, false, errTruncated
			}
			t.arena = jsonwire.AppendUnescaped(t.arena[:0], t.json[start:end])
			t.pos = end + 1
			return t.arena, false, nil
		case ' ', ':': // allowed if another byte of the word follows
			word = word && i+1 < len(text) && text[i+1] != '"' && plainBytes[text[i+1]] && text[i+1] != '\\'
		default:
			word = false
		}
	}
	t.pos = len(t.json)
	return nil, false, errTruncated
}

// stringEnd returns the index of the quote that ends the string around i.
func stringEnd(json []byte, i int) (end int, ok bool) {
	for ; i < len(json) && json[i] != '"'; i++ {
		if json[i] == '\\' {
			i++
		}
	}
	return i, i < len(json)
}

// nameAt returns a string that was read before, from the offset of its quote. One that has escapes
// is written to the memory of buf.
func (t *text) nameAt(at int, buf *[]byte) []byte {
	end, _ := stringEnd(t.json, at+1)
	s := t.json[at+1 : end]
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	*buf = jsonwire.AppendUnescaped((*buf)[:0], s)
	return *buf
}
