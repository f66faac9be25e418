package unstructured

import (
	"slices"
	"strings"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

// A builder creates trees whose memory is exactly as large as their content. While a tree is read,
// the entries of open arrays and objects are on a stack. When a container is closed its content is
// appended to that of previously closed ones, and a reference replaces it on the stack:
//
//	stack    | spec: | containers: | ref | ref |        members, of open containers
//	members  | name image | name image |                content of closed objects
//	values   |                                          content of closed arrays
//	text     | web nginx:1.27 db postgres:18 |          short strings
//
// A flush copies the three areas into memory of exactly their size and turns all references into
// pointers. It happens at the end, and earlier whenever enough content has accumulated, so that a
// retained part of a tree keeps little else in memory: no block of text is larger than flushText,
// and no other block holds much more than flushMembers unless one container is larger.
//
// The entries of a long container leave the stack in runs, which are joined when it is closed, so
// that scratch memory, which is copied as it grows, always stays small.
type builder struct {
	keys    interner
	in      *jsonwire.Reader // the input, which enforces the memory limit; nil for values in memory
	stack   []member
	fixed   int // stack[:fixed] has no references
	runs    []run
	members []member
	values  []view
	text    []byte
	recent  [recentTexts]uint32 // offset<<16 | length in text of a recent string, by hash; 0 for none
}

// container is an open object or array.
type container struct {
	base int // start of its entries on the stack
	runs int // number of runs of the enclosing containers
}

// run holds part of the entries of an open container, without references: members of an object or
// elements of an array.
type run struct {
	members []member
	values  []view
}

// member is a named value. Keys in an object are unique and in lexical order.
type member struct {
	key *key // nil for array elements, which use the same stack
	v   view
}

const (
	flushMembers = 256
	flushText    = 4096
	// longRun is the maximum number of entries of one container on the stack.
	longRun = 1024
	// longText is the length from which a string is allocated separately.
	longText = 256
	// keepScratch bounds the scratch memory of a pooled builder, in entries.
	keepScratch = 4096
	// recentTexts is the number of cached strings, which are likely to recur.
	recentTexts = 256
)

// newBuilder takes a builder from the pool. Call release to return it.
func newBuilder() *builder { return builders.Get().(*builder) }

// release returns the builder to the pool.
func (b *builder) release() {
	b.stack, b.members, b.values, b.runs = emptied(b.stack), emptied(b.members), emptied(b.values), emptied(b.runs)
	b.fixed, b.in = 0, nil
	b.text = b.text[:0]
	clear(b.recent[:])
	builders.Put(b)
}

// emptied clears scratch memory, or discards it if it has become large. Memory beyond the length is
// always clear.
func emptied[E any](s []E) []E {
	if cap(s) > keepScratch {
		return nil
	}
	clear(s)
	return s[:0]
}

// string adds a text, which it does not retain.
func (b *builder) string(text string) view {
	if len(text) > longText {
		return textView(strings.Clone(text))
	}
	if len(text) == 0 {
		return textView("")
	}
	// Texts recur in objects: True, a name, a reason, a label that is also in a selector.
	slot := &b.recent[hash(text)%recentTexts]
	if at, n := *slot>>16, *slot&0xFFFF; int(n) == len(text) && borrow.String(b.text[at:at+n]) == text {
		return refView(refText, int(at), len(text))
	}
	if len(b.text)+len(text) > flushText {
		b.flush(view{})
	}
	at := len(b.text)
	b.text = append(b.text, text...)
	*slot = uint32(at)<<16 | uint32(len(text))
	return refView(refText, at, len(text))
}

// open begins a container.
func (b *builder) open() container { return container{len(b.stack), len(b.runs)} }

// push adds a member, or an element without a key, to the open container.
func (b *builder) push(c container, k *key, v view) {
	b.stack = append(b.stack, member{k, v})
	if len(b.stack)-c.base == longRun {
		b.move(c)
	}
}

// move removes the entries of a container from the stack.
func (b *builder) move(c container) {
	b.flush(view{})
	content := b.stack[c.base:]
	if len(content) > 0 && content[0].key != nil {
		b.spend(len(content), 0)
		b.runs = append(b.runs, run{members: slices.Clone(content)})
	} else {
		b.spend(0, len(content))
		values := make([]view, len(content))
		for i := range content {
			values[i] = content[i].v
		}
		b.runs = append(b.runs, run{values: values})
	}
	b.pop(c.base)
}

// spend counts memory allocated for the input.
func (b *builder) spend(members, values int) {
	if b.in != nil {
		b.in.Spend(members*memberSize + values*viewSize)
	}
}

// together joins the runs of a container.
func (b *builder) together(c container) (all run) {
	members, values := 0, 0
	for _, r := range b.runs[c.runs:] {
		members, values = members+len(r.members), values+len(r.values)
	}
	b.spend(members, values)
	all = run{make([]member, 0, members), make([]view, 0, values)}
	for _, r := range b.runs[c.runs:] {
		all.members, all.values = append(all.members, r.members...), append(all.values, r.values...)
	}
	return all
}

// pop removes the stack from base on.
func (b *builder) pop(base int) {
	clear(b.stack[base:])
	b.stack = b.stack[:base]
	b.fixed = min(b.fixed, base)
}

// object closes an object. Unless its members are already in order they are sorted; the last of
// duplicate members wins.
func (b *builder) object(c container, inOrder bool) view {
	if len(b.runs) > c.runs {
		return b.longObject(c, inOrder)
	}
	content := b.stack[c.base:]
	if !inOrder {
		content = byKey(content)
	}
	v := view{n: uint64(TypeObject) << typeShift}
	if len(content) > 0 {
		v = refView(refObject, len(b.members), len(content))
		b.members = append(b.members, content...)
	}
	b.pop(c.base)
	return b.closed(v)
}

// longObject is object for an object that has runs.
func (b *builder) longObject(c container, inOrder bool) view {
	b.move(c)
	members := b.together(c).members
	b.drop(c)
	if !inOrder {
		if kept := byKey(members); len(kept) < len(members) {
			members = slices.Clone(kept)
		}
	}
	return objectView(members)
}

// drop removes the entries of a container from the stack and the runs.
func (b *builder) drop(c container) {
	b.pop(c.base)
	clear(b.runs[c.runs:])
	b.runs = b.runs[:c.runs]
}

// array closes an array.
func (b *builder) array(c container) view {
	if len(b.runs) > c.runs {
		b.move(c)
		values := b.together(c).values
		b.drop(c)
		return arrayView(values)
	}
	content := b.stack[c.base:]
	v := view{n: uint64(TypeArray) << typeShift}
	if len(content) > 0 {
		v = refView(refArray, len(b.values), len(content))
		for i := range content {
			b.values = append(b.values, content[i].v)
		}
	}
	b.pop(c.base)
	return b.closed(v)
}

// closed flushes if enough content has accumulated.
func (b *builder) closed(v view) view {
	if len(b.members)+len(b.values) < flushMembers {
		return v
	}
	return b.flush(v)
}

// flush allocates memory for all closed content, and returns v without references.
func (b *builder) flush(v view) view {
	b.spend(len(b.members), len(b.values))
	members, values, text := make([]member, len(b.members)), make([]view, len(b.values)), string(b.text)
	copy(members, b.members)
	copy(values, b.values)
	fix := func(v *view) {
		if v.p != nil {
			return
		}
		switch v.typ() {
		case refText:
			at, n := v.textRef()
			*v = textView(text[at : at+n])
		case refArray:
			at, n := v.ref()
			*v = arrayView(values[at : at+n : at+n])
		case refObject:
			at, n := v.ref()
			*v = objectView(members[at : at+n : at+n])
		}
	}
	for i := range members {
		fix(&members[i].v)
	}
	for i := range values {
		fix(&values[i])
	}
	for i := b.fixed; i < len(b.stack); i++ {
		fix(&b.stack[i].v)
	}
	fix(&v)
	b.fixed = len(b.stack)
	clear(b.members)
	clear(b.values)
	clear(b.recent[:])
	b.members, b.values, b.text = b.members[:0], b.values[:0], b.text[:0]
	return v
}

// byKey sorts members by their keys and keeps the last of equal ones. It reorders s.
func byKey(s []member) []member {
	sorted.Func(s, func(a, b member) int { return strings.Compare(a.key.text, b.key.text) })
	kept := s[:0]
	for i := range s {
		if i+1 < len(s) && s[i].key.text == s[i+1].key.text {
			continue
		}
		kept = append(kept, s[i])
	}
	return kept
}
