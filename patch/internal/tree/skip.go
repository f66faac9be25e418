package tree

import (
	"math"
	"strings"

	"github.com/askind/askind/wire/jsonwire"
)

// extents are the extents of the containers in a text. With them, opening a level does not scan the
// levels below again.
type extents []jsonwire.Extent

// worthExtents is the minimum size of a text whose extents are kept: scanning a smaller one again
// takes less time.
const worthExtents = 1024

// measure returns the extents of a valid object or array, or nil if they are not worth keeping.
// [Parse] gets them from its own pass over the text.
func (p *parser) measure(text string) *extents {
	if len(text) < worthExtents || len(text) > math.MaxInt32 {
		return nil
	}
	found, open := p.extents[:0], p.open[:0]
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = skipString(text, i)
			continue
		case '{', '[':
			open = append(open, int32(len(found)))
			found = append(found, jsonwire.Extent{Size: int32(i)}) // its start until it ends
		case '}', ']':
			place := open[len(open)-1]
			e := &found[place]
			open = open[:len(open)-1]
			*e = jsonwire.Extent{Size: int32(i+1) - e.Size, Count: int32(len(found)) - place}
		}
		i++
	}
	p.open = open
	return p.kept(found)
}

// kept returns a copy of extents, whose memory the parser reuses, or nil if there are none.
func (p *parser) kept(found extents) *extents {
	p.extents = found
	if len(found) == 0 {
		return nil
	}
	out := append(make(extents, 0, len(found)), found...)
	return &out
}

// space returns the index of the first byte at or after i that is not white space.
func space(text string, i int) int {
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	return i
}

// skip returns the index after the value at i.
func skip(text string, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
		depth := 0
		for {
			switch text[i] {
			case '"':
				i = skipString(text, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(text) {
		switch text[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// skipString returns the index after the string at start.
func skipString(text string, start int) int {
	for i := start + 1; ; i++ {
		i += strings.IndexByte(text[i:], '"')
		escapes := 0
		for i-1-escapes > start && text[i-1-escapes] == '\\' {
			escapes++
		}
		// A backslash escapes the quote unless it is itself escaped.
		if escapes&1 == 0 {
			return i + 1
		}
	}
}
