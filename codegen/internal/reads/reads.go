// Package reads says what a function reads of a value, for the features that write decoders which
// read no more than that.
package reads

// Tree is what is read of a value: all of it, some fields of a struct, or something of each element
// of a list. The zero Tree is of a value of which nothing is read but that it is there, as of the
// elements of a list that are counted.
type Tree struct {
	Whole  bool
	Fields map[string]*Tree // by Go names, those of embedded fields included; pointers are followed
	Elem   *Tree
}

// Field returns the tree of a field, which is added if it is not there.
func (t *Tree) Field(name string) *Tree {
	if t.Fields == nil {
		t.Fields = map[string]*Tree{}
	}
	if t.Fields[name] == nil {
		t.Fields[name] = &Tree{}
	}
	return t.Fields[name]
}

// Element returns the tree of the elements of a list, which is added if it is not there.
func (t *Tree) Element() *Tree {
	if t.Elem == nil {
		t.Elem = &Tree{}
	}
	return t.Elem
}

// Empty reports whether nothing is read but that the value is there.
func (t *Tree) Empty() bool { return !t.Whole && len(t.Fields) == 0 && t.Elem == nil }

// Add adds what another tree has.
func (t *Tree) Add(other *Tree) {
	t.Whole = t.Whole || other.Whole
	for name, below := range other.Fields {
		t.Field(name).Add(below)
	}
	if other.Elem != nil {
		t.Element().Add(other.Elem)
	}
}
