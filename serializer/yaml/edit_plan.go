package yaml

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// plan is how a document becomes one with the wanted value. It is made in three steps: comparing
// finds the entries that differ, matching finds those that are only at another place, and writing
// replaces parts of the text.
type plan struct {
	*editing
	seed     maphash.Seed
	moves    bool     // lines may move
	groups   []*group // those with entries that are removed or added, inner ones first
	replaced []*entry // those with a new value
	parts    []*part
	kept     map[int]bool // the comments that move, and whether their lines have been written
	blocked  error        // why the first change that cannot be made cannot
}

// entry is a member of a mapping, an element of a list, or the root of the document.
type entry struct {
	in      *group // nil for the root
	index   int
	name    string // of a member
	element bool   // of a list
	value   *value // nil for merge keys, and where the document has another

	// An entry in the text has these.
	key, node *yaml.Node
	start     int      // of the key or the element, in a block of the hyphen
	group     *group   // the value, if that is a mapping or list, see groupOf
	removed   bool     // from its group
	matched   bool     // with another one, see match; also if it is new
	want      *value   // what replaces the value
	before    []*entry // new ones before this one

	inner int // how many entries are in a new one, see within
}

// group is a mapping or a list in the text.
type group struct {
	of      *entry // whose value it is
	flow    bool   // it is in braces or brackets
	entries []*entry
	named   map[string]*entry // the last member with each name
	after   []*entry          // new ones at the end
	end     int               // of the lines of a block
}

// plan returns the parts of the text to be replaced. Lines move only if move is set.
func (e *editing) plan(seed maphash.Seed, is, want *value, move bool) *plan {
	p := &plan{editing: e, seed: seed, moves: move && !e.json, kept: map[int]bool{}}
	p.compare(&entry{value: is, node: e.root}, want)
	p.match()
	for _, e := range p.replaced {
		p.replace(e)
	}
	for _, g := range p.groups {
		if g.flow {
			p.writeFlow(g)
		} else {
			p.writeBlock(g)
		}
	}
	return p
}

// path returns the path of an entry, with its index in the text or, if it is new, in the new list.
func (e *entry) path() *schema.Path {
	switch {
	case e.in == nil:
		return nil
	case e.element:
		return e.in.of.path().Index(e.index)
	}
	return e.in.of.path().Member(e.name)
}

// block records why an entry cannot be changed, at an offset of the text.
func (p *plan) block(e *entry, offset int, reason string) {
	if p.blocked == nil {
		p.blocked = p.fail(e.path(), offset, "%s", reason)
	}
}

// compare finds the differences between an entry and its wanted value.
func (p *plan) compare(e *entry, want *value) {
	switch {
	case e.value.id == want.id:
	case e.node.Kind == yaml.AliasNode:
		p.block(e, p.offset(e.node), "it is an alias of a value elsewhere")
	case len(e.value.members) > 0 && len(want.members) > 0:
		p.compareMapping(e, want)
	case len(e.value.elements) > 0 && len(want.elements) > 0:
		p.compareList(e, want)
	default:
		e.want = want
		p.replaced = append(p.replaced, e)
	}
}

func (p *plan) compareMapping(e *entry, want *value) {
	g := p.groupOf(e)
	for _, member := range g.entries {
		switch last := g.named[member.name]; {
		case member.key.Kind != yaml.ScalarNode:
			p.block(e, member.start, "a key is not a name")
			return
		case last != member:
			p.block(last, last.start, "the key occurs twice")
			return
		}
	}
	for _, member := range g.entries {
		value := want.members[member.name]
		switch {
		case member.value == nil:
		case value == nil:
			member.removed = true
		default:
			p.compare(member, value)
		}
	}
	for _, name := range e.value.names() {
		if want.members[name] == nil && g.named[name] == nil {
			p.block(&entry{in: g, name: name}, p.offset(e.node), "it comes from a merge key")
		}
	}
	for _, name := range want.names() {
		value, is := want.members[name], e.value.members[name]
		if g.named[name] == nil && (is == nil || is.id != value.id) {
			g.after = append(g.after, &entry{in: g, name: name, value: value})
		}
	}
	p.groups = append(p.groups, g)
}

func (p *plan) compareList(e *entry, want *value) {
	g := p.groupOf(e)
	if g == nil {
		return
	}
	for _, element := range g.entries {
		element.removed = true
	}
	for j, i := range align(e.value.elements, want.elements) {
		value := want.elements[j]
		if i < 0 {
			g.after = append(g.after, &entry{in: g, index: j, element: true, value: value})
			continue
		}
		element := g.entries[i]
		element.removed, element.before, g.after = false, g.after, nil
		p.compare(element, value)
	}
	p.groups = append(p.groups, g)
}

// names returns the names of the members, sorted.
func (v *value) names() []string { return slices.Sorted(maps.Keys(v.members)) }

