package yaml

import (
	"slices"
	"sync"
)

// emitter writes a tree as block YAML. Lines are indented by two spaces per level, except that the
// items of a list are not indented below their key.
type emitter struct {
	dst   []byte
	line  int // start of the current line in dst
	tree  tree
	order []key // stack of the key nodes of open objects, in output order
	// declared preserves the order of members in the text instead of sorting them by name.
	declared bool

	scratch []byte // for the JSON text of an object
}

// emitters pools emitters to reuse the memory of their trees.
var emitters = sync.Pool{New: func() any { return new(emitter) }}

// emitter returns an emitter that writes members in the order of the format. Return it with
// release.
func (s *codec) emitter() *emitter {
	e := emitters.Get().(*emitter)
	e.declared = s.declared
	return e
}

// maxPooled is the maximum number of nodes or bytes for which a pooled emitter keeps memory.
const maxPooled = 1 << 16

// maxIndent is the largest indentation. Collections below it are in flow style, so that the output
// is not much longer than the text, however deeply it is nested.
const maxIndent = 128

// maxSimpleKey is the maximum length in bytes of a key that is on one line with its value.
const maxSimpleKey = 128

// append appends one JSON text to dst as a YAML document.
func (e *emitter) append(dst, json []byte) ([]byte, error) {
	if err := e.tree.parse(json); err != nil {
		return dst, err
	}
	// The document starts on a line of its own, whatever precedes it in dst.
	e.dst, e.line = dst, len(dst)
	e.inline(0, 0)
	if len(e.dst) > e.line {
		e.dst = append(e.dst, '\n')
	}
	return e.dst, nil
}

