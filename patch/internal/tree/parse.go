package tree

import (
	"bytes"
	"strings"
	"sync"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// Parse returns the value of a text, which must be one JSON value within the limits. The error is a
// [*jsonwire.Error]. The node does not refer to data.
func Parse(data []byte, l schema.Limits) (Node, error) {
	return parse(data, l, len(data) >= worthExtents, copied)
}

// Borrow is like [Parse], but the node refers to data: discard it before data changes. This saves
// a copy of documents that are only read to write another one.
func Borrow(data []byte, l schema.Limits) (Node, error) {
	return parse(data, l, len(data) >= worthExtents, borrow.String)
}

// ParseAll is like [Parse] and [Node.OpenAll].
func ParseAll(data []byte, l schema.Limits) (Node, error) {
	n, err := parse(data, l, false, copied)
	n.OpenAll()
	return n, err
}

func copied(data []byte) string { return string(data) }

// parse returns the value of a text, which keep converts to a string. If measured is set, the node
// gets the extents of the text, which speed up opening its levels one by one.
func parse(data []byte, l schema.Limits, measured bool, keep func([]byte) string) (Node, error) {
	if err := l.CheckSize("the document", len(data)); err != nil {
		return Node{}, &jsonwire.Error{Code: wire.Limit, Message: err.Error(), Err: err}
	}
	r := jsonwire.NewReader(data, jsonwire.Options{Limits: l})
	var within *extents
	if measured {
		p := parsers.Get().(*parser)
		within = p.kept(r.AppendExtents(p.extents[:0]))
		p.free()
	} else {
		r.Skip()
	}
	r.End()
	if err := r.Err(); err != nil {
		return Node{}, err
	}
	text := keep(bytes.TrimRight(data, " \t\r\n"))
	start := space(text, 0)
	n := Node{text: text[start:], Kind: kindOf(text[start])}
	if within != nil {
		n.origin = within
	}
	return n, nil
}

// Sound returns the value of a valid text.
func Sound(text string) Node {
	start := space(text, 0)
	end := skip(text, start)
	return Node{text: text[start:end], Kind: kindOf(text[start])}
}

// kindOf returns the kind of the value whose first byte is c.
func kindOf(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't':
		return True
	case 'f':
		return False
	case 'n':
		return Null
	}
	return Number
}

// Open creates the children of an object or array, which are not open themselves. It has no effect
// on other nodes and on a node that is open.
func (n *Node) Open() {
	if n.open || n.Kind < Array {
		return
	}
	n.open = true
	if n.text == "" {
		n.openValue()
		return
	}
	p := parsers.Get().(*parser)
	within, ok := n.origin.(*extents)
	if !ok {
		within = p.measure(n.text)
	}
	p.within, p.place = within, n.place
	n.Kids, _ = p.children(n.text, 0, n.Kind == Object)
	p.free()
}

// Peek returns a copy of a member of an object. It neither opens an object that has a text nor
// changes one that is open, not even its index. The copy is Absent if the object lacks the member,
// and the first one if the member occurs more than once.
func (n *Node) Peek(name string) Node {
	if n.open || n.text == "" {
		n.Open()
		for i := range n.Kids {
			if k := &n.Kids[i]; k.Name == name && k.Kind != Absent {
				return *k
			}
		}
		return Node{}
	}
	text := n.text
	for i := space(text, 1); text[i] != '}'; {
		end := skipString(text, i)
		same := end-i-2 == len(name) && text[i+1:end-1] == name
		if !same && strings.IndexByte(text[i:end], '\\') >= 0 {
			same = unquote(text[i:end]) == name
		}
		start := space(text, space(text, end)+1)
		i = skip(text, start)
		if same {
			return Node{Name: name, text: text[start:i], Kind: kindOf(text[start])}
		}
		if i = space(text, i); text[i] == ',' {
			i = space(text, i+1)
		}
	}
	return Node{}
}

// OpenAll opens a node and all nodes below it in one pass over the text.
func (n *Node) OpenAll() {
	if n.Kind < Array {
		return
	}
	if n.open || n.text == "" {
		n.Open()
		for i := range n.Kids {
			n.Kids[i].OpenAll()
		}
		return
	}
	p := parsers.Get().(*parser)
	p.deep, p.next = true, min(atMost(n.text), blockSize)
	n.open = true
	n.Kids, _ = p.children(n.text, 0, n.Kind == Object)
	p.free()
}

