package yaml

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/askind/askind/serializer/internal/members"
)

// errNotSpliced is the error for a text without a place for a change, or with lines that cannot be
// assigned to one entry.
var errNotSpliced = errors.New("yaml: the text does not have exactly one block of lines to change")

// splice returns a copy of the text of an object in which the value of a field, a map, is changed
// by the differences between two JSON texts of it, before and after. All other lines are preserved,
// including comments and entries in neither text; the lines of changed entries are rewritten. Added
// entries are inserted in the order of names.
//
// The map must be a block, or be absent or empty, and lines must end with line feeds; other line
// breaks of YAML, such as a single carriage return, are not recognized. The result is verified by
// parsing it: if it is wrong, as it is if a replaced entry has an anchor, splice returns
// errNotSpliced.
func splice(text []byte, field string, before, after []byte) ([]byte, error) {
	object, err := ToJSON(text)
	if err != nil {
		return nil, err
	}
	if hasOtherBreaks(text) {
		return nil, errNotSpliced
	}
	all := members.Of(object)
	removed, changed := members.Changes(before, after)
	out, ok := spliced(text, field, all.Value(field) != nil, removed, changed)
	if !ok {
		return nil, errNotSpliced
	}
	result, err := ToJSON(out)
	if err != nil {
		return nil, errNotSpliced
	}
	inner := members.Of(all.Value(field))
	for _, name := range removed {
		inner = inner.Without(name)
	}
	for _, m := range changed {
		inner = append(inner.Without(m.Name), m)
	}
	if wanted := append(all.Without(field), members.Member{Name: field, Value: inner.JSON()}); !sameText(wanted.JSON(),
		result) {
		return nil, errNotSpliced
	}
	return out, nil
}

// spliced changes lines of the text; has reports whether the text has the map. It returns false if
// it does not find the lines of the map or its entries.
func spliced(text []byte, field string, has bool, removed []string, changed members.List) ([]byte, bool) {
	outer, ok := blockOf(bytes.SplitAfter(text, []byte("\n")))
	if !ok || outer.indent > 0 {
		return nil, false
	}
	at := slices.IndexFunc(outer.entries, func(e blockEntry) bool { return e.key() == field })
	if has != (at >= 0) {
		return nil, false
	}
	if !has {
		at = outer.put(field, [][]byte{[]byte(field + ": {}\n")})
	}
	entry := &outer.entries[at]
	rest, ok := strings.CutPrefix(string(entry.lines[0]), field+":")
	if !ok {
		return nil, false
	}
	value, _, _ := strings.Cut(rest, " #")
	value = strings.TrimSpace(value)
	inner := block{indent: 2}
	empty := len(entry.lines) == 1 && (value == "" || value == "{}" || value == "null")
	if !empty {
		if inner, ok = blockOf(entry.lines[1:]); !ok || inner.indent == 0 || value != "" || !inner.named() {
			return nil, false
		}
	}
	for _, name := range removed {
		inner.remove(name)
	}
	for _, m := range changed {
		lines, err := inner.written(m)
		if err != nil {
			return nil, false
		}
		inner.put(m.Name, lines)
	}
	head := [][]byte{entry.lines[0]}
	switch {
	case len(inner.entries) == 0:
		head[0] = []byte(field + ": {}\n")
	case empty:
		head[0] = []byte(field + ":\n")
	}
	entry.lines = append(head, inner.all()...)
	return bytes.Join(outer.all(), nil), true
}

// block is a map in block style; each of its lines includes the line end.
type block struct {
	indent  int
	head    [][]byte // lines before the first entry
	entries []blockEntry
	tail    [][]byte // blank lines and comments after the last entry, and the end of the document
}

// blockEntry holds the lines of one entry, and the comment lines above it.
type blockEntry struct {
	name  string
	above [][]byte
	lines [][]byte
}

// key returns the name as written on the first line.
func (e *blockEntry) key() string {
	key, _, _ := strings.Cut(string(e.lines[0]), ":")
	return strings.TrimSpace(key)
}