// groupOf returns the mapping or list that is the value of an entry, or nil.
func (p *plan) groupOf(e *entry) *group {
	n, per := e.node, 1
	switch {
	case e.group != nil || e.value == nil:
		return e.group
	case n.Kind == yaml.MappingNode:
		per = 2
	case n.Kind != yaml.SequenceNode:
		return nil
	}
	g := &group{of: e, flow: n.Style&yaml.FlowStyle != 0, named: map[string]*entry{}}
	switch {
	case g.flow: // in JSON there may be many of them on one line
	case e.in == nil:
		g.end = p.end()
	default:
		_, g.end = p.extent(e)
	}
	for i := 0; i < len(n.Content); i += per {
		key := n.Content[i]
		inner := &entry{in: g, index: i / per, key: key, node: n.Content[i+per-1], start: p.offset(key)}
		switch {
		case per == 1:
			inner.element, inner.value = true, e.value.elements[i]
		case key.Kind == yaml.ScalarNode:
			inner.name, inner.value = key.Value, e.value.members[key.Value]
			if before := g.named[key.Value]; before != nil {
				before.value = nil
			}
			g.named[key.Value] = inner
		}
		if inner.element && !g.flow {
			last := -1
			if i > 0 {
				last = g.entries[i-1].start
			}
			if inner.start = p.hyphen(inner); inner.start <= last || p.column(inner.start) != n.Column-1 {
				p.block(e, p.offset(inner.node), "the hyphen of the element is not found")
				return nil
			}
		}
		g.entries = append(g.entries, inner)
	}
	e.group = g
	return g
}

// hyphen returns the position of the hyphen of an element of a block, or -1. Comments may be
// between it and the element.
func (e *editing) hyphen(element *entry) int {
	at := element.start
	if n := element.node; n.Kind != yaml.ScalarNode || n.Value != "" || n.Style != 0 || at == len(e.text) {
		at-- // the position of an empty value may be that of the hyphen
	}
	for {
		at = bytes.LastIndexByte(e.text[:at+1], '-')
		comment := e.comment(lineStart(e.text, max(at, 0)), at)
		if comment < 0 {
			return at
		}
		at = comment
	}
}

// part is a part of the text, text[from:to], and what replaces it.
type part struct {
	entry    *entry // that is changed
	from, to int
	by       string
	lines    bool // by begins a line
}

// write records a part of the text to be replaced.
//
//go:noinline
func (p *plan) write(e *entry, from, to int, by string) *part {
	s := &part{entry: e, from: from, to: to, by: by}
	p.parts = append(p.parts, s)
	return s
}

// apply returns the text with all parts replaced. It is an error if that would lose a comment.
func (p *plan) apply(dropComments, crlf bool) ([]byte, error) {
	if len(p.parts) == 0 {
		p.block(&entry{}, -1, "the document cannot be changed in parts")
		return nil, p.blocked
	}
	sorted.Func(p.parts, func(a, b *part) int {
		if a.from == b.from {
			return min(a.to-a.from, 1) - min(b.to-b.from, 1) // what is inserted comes first
		}
		return a.from - b.from
	})
	var out []byte
	done, open := 0, false // open is whether blank lines that follow are omitted
	for _, s := range append(p.parts, &part{from: len(p.text), to: len(p.text)}) {
		if s.from < done {
			return nil, p.fail(s.entry.path(), s.from, "the surrounding text cannot be changed in parts")
		}
		for _, at := range p.comments(s.from, s.to) {
			if !dropComments && !p.kept[at] {
				remark := bytes.TrimSpace(p.text[at:lineEnd(p.text, at)])
				return nil, p.fail(p.innermost(s.entry, at).path(), at, "%w: %.80s", ErrComment, remark)
			}
		}
		if open {
			done = min(p.blank(done), s.from)
		}
		open = open && done == s.from
		out = append(out, p.text[done:s.from]...)
		if s.lines && len(out) > 0 && out[len(out)-1] != '\n' {
			s.by = "\n" + s.by
		}
		out = append(out, lineBreaks(s.by, crlf)...)
		open = p.opens(s) || open && s.by == ""
		done = s.to
	}
	return out, nil
}

// opens reports whether blank lines after a part would belong to a text in a block before them: to
// one that keeps all blank lines, or to any other if they are indented.
func (p *plan) opens(s *part) bool {
	indented := s.to < len(p.text) && (p.text[s.to] == ' ' || p.text[s.to] == '\t')
	if s.by != "" {
		return strings.HasSuffix(s.by, "\n\n") || indented && strings.HasSuffix(s.by, "\n")
	}
	r := p.around(s.from - 1)
	return r != nil && r.to == s.from && (r.keep || indented)
}

// innermost returns the innermost entry of a block that contains an offset, in an entry.
func (p *plan) innermost(e *entry, at int) *entry {
	if e.node == nil {
		return e
	}
	if g := p.groupOf(e); g != nil && !g.flow {
		for _, inner := range g.entries {
			if from, to := p.extent(inner); from <= at && at < to {
				return p.innermost(inner, at)
			}
		}
	}
	return e
}

// lineBreaks returns lines that end with a line feed, or with a carriage return and a line feed.
func lineBreaks(lines string, crlf bool) string {
	if !crlf {
		return lines
	}
	return strings.ReplaceAll(lines, "\n", "\r\n")
}
