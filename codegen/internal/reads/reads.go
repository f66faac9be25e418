// Package reads describes which parts of a value a function reads, for features that generate
// decoders of only these parts.
package reads

// Tree is the part of a value that is read: all of it, some fields of a struct, or a part of each
// element of a list. The zero Tree means that only the presence of a value is read, for example to
// count the elements of a list.
type Tree struct {
	Whole  bool
	Fields map[string]*Tree // by Go names, those of embedded fields included; pointers are followed
	Elem   *Tree
}

// Field returns the tree of a field. It adds one if necessary.
func (t *Tree) Field(name string) *Tree {
	if t.Fields == nil {
		t.Fields = map[string]*Tree{}
	}
	if t.Fields[name] == nil {
		t.Fields[name] = &Tree{}
	}
	return t.Fields[name]
}

// Element returns the tree of the elements of a list. It adds one if necessary.
func (t *Tree) Element() *Tree {
	if t.Elem == nil {
		t.Elem = &Tree{}
	}
	return t.Elem
}

// Empty reports whether only the presence of the value is read.
func (t *Tree) Empty() bool { return !t.Whole && len(t.Fields) == 0 && t.Elem == nil }

// Add merges another tree into t.
func (t *Tree) Add(other *Tree) {
	t.Whole = t.Whole || other.Whole
	for name, below := range other.Fields {
		t.Field(name).Add(below)
	}
	if other.Elem != nil {
		t.Element().Add(other.Elem)
	}
}