// blockSize is the number of nodes that deep parses allocate at once.
const blockSize = 128

// atMost returns an upper bound of the number of nodes in the text of a container: each except the
// first of its container follows a comma.
func atMost(text string) int {
	return strings.Count(text, ",") + strings.Count(text, "{") + strings.Count(text, "[")
}

// parsers pools parsers to reuse their stacks.
var parsers = sync.Pool{New: func() any { return &parser{stack: make([]Node, 0, 64)} }}

// free returns a parser to the pool. Its stack is empty, and its blocks belong to the nodes.
func (p *parser) free() {
	if cap(p.stack) <= 1024 && cap(p.extents) <= 4096 {
		*p = parser{stack: p.stack[:0], extents: p.extents[:0], open: p.open[:0]}
		parsers.Put(p)
	}
}

// parser creates the nodes of a valid text.
type parser struct {
	deep  bool   // parse all levels
	stack []Node // the children so far of all unfinished nodes, the innermost last
	block []Node // memory for the children of deep parses
	next  int    // size of the next block

	within  *extents // of the text, if they are known
	place   int32    // of the current container in them
	extents extents  // memory for measuring
	open    []int32  // memory for measuring: the unfinished containers
}

// children reads the object or array at i and returns its children and the index after it. It
// recurses as deep as the text nests, which Parse limits.
func (p *parser) children(text string, i int, object bool) ([]Node, int) {
	mark := len(p.stack)
	sorted := true
	place := p.place + 1 // of the next container
	i = space(text, i+1)
	for text[i] != '}' && text[i] != ']' {
		n := Node{}
		if object {
			end := skipString(text, i)
			n.Name = unquote(text[i:end])
			if last := len(p.stack) - 1; last >= mark && p.stack[last].Name >= n.Name {
				sorted = false
			}
			i = space(text, space(text, end)+1)
		}
		start := i
		n.Kind = kindOf(text[i])
		switch {
		case n.Kind >= Array && p.deep:
			n.open = true
			n.Kids, i = p.children(text, i, n.Kind == Object)
		case n.Kind >= Array && p.within != nil:
			n.origin, n.place = p.within, place
			e := (*p.within)[place]
			i += int(e.Size)
			place += e.Count
		default:
			i = skip(text, i)
		}
		n.text = text[start:i]
		p.stack = append(p.stack, n)
		if i = space(text, i); text[i] == ',' {
			i = space(text, i+1)
		}
	}
	kids := p.stack[mark:]
	if !sorted {
		kids = distinct(kids)
	}
	kids = p.keep(kids)
	clear(p.stack[mark:])
	p.stack = p.stack[:mark]
	return kids, i + 1
}

// keep copies nodes from the stack to their final memory.
func (p *parser) keep(kids []Node) []Node {
	if len(kids) == 0 {
		return nil
	}
	if !p.deep || len(kids) > blockSize {
		return append(make([]Node, 0, len(kids)), kids...)
	}
	if cap(p.block)-len(p.block) < len(kids) {
		p.block = make([]Node, 0, max(p.next, len(kids)))
	}
	start := len(p.block)
	p.block = append(p.block, kids...)
	return p.block[start:len(p.block):len(p.block)]
}

// distinct keeps the last one of members with the same name.
func distinct(kids []Node) []Node {
	if len(kids) <= many {
		for i := range kids {
			for j := i + 1; j < len(kids); j++ {
				if kids[i].Name == kids[j].Name {
					return lastOnes(kids)
				}
			}
		}
		return kids
	}
	return lastOnes(kids)
}

// lastOnes keeps each name at its first place, with its last value.
func lastOnes(kids []Node) []Node {
	at := make(map[string]int, len(kids))
	out := kids[:0]
	for _, k := range kids {
		if i, ok := at[k.Name]; ok {
			out[i] = k
			continue
		}
		at[k.Name] = len(out)
		out = append(out, k)
	}
	return out
}
