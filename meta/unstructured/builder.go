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
type builder struct {
	keys    interner
	in      *jsonwire.Reader // the input, which enforces the memory limit; nil for values in memory
	stack   []member
	fixed   int // stack[:fixed] has no references
	spent   int // entries of the stack that count toward the memory limit
	members []member
	values  []view
	text    []byte
	recent  [recentTexts]uint32 // offset<<16 | length in text of a recent string, by hash; 0 for none
}

// member is a named value. Keys in an object are unique and in lexical order.
type member struct {
	key *key // nil for array elements, which use the same stack
	v   view
}

const (
	flushMembers = 256
	flushText    = 4096
	// spentAtOnce is the number of entries of the stack that are counted at once.
	spentAtOnce = 1024
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
	b.stack, b.members, b.values = emptied(b.stack), emptied(b.members), emptied(b.values)
	b.fixed, b.spent, b.in = 0, 0, nil
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

// open begins a container and returns where its entries begin on the stack.
func (b *builder) open() (base int) { return len(b.stack) }

// push adds a member, or an element without a key, to the open container. The stack doubles when it
// grows, because it is copied then, and a container can be very long. Its memory is counted as it
// grows, so that the limit ends such a container before it has been read.
func (b *builder) push(k *key, v view) {
	if len(b.stack) == cap(b.stack) {
		b.stack = slices.Grow(b.stack, max(len(b.stack), 64))
	}
	b.stack = append(b.stack, member{k, v})
	if len(b.stack)-b.spent == spentAtOnce {
		b.spend(spentAtOnce, 0)
		b.spent += spentAtOnce
	}
}

// spend counts memory allocated for the input.
func (b *builder) spend(members, values int) {
	if b.in != nil {
		b.in.Spend(members*memberSize + values*viewSize)
	}
}

// pop removes the stack from base on.
func (b *builder) pop(base int) {
	clear(b.stack[base:])
	b.stack = b.stack[:base]
	b.fixed = min(b.fixed, base)
}

// object closes an object. Unless its members are already in order they are sorted; the last of
// duplicate members wins.
func (b *builder) object(base int, inOrder bool) view {
	content := b.stack[base:]
	if !inOrder {
		content = byKey(content)
	}
	v := emptyObject
	if len(content) > 0 {
		v = refView(refObject, len(b.members), len(content))
		b.members = append(b.members, content...)
	}
	b.pop(base)
	return b.closed(v)
}

// array closes an array.
func (b *builder) array(base int) view {
	content := b.stack[base:]
	v := emptyArray
	if len(content) > 0 {
		v = refView(refArray, len(b.values), len(content))
		b.values = slices.Grow(b.values, len(content))
		for i := range content {
			b.values = append(b.values, content[i].v)
		}
	}
	b.pop(base)
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
