package format

import "strings"

// FieldTree is a set of fields of a document, for formats that read only those fields. It is
// immutable; nil is the tree of a whole value.
type FieldTree struct {
	names map[string]*FieldTree
	each  *FieldTree // of the elements of a list; nil if they are whole
	list  bool       // the value may be a list whose elements have fields
}

// NewFieldTree returns the tree of the paths, in the notation of [runtime.Partial]: names separated
// by dots, and [*] for all elements of a list. A path includes everything below it, and a blank
// path includes everything.
func NewFieldTree(paths ...string) *FieldTree {
	t := &FieldTree{}
	for _, path := range paths {
		if t = t.with(path); t == nil {
			return nil
		}
	}
	return t
}

// with adds a path to a tree that is under construction.
func (t *FieldTree) with(path string) *FieldTree {
	if t == nil || path == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(path, "[*]"); ok {
		if !t.list {
			t.list, t.each = true, &FieldTree{}
		}
		t.each = t.each.with(strings.TrimPrefix(rest, "."))
		return t
	}
	end := strings.IndexAny(path, ".[")
	if end == 0 {
		return nil // not a path; the whole value has whatever it means
	}
	if end < 0 {
		end = len(path)
	}
	name, rest := path[:end], strings.TrimPrefix(path[end:], ".")
	below, ok := t.names[name]
	if !ok {
		below = &FieldTree{}
	}
	if t.names == nil {
		t.names = map[string]*FieldTree{}
	}
	t.names[name] = below.with(rest)
	return t
}

// Whole reports whether the tree includes the whole value.
func (t *FieldTree) Whole() bool { return t == nil }

// Member returns the tree of a member of an object, and whether the tree includes it. The name is
// not retained.
func (t *FieldTree) Member(name []byte) (*FieldTree, bool) {
	if t == nil {
		return nil, true
	}
	below, ok := t.names[string(name)]
	return below, ok
}

// Element returns the tree of the elements of a list, and whether the tree includes them.
func (t *FieldTree) Element() (*FieldTree, bool) {
	if t == nil {
		return nil, true
	}
	return t.each, t.list
}
