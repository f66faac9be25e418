package tree

import (
	"errors"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

var errDepth = errors.New("the value nests too deep")

// Append appends the JSON of the node to dst.
func (n *Node) Append(dst []byte) []byte {
	if n.text != "" && !n.touched {
		return append(dst, n.text...)
	}
	if !n.open {
		if s, ok := n.origin.(string); ok {
			return jsonwire.AppendString(dst, s)
		}
		n.Open()
	}
	if n.Kind < Array {
		return append(dst, "null"...)
	}
	if n.Kind == Array {
		dst = append(dst, '[')
		for i := range n.Kids {
			dst = jsonwire.AppendComma(dst, i)
			dst = n.Kids[i].Append(dst)
		}
		return append(dst, ']')
	}
	open := byte('{')
	for i := range n.Kids {
		k := &n.Kids[i]
		if k.Kind == Absent {
			continue
		}
		dst = append(dst, open)
		dst = jsonwire.AppendString(dst, k.Name)
		dst = append(dst, ':')
		dst = k.Append(dst)
		open = ','
	}
	if open == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// Sealed returns the node with its content as text, so that copies of it share nothing mutable.
func (n *Node) Sealed() Node {
	if !n.touched && (n.text != "" || n.origin != nil) {
		return Node{Name: n.Name, text: n.text, origin: n.value(), Kind: n.Kind}
	}
	return Node{Name: n.Name, text: string(n.Append(nil)), Kind: n.Kind}
}

// Sort sorts the members of an open object by name and drops those that were removed.
func (n *Node) Sort() {
	n.Kids = sorted.Delete(n.Kids, func(k Node) bool { return k.Kind == Absent })
	sorted.Func(n.Kids, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	n.index = nil
	n.touched = true
}

// Depth returns the nesting depth of the node: 0 for a scalar.
func (n *Node) Depth() int {
	if n.Kind < Array {
		return 0
	}
	if n.text != "" && !n.touched {
		return textDepth(n.text)
	}
	n.Open()
	deepest := 0
	for i := range n.Kids {
		deepest = max(deepest, n.Kids[i].Depth())
	}
	return deepest + 1
}

func textDepth(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
