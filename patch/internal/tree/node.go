// Package tree holds a JSON value as a tree that is opened level by level, so that changing a few
// fields of a large document costs no more than reading the levels above them. A value that is not
// open keeps its original text, which is copied when the value is written.
//
// A [Node] is made from a text by [Parse] or from a Go value by [Of]. Its children exist once it
// has been opened. Code that changes the children of a node calls [Node.Touch] on it and on all
// nodes above it, so that the text is rebuilt.
package tree

import (
	"strings"

	"github.com/askind/askind/wire/jsonwire"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. The zero Node and removed members are Absent.
const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

// String returns the kind with its article, for messages.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Node is one value of a document. A copy of a node that is not open, or whose children do not
// change, is independent of the original.
type Node struct {
	// Name is the name of the member, if the node is in an object.
	Name string
	// Kids are the elements of an array or the members of an object, once the node is open. Members
	// whose Kind is Absent were removed.
	Kids []Node

	text    string         // the JSON of the value, if it was parsed
	origin  any            // the Go value, or the *extents of a long text
	index   map[string]int // the members by name; nil for few members
	place   int32          // of the node in the extents
	Kind    Kind
	open    bool // Kids are the content
	touched bool // text and value are outdated
}

// many is the number of members above which an object has an index.
const many = 16

// New returns an open node without children.
func New(k Kind) Node { return Node{Kind: k, open: true, touched: true} }

// Container reports whether the node has children.
func (n *Node) Container() bool { return n.Kind >= Array }

// Touch records that the node or a node below it changes.
func (n *Node) Touch() { n.touched = true }

// Touched reports whether the node has been changed or was created by [New].
func (n *Node) Touched() bool { return n.touched }

// Text returns the JSON text of the node, or "" if it has none or was changed.
func (n *Node) Text() string {
	if n.touched {
		return ""
	}
	return n.text
}

// Str returns the content of a string.
func (n *Node) Str() string {
	if s, ok := n.origin.(string); ok {
		return s
	}
	return unquote(n.text)
}

// unquote returns the content of a string from its JSON.
func unquote(text string) string {
	if len(text) < 2 {
		return ""
	}
	text = text[1 : len(text)-1]
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return string(jsonwire.AppendUnescaped(nil, []byte(text)))
}

// Find returns the index of a member of an open object, or -1.
func (n *Node) Find(name string) int {
	if len(n.Kids) <= many {
		for i := range n.Kids {
			if k := &n.Kids[i]; k.Name == name && k.Kind != Absent {
				return i
			}
		}
		return -1
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.Kids))
		for i := range n.Kids {
			if n.Kids[i].Kind != Absent {
				n.index[n.Kids[i].Name] = i
			}
		}
	}
	if i, ok := n.index[name]; ok {
		return i
	}
	return -1
}

// Get opens the node and returns a member of it, or nil.
func (n *Node) Get(name string) *Node {
	if n.Kind != Object {
		return nil
	}
	n.Open()
	if i := n.Find(name); i >= 0 {
		return &n.Kids[i]
	}
	return nil
}

// Put sets a member of an open object and returns it. It touches the node.
func (n *Node) Put(name string, value Node) *Node {
	value.Name = name
	n.touched = true
	if i := n.Find(name); i >= 0 {
		n.Kids[i] = value
		return &n.Kids[i]
	}
	if n.index != nil {
		n.index[name] = len(n.Kids)
	}
	n.Kids = append(n.Kids, value)
	return &n.Kids[len(n.Kids)-1]
}

// Drop removes a member of an open object. If it existed, Drop touches the node.
func (n *Node) Drop(name string) {
	if i := n.Find(name); i >= 0 {
		n.touched = true
		n.Kids[i] = Node{Name: name}
		delete(n.index, name)
	}
}

// Len returns the number of children of an open node.
func (n *Node) Len() int {
	count := 0
	for i := range n.Kids {
		if n.Kids[i].Kind != Absent {
			count++
		}
	}
	return count
}

// Size returns the approximate length of the text of the node.
func (n *Node) Size() int {
	if !n.touched && n.text != "" {
		return len(n.text)
	}
	if !n.open {
		return sizeOf(n.origin)
	}
	size := 2
	for i := range n.Kids {
		size += len(n.Kids[i].Name) + 4 + n.Kids[i].Size()
	}
	return size
}

// Clone returns a copy of the node. Changing one does not change the other.
func (n *Node) Clone() Node {
	c := *n
	c.index = nil
	if n.open {
		c.Kids = make([]Node, len(n.Kids))
		for i := range n.Kids {
			c.Kids[i] = n.Kids[i].Clone()
		}
	}
	return c
}
