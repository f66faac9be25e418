package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/askind/askind/serializer/jsonwire"
)

// maxDepth bounds how deep the values nest that are written, as in the JSON format.
const maxDepth = 10000

// node is one value or key of an annotated JSON text. A tree is a slice of nodes in the order of the text: an array is followed by its
// elements, an object by its keys, each followed by its value.
type node struct {
	start, end uint32 // the text of a number, or that of a string without its quotes; in a container start is how many values it has
	next       uint32 // the first node that does not belong to this one; in a container that is still open, the one around it
	kind       kind   // no more than four fields: the compiler builds larger structs in memory first
}

type kind uint8

const (
	object kind = iota
	array
	text
	unescaped // a string that had escapes; start and end are offsets in the arena
	content   // of a []byte
	integer
	float
	isTrue
	isFalse
	null
)

// tree is a text taken apart. A tree that is parsed into again keeps its memory.
type tree struct {
	text  []byte
	arena []byte // strings that had escapes, without them
	nodes []node

	order []member // stack of the members of the objects that are being written
}

var errTruncated = errors.New("cbor: the JSON text of the object ends too early")

// forget lets go of the text, and of memory that has grown large.
func (t *tree) forget() {
	t.text = nil
	if cap(t.nodes) > maxPooled/16 || cap(t.arena) > maxPooled || cap(t.order) > maxPooled/16 {
		t.nodes, t.arena, t.order = nil, nil, nil
	}
}

// bytes returns the text of a node.
func (t *tree) bytes(n *node) []byte {
	if n.kind == unescaped {
		return t.arena[n.start:n.end]
	}
	return t.text[n.start:n.end]
}

// noParent stands for what is around the outermost value.
const noParent = math.MaxUint32

// parse reads one value. The text is what generated code appends, so only as much is checked as keeps the result well-formed.
func (t *tree) parse(data []byte) error {
	t.text, t.arena, t.order = data, t.arena[:0], t.order[:0]
	if uint64(len(data)) >= math.MaxUint32 {
		return fmt.Errorf("cbor: the JSON text of the object is longer than %d bytes", uint32(math.MaxUint32-1))
	}
	var err error
	t.nodes, err = t.scan(data, t.nodes[:0])
	return err
}

// leaf is a node without others below it, which is to be node i.
func leaf(k kind, i, start, end int) node {
	return node{kind: k, start: uint32(start), end: uint32(end), next: uint32(i + 1)}
}

// scan appends the nodes of a text to nodes.
func (t *tree) scan(data []byte, nodes []node) ([]node, error) {
	var (
		i, depth      = 0, 0
		around        = uint32(noParent) // the innermost container that is open
		closing  byte = 0                // its bracket
		key           = false            // a key comes next
	)
	for {
		if i = skipSpace(data, i); i >= len(data) {
			return nodes, errTruncated
		}
		c := data[i]
		if key && c != '"' {
			return nodes, unexpected(data, i)
		}
		opened := false
		switch c {
		case '"':
			end := stringEnd(data, i+1)
			if end < len(data) && data[end] == '"' {
				nodes = append(nodes, leaf(text, len(nodes), i+1, end))
				i = end + 1
			} else {
				for end < len(data) && data[end] == '\\' {
					end = stringEnd(data, end+2)
				}
				if end >= len(data) {
					return nodes, errTruncated
				}
				from := len(t.arena)
				t.arena = jsonwire.AppendUnescaped(t.arena, data[i+1:end])
				nodes = append(nodes, leaf(unescaped, len(nodes), from, len(t.arena)))
				i = end + 1
			}
			if key {
				if i = skipSpace(data, i); i >= len(data) || data[i] != ':' {
					return nodes, unexpected(data, i)
				}
				i++
				key = false
				continue
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return nodes, fmt.Errorf("cbor: the object nests more than %d levels deep", maxDepth)
			}
			n := node{kind: array, next: around}
			if c == '{' {
				n.kind = object
			}
			around, closing = uint32(len(nodes)), c+2 // '{' and '}', '[' and ']' are two apart
			nodes = append(nodes, n)
			if i = skipSpace(data, i+1); i >= len(data) || data[i] != closing {
				key = c == '{'
				continue
			}
			opened = true
		case 't', 'f', 'n':
			word, k := "null", null
			switch c {
			case 't':
				word, k = "true", isTrue
			case 'f':
				word, k = "false", isFalse
			}
			if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
				return nodes, unexpected(data, i)
			}
			nodes = append(nodes, leaf(k, len(nodes), i, i))
			i += len(word)
		case jsonwire.BytesMark:
			start := i + 9
			if start > len(data) || binary.LittleEndian.Uint64(data[i+1:]) > uint64(len(data)-start) {
				return nodes, errTruncated
			}
			i = start + int(binary.LittleEndian.Uint64(data[start-8:]))
			nodes = append(nodes, leaf(content, len(nodes), start, i))
		default:
			end, k := numberEnd(data, i)
			if end == i {
				return nodes, unexpected(data, i)
			}
			nodes = append(nodes, leaf(k, len(nodes), i, end))
			i = end
		}
		for more := false; !more; {
			if around == noParent {
				if i = skipSpace(data, i); i < len(data) {
					return nodes, unexpected(data, i)
				}
				return nodes, nil
			}
			if i = skipSpace(data, i); i >= len(data) {
				return nodes, errTruncated
			}
			n := &nodes[around]
			if !opened {
				n.start++
			}
			opened = false
			switch data[i] {
			case ',':
				key, more = n.kind == object, true
			case closing:
				around, n.next = n.next, uint32(len(nodes))
				depth--
				if around != noParent {
					closing = ']'
					if nodes[around].kind == object {
						closing = '}'
					}
				}
			default:
				return nodes, unexpected(data, i)
			}
			i++
		}
	}
}