func (e *emitter) release() {
	e.dst, e.tree.json = nil, nil
	if cap(e.tree.nodes) > maxPooled || cap(e.tree.arena) > maxPooled {
		e.tree = tree{}
	}
	if cap(e.scratch) > 16*maxPooled {
		e.scratch = nil
	}
	if cap(e.order) > maxPooled {
		e.order = nil
	}
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

// inline writes node i on the current line. A collection has its entries at indent, the first of
// them on the current line.
func (e *emitter) inline(i, indent int) {
	switch n := &e.tree.nodes[i]; {
	case n.next == i+1:
		e.leaf(n, max(indent, 2))
	case n.kind == '{':
		e.object(i, indent, true)
	default:
		e.list(i, indent, true)
	}
}

// leaf writes a scalar or an empty collection.
func (e *emitter) leaf(n *node, indent int) {
	switch n.kind {
	case '{':
		e.dst = append(e.dst, "{}"...)
	case '[':
		e.dst = append(e.dst, "[]"...)
	case '"':
		s, st := e.tree.bytes(n), plain
		if !n.word {
			st, _ = choose(s, false)
		}
		e.scalar(s, st, indent, true)
	case '0':
		e.dst = appendNumber(e.dst, e.tree.bytes(n))
	default:
		e.dst = append(e.dst, e.tree.bytes(n)...)
	}
}

// list writes the elements of a list that is not empty. If here is set, the first element is on the
// current line.
func (e *emitter) list(i, indent int, here bool) {
	if indent > maxIndent {
		e.deep(i, here)
		return
	}
	for c := i + 1; c < e.tree.nodes[i].next; c = e.tree.nodes[c].next {
		if !here {
			e.startLine(indent)
		}
		here = false
		e.dst = append(e.dst, '-', ' ')
		e.inline(c, indent+2)
	}
}

// key is a key node, with a rank that decides the order of most keys, see [tree.compare].
type key struct {
	node int
	rank uint64
}

// arrange pushes the keys of the object node i on the stack, in output order, keeping the last of
// equal ones. It returns their start on the stack.
func (e *emitter) arrange(i int) (from int) {
	from = len(e.order)
	sorted := true
	nodes := e.tree.nodes
	for k, end := i+1, nodes[i].next; k < end; k = nodes[k+1].next {
		e.order = append(e.order, key{k, e.tree.rank(&nodes[k])})
		if last := len(e.order) - 1; sorted && last > from {
			sorted = e.tree.compare(e.order[last-1], e.order[last]) < 0
		}
	}
	keys := e.order[from:]
	if !sorted {
		keys = e.sort(keys)
		if e.declared {
			slices.SortStableFunc(keys, func(a, b key) int { return a.node - b.node })
		}
	}
	if e.declared {
		e.forPeople(keys)
	}
	e.order = e.order[:from+len(keys)]
	return from
}

// sort sorts keys and removes all but the last of equal ones. Most objects have few members, for
// which insertion sort is fastest.
func (e *emitter) sort(keys []key) []key {
	if len(keys) > 24 {
		slices.SortStableFunc(keys, e.tree.compare)
	} else {
		for i := 1; i < len(keys); i++ {
			k, at := keys[i], i
			for ; at > 0 && e.tree.compare(k, keys[at-1]) < 0; at-- {
				keys[at] = keys[at-1]
			}
			keys[at] = k
		}
	}
	last := 0
	for _, k := range keys[1:] {
		if e.tree.compare(keys[last], k) != 0 {
			last++
		}
		keys[last] = k
	}
	return keys[:last+1]
}

// forPeople reorders the members of an object that has a kind and an apiVersion, from the order of
// declaration to the order that people use.
func (e *emitter) forPeople(keys []key) {
	typed := 0
	for _, k := range keys {
		if e.place(k.node) <= placeOfKind {
			typed++
		}
	}
	if typed == 2 {
		slices.SortStableFunc(keys, func(a, b key) int { return e.place(a.node) - e.place(b.node) })
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

// place returns the position that people give the member with the key node k.
func (e *emitter) place(k int) int {
	switch string(e.tree.bytes(&e.tree.nodes[k])) {
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

// object writes the members of an object that is not empty. If here is set, the first member is on
// the current line.
func (e *emitter) object(i, indent int, here bool) {
	if indent > maxIndent {
		e.deep(i, here)
		return
	}
	from := e.arrange(i)
	for o := from; o < len(e.order); o++ {
		if !here {
			e.startLine(indent)
		}
		here = false
		e.member(e.order[o].node, indent)
	}
	e.order = e.order[:from]
}

// deep writes a collection that is too deep for lines of its own. If here is not set, it follows a
// colon.
func (e *emitter) deep(i int, here bool) {
	if !here {
		e.dst = append(e.dst, ' ')
	}
	e.flow(i)
}

// flow writes node i in flow style, with quotes around all strings.
func (e *emitter) flow(i int) {
	switch n := &e.tree.nodes[i]; n.kind {
	case '{':
		e.dst = append(e.dst, '{')
		from := e.arrange(i)
		for o := from; o < len(e.order); o++ {
			k := e.order[o].node
			if o > from {
				e.dst = append(e.dst, ", "...)
			}
			if e.tree.nodes[k].end-e.tree.nodes[k].start > maxSimpleKey {
				e.dst = append(e.dst, "? "...)
			}
			e.flow(k)
			e.dst = append(e.dst, ": "...)
			e.flow(k + 1)
		}
		e.order = e.order[:from]
		e.dst = append(e.dst, '}')
	case '[':
		e.dst = append(e.dst, '[')
		for c := i + 1; c < n.next; c = e.tree.nodes[c].next {
			if c > i+1 {
				e.dst = append(e.dst, ", "...)
			}
			e.flow(c)
		}
		e.dst = append(e.dst, ']')
	case '"':
		e.scalar(e.tree.bytes(n), doubleQuoted, 0, false)
	default:
		e.leaf(n, 0)
	}
}

// member writes the key node k and its value, which follows it.
func (e *emitter) member(k, indent int) {
	n, v := &e.tree.nodes[k], k+1
	name := e.tree.bytes(n)
	if n.word && len(name) <= maxSimpleKey {
		e.dst = append(append(e.dst, name...), ':')
	} else if !e.key(name, indent) {
		e.inline(v, indent+2)
		return
	}
	switch n := &e.tree.nodes[v]; {
	case n.next == v+1:
		e.dst = append(e.dst, ' ')
		e.leaf(n, indent+2)
	case n.kind == '{':
		e.object(v, indent+2, false)
	default:
		e.list(v, indent, false)
	}
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
