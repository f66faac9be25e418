package yaml

import (
	"hash/maphash"
	"unicode/utf8"

	plainbuild "github.com/askind/askind/internal/plain"
)

// useFast enables the scanner. The library reads every document that the scanner
// accepts to the same annotated text, only slower; tests verify this.
const useFast = !plainbuild.Enabled

// scanner converts the common subset of YAML to annotated JSON in one pass, without nodes: block
// mappings and lists, plain and quoted scalars, literal blocks without an indentation indicator,
// flow collections on one line, comments. At anything else, such as an anchor, a tag, a repeated
// key or an error, it gives up and leaves the document to the library, so it never has to report a
// problem.
type scanner struct {
	text []byte
	pos  int
	end  int

	// indent is the column of the current line, counted from 0, or -1 at the end of the document.
	// pos is at its first character.
	indent int

	json  []byte
	track bool // record marks
	marks []mark

	keys     []span // keys of the open mappings, to find repeated ones
	sets     []keySet
	depth    int
	maxDepth int
	scratch  []byte // scratch for scalars whose value differs from their text

	wanted // part of the current value
}

// span is a part of the JSON text.
type span struct{ from, to int }

const (
	// maxFastDepth is the nesting beyond which the scanner leaves documents to the library, which
	// enforces the limit.
	maxFastDepth = 500
	// maxFastKey is the maximum length of a key that the scanner accepts. YAML limits keys on one
	// line as well.
	maxFastKey = 256
	// maxFastKeys is the maximum number of keys of one mapping that are searched linearly.
	maxFastKeys = 64
)

// keySet has the keys of an open mapping with more than maxFastKeys.
type keySet struct {
	first  int // the start of the mapping's keys
	hashes map[uint64]bool
}

var keySeed = maphash.MakeSeed()

// isNew adds a key to those of a mapping with many. It returns false if the key may be repeated.
func (s *scanner) isNew(first int, key span) bool {
	hash := func(k span) uint64 { return maphash.Bytes(keySeed, s.json[k.from:k.to]) }
	if n := len(s.sets); n == 0 || s.sets[n-1].first != first {
		set := keySet{first, make(map[uint64]bool, 4*maxFastKeys)}
		for _, k := range s.keys[first:] {
			set.hashes[hash(k)] = true
		}
		s.sets = append(s.sets, set)
	}
	seen, h := s.sets[len(s.sets)-1].hashes, hash(key)
	if seen[h] {
		return false
	}
	seen[h] = true
	return true
}

// forget removes the keys of a mapping that ends.
func (s *scanner) forget(first int) {
	s.keys = s.keys[:first]
	if n := len(s.sets); n > 0 && s.sets[n-1].first == first {
		s.sets = s.sets[:n-1]
	}
}

// scan reads a document into the scanner's memory for JSON. ok is false if the library has to read
// it.
func (s *scanner) scan(text []byte, seg segment, track bool) (a annotated, ok bool) {
	*s = scanner{
		text: text, pos: seg.from, end: seg.to, track: track, maxDepth: maxFastDepth, json: s.json[:0],
		keys: s.keys[:0], scratch: s.scratch[:0],
	}
	if need := 64 + (seg.to-seg.from)*9/8; cap(s.json) < need {
		s.json = make([]byte, 0, need)
	}
	if !s.document() {
		return a, false
	}
	return annotated{json: s.json, marks: s.marks}, true
}

// document reads the document from its start to its end.
func (s *scanner) document() bool {
	ok := false
	if line, _ := lineAt(s.text[:s.end], s.pos); isMark(line, '-') {
		s.pos += 3
		ok = s.endOfLine() && s.nextLine()
	} else {
		ok = s.line()
	}
	if !ok || s.indent < 0 {
		return false
	}
	if c := s.text[s.pos]; c == '{' || c == '[' { // as in JSON
		return s.flow() && s.endOfLine() && s.nextLine() && s.indent < 0
	}
	return s.block() && s.indent < 0
}

// put appends a byte to the JSON text.
func (s *scanner) put(c byte) {
	if !s.skip {
		s.json = append(s.json, c)
	}
}

// separate writes the comma before every element and member except the first one, which follows its
// bracket.
func (s *scanner) separate(bracket byte) {
	if !s.skip && s.json[len(s.json)-1] != bracket {
		s.json = append(s.json, ',')
	}
}

func (s *scanner) mark(text int) {
	if s.track {
		s.marks = append(s.marks, mark{len(s.json), text})
	}
}

// at returns the character at i, or a line feed at the end of the document.
func (s *scanner) at(i int) byte {
	if i < s.end {
		return s.text[i]
	}
	return '\n'
}

// isEnd reports whether a line ends at i, with LF or CRLF.
func (s *scanner) isEnd(i int) bool {
	c := s.at(i)
	return c == '\n' || c == '\r' && i+1 < s.end && s.text[i+1] == '\n'
}

// isBlank reports whether a space or the end of the line is at i.
func (s *scanner) isBlank(i int) bool { return s.at(i) == ' ' || s.isEnd(i) }

// spaces skips the spaces at pos.
func (s *scanner) spaces() {
	for s.pos < s.end && s.text[s.pos] == ' ' {
		s.pos++
	}
}

// endOfLine skips spaces and a comment up to the end of the line. It returns false if it finds
// anything else.
func (s *scanner) endOfLine() bool {
	from := s.pos
	s.spaces()
	if s.at(s.pos) == '#' && s.pos > from {
		return s.comment()
	}
	return s.isEnd(s.pos)
}

// comment moves to the end of the line.
func (s *scanner) comment() bool {
	for !s.isEnd(s.pos) {
		if c := s.text[s.pos]; c >= 0x20 && c < utf8.RuneSelf || c == '\t' {
			s.pos++
			continue
		}
		n := s.wide(s.pos)
		if n == 0 {
			return false
		}
		s.pos += n
	}
	return true
}

// wide returns the length of the non-ASCII character at i, or 0 for one that the scanner does not
// accept, such as a line break.
func (s *scanner) wide(i int) int {
	if s.text[i] < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRune(s.text[i:s.end])
	switch {
	case r == utf8.RuneError && n == 1, r == 0x85, r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return 0
	}
	return n
}

// nextLine moves from the end of a line to the next one that has content and sets indent.
func (s *scanner) nextLine() bool {
	s.lineBreak()
	return s.line()
}

// lineBreak skips the end of a line.
func (s *scanner) lineBreak() {
	if s.pos < s.end && s.text[s.pos] == '\r' {
		s.pos++
	}
	if s.pos < s.end {
		s.pos++
	}
}

// line moves from the start of a line to the first one that has content and sets indent.
func (s *scanner) line() bool {
	for s.pos < s.end {
		start := s.pos
		s.spaces()
		switch {
		case s.isEnd(s.pos):
			s.lineBreak()
			continue
		case s.text[s.pos] == '#':
			if !s.comment() {
				return false
			}
			s.lineBreak()
			continue
		case s.text[s.pos] == '\t':
			return false
		}
		s.indent = s.pos - start
		if s.indent == 0 && s.end-s.pos >= 3 {
			if mark := string(s.text[s.pos : s.pos+3]); mark == "---" || mark == "..." {
				return false
			}
		}
		return true
	}
	s.indent = -1
	return true
}