// blockOf splits lines into entries: a line with the indentation of the first line with content
// begins an entry, and deeper lines belong to it.
func blockOf(lines [][]byte) (b block, ok bool) {
	b.indent = -1
	var loose [][]byte // since the last line of an entry
	for i, line := range lines {
		body := bytes.TrimLeft(line, " ")
		indent := len(line) - len(body)
		switch {
		case b.indent <= 0 && isMark(line, '.'):
			b.tail = append(loose, lines[i:]...)
			return b, b.indent == 0
		case len(bytes.TrimSpace(body)) == 0 || body[0] == '#' && (b.indent < 0 || indent <= b.indent) ||
			b.indent < 0 && (line[0] == '%' || isMark(line, '-')):
			loose = append(loose, line)
		case b.indent < 0 || indent == b.indent && !bytes.HasPrefix(body, []byte("-")):
			e := blockEntry{lines: [][]byte{line}}
			if b.indent < 0 {
				b.indent, b.head = indent, loose
			} else {
				e.above = loose
			}
			b.entries, loose = append(b.entries, e), nil
		case indent < b.indent:
			return b, false
		default:
			e := &b.entries[len(b.entries)-1]
			e.lines, loose = append(append(e.lines, loose...), line), nil
		}
	}
	b.tail = loose
	return b, b.indent >= 0
}

// named determines the names of the entries. It returns false if an entry cannot be parsed by
// itself, or has the name of another one.
func (b *block) named() bool {
	seen := make(map[string]bool, len(b.entries))
	for i := range b.entries {
		e := &b.entries[i]
		object, err := ToJSON(bytes.Join(e.lines, nil))
		if err != nil {
			return false
		}
		one := members.Of(object)
		if len(one) != 1 {
			return false
		}
		if e.name = one[0].Name; seen[e.name] {
			return false
		}
		seen[e.name] = true
	}
	return true
}

func (b *block) remove(name string) {
	b.entries = slices.DeleteFunc(b.entries, func(e blockEntry) bool { return e.name == name })
}

// put replaces the lines of an entry, or inserts one before the first with a greater name. It
// returns its index.
func (b *block) put(name string, lines [][]byte) int {
	nameOf := func(e *blockEntry) string {
		if e.name == "" {
			return e.key()
		}
		return e.name
	}
	for i := range b.entries {
		switch e := &b.entries[i]; strings.Compare(nameOf(e), name) {
		case 0:
			e.lines = lines
			return i
		case 1:
			b.entries = slices.Insert(b.entries, i, blockEntry{name: name, lines: lines})
			return i
		}
	}
	if n := len(b.entries); n > 0 { // the last line of a text may have no end
		last := b.entries[n-1].lines
		if end := last[len(last)-1]; !bytes.HasSuffix(end, []byte("\n")) {
			last[len(last)-1] = append(bytes.Clone(end), '\n')
		}
	}
	b.entries = append(b.entries, blockEntry{name: name, lines: lines})
	return len(b.entries) - 1
}

// written returns the lines of a new entry.
func (b *block) written(m members.Member) ([][]byte, error) {
	text, err := FromJSON(nil, members.List{m}.JSON())
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:len(lines)-1] // nothing follows the last line end
	for i, line := range lines {
		if len(line) > 1 {
			lines[i] = append(bytes.Repeat([]byte(" "), b.indent), line...)
		}
	}
	return lines, nil
}

// all returns all lines.
func (b *block) all() [][]byte {
	out := slices.Clone(b.head)
	for _, e := range b.entries {
		out = append(append(out, e.above...), e.lines...)
	}
	return append(out, b.tail...)
}

// sameText reports whether two JSON texts are written as the same YAML, which ignores the order of
// members and the escapes of strings.
func sameText(a, b []byte) bool {
	x, err := FromJSON(nil, a)
	y, err2 := FromJSON(nil, b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}