func skipSpace(data []byte, i int) int {
	if i < len(data) && data[i] > ' ' {
		return i
	}
	return skipSpaceSlow(data, i)
}

func skipSpaceSlow(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

func unexpected(data []byte, i int) error {
	if i >= len(data) {
		return errTruncated
	}
	return fmt.Errorf("cbor: unexpected %q at offset %d of the JSON text of the object", data[i], i)
}

// numberEnd returns the end of the number at i, and whether it is an integer or a float.
func numberEnd(data []byte, i int) (int, kind) {
	k := integer
	for ; i < len(data); i++ {
		c := data[i]
		if c-'0' <= 9 || c == '-' {
			continue
		}
		if c != '.' && c|0x20 != 'e' && c != '+' {
			break
		}
		k = float
	}
	return i, k
}

const (
	ones uint64 = 0x0101010101010101
	tops uint64 = 0x8080808080808080
)

// stringEnd returns the index of the first quote or backslash at or after i, at least len(data) if there is none.
func stringEnd(data []byte, i int) int {
	for len(data)-i >= 8 {
		// The lowest byte that is marked is one of them for certain.
		w := binary.LittleEndian.Uint64(data[i:])
		if m := (((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) &^ w & tops; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// member is a member of an object that is being written.
type member struct {
	rank uint64 // how its key is ordered, as far as a word can tell
	key  uint32 // the node of the key; its value is the next one
}

// An ordering is an order of keys.
type ordering uint8

const (
	byBytes  ordering = iota
	byLength          // as encoded keys are ordered: by their length first, because that is what the head says, and then by their bytes
)

func (o ordering) rank(key []byte) uint64 {
	switch {
	case o == byBytes:
		return prefix(key)
	case len(key) >= math.MaxUint16:
		return math.MaxUint64
	}
	return uint64(len(key))<<48 | prefix(key)>>16
}

func (o ordering) compare(a, b []byte) int {
	if o == byLength && len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

// prefix returns the first eight bytes of a key as a number.
func prefix(key []byte) uint64 {
	switch n := len(key); {
	case n >= 8:
		return binary.BigEndian.Uint64(key)
	case n >= 4:
		// The first and the last four bytes make the word; where they overlap they are the same.
		return uint64(binary.BigEndian.Uint32(key))<<32 | uint64(binary.BigEndian.Uint32(key[n-4:]))<<(64-8*n)
	case n > 0:
		return uint64(key[0])<<56 | uint64(key[n/2])<<(56-8*(n/2)) | uint64(key[n-1])<<(64-8*n)
	}
	return 0
}

// members puts the members of the object node i on the stack, in order; of those with equal keys it keeps the last. base is where the stack
// stood before.
func (t *tree) members(i uint32, o ordering) (base int) {
	base = len(t.order)
	order, nodes := t.order, t.nodes
	end := nodes[i].next
	last, inOrder := uint64(0), true
	for k := i + 1; k < end; k = nodes[k+1].next {
		m := member{rank: o.rank(t.bytes(&nodes[k])), key: k}
		if m.rank <= last && len(order) > base {
			inOrder = false
		}
		last = m.rank
		order = append(order, m)
	}
	t.order = order
	if !inOrder {
		t.sort(base, o)
	}
	return base
}

// sort puts the members on the stack from base on in order and drops all but the last of those with equal keys.
func (t *tree) sort(base int, o ordering) {
	all := t.order[base:]
	equal := false // there are equal ranks
	if len(all) <= 24 {
		for i := 1; i < len(all); i++ {
			m, j := all[i], i
			for ; j > 0 && m.rank <= all[j-1].rank; j-- {
				if m.rank == all[j-1].rank {
					if equal = true; t.compare(m, all[j-1], o) >= 0 {
						break
					}
				}
				all[j] = all[j-1]
			}
			all[j] = m
		}
	} else {
		equal = true
		slices.SortFunc(all, func(a, b member) int {
			if c := cmp.Compare(a.rank, b.rank); c != 0 {
				return c
			}
			return cmp.Or(t.compare(a, b, o), cmp.Compare(a.key, b.key))
		})
	}
	if !equal {
		return
	}
	kept := all[:0]
	for i, m := range all {
		if i+1 < len(all) && m.rank == all[i+1].rank && t.compare(m, all[i+1], o) == 0 {
			continue
		}
		kept = append(kept, m)
	}
	t.order = t.order[:base+len(kept)]
}

// compare is the order of two members of equal rank.
func (t *tree) compare(a, b member, o ordering) int {
	return o.compare(t.bytes(&t.nodes[a.key]), t.bytes(&t.nodes[b.key]))
}
