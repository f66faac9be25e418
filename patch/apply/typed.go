package apply

import (
	"errors"
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// mapped reports whether objects of a type are merged member by member.
func mapped(t *structure.Type) bool {
	return !t.Atomic && (t.Kind == structure.Struct || t.Kind == structure.Map || t.Kind == structure.Unknown)
}

// keyed reports whether values of a type are lists that are merged element by element.
func keyed(t *structure.Type) bool {
	return t.Kind == structure.List && (t.Set || len(t.Keys) > 0)
}

// elementOf returns the element that leads to an element of a keyed list.
func elementOf(n *tree.Node, t *structure.Type) (element, error) {
	if len(t.Keys) == 0 {
		switch n.Kind {
		case tree.Object, tree.Array, tree.Null:
			return element{}, errors.New("a set holds scalars, found " + n.Kind.String())
		}
		return element{valueStep, string(appendScalar(nil, n))}, nil
	}
	if n.Kind != tree.Object {
		return element{}, errors.New("expected an object, found " + n.Kind.String())
	}
	n.Open()
	var few [4]tree.Node
	kids := few[:0]
	for _, key := range t.Keys {
		if i := n.Find(key); i >= 0 {
			kids = append(kids, n.Kids[i])
		} else if f := t.Element().Field(key); f != nil && f.Default != "" {
			k := tree.Sound(f.Default)
			k.Name = key
			kids = append(kids, k)
		}
	}
	if len(kids) == 0 {
		return element{}, errors.New("the element lacks all keys of the list: " + quotedList(t.Keys))
	}
	sorted.Func(kids, byName)
	var buf [128]byte
	return element{keyStep, string(appendKeys(buf[:0], kids))}, nil
}

func quotedList(names []string) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(name)
	}
	return text
}

// sameKeys reports whether two elements of keyed lists certainly have the same keys.
func sameKeys(a, b *tree.Node, t *structure.Type) bool {
	if len(t.Keys) == 0 {
		return a.Key() != "" && a.Key() == b.Key()
	}
	if a.Kind != tree.Object || b.Kind != tree.Object {
		return false
	}
	a.Open()
	b.Open()
	for _, key := range t.Keys {
		i, j := a.Find(key), b.Find(key)
		if i < 0 || j < 0 || a.Kids[i].Key() == "" || a.Kids[i].Key() != b.Kids[j].Key() {
			return false
		}
	}
	return true
}

// setOf returns the fields of an object: leaves, elements of lists, and members of maps. A value
// that does not have the structure of its type is a leaf, as if it were replaced as a whole.
func setOf(n *tree.Node, t *structure.Type) set {
	s, _, _ := (&setMaker{}).fieldsOf(n, t) // there are no errors unless it is strict
	return s
}

// strictSetOf is setOf for a configuration, which must have the structure of its type, with unique
// keys in each list.
func strictSetOf(n *tree.Node, t *structure.Type) (set, error) {
	s, _, err := (&setMaker{strict: true}).fieldsOf(n, t)
	return s, err
}

// setMaker creates a set whose parts share blocks of memory.
type setMaker struct {
	strict bool
	block  []item
}

// room returns an empty set with capacity for n items.
func (m *setMaker) room(n int) set {
	if n > 64 {
		return make(set, 0, n)
	}
	if cap(m.block)-len(m.block) < n {
		m.block = make([]item, 0, 128)
	}
	start := len(m.block)
	m.block = m.block[:start+n]
	return m.block[start : start : start+n]
}

// fieldsOf returns the fields below a value, and whether the value itself is a field.
func (m *setMaker) fieldsOf(n *tree.Node, t *structure.Type) (below set, self bool, err error) {
	switch {
	case mapped(t) && n.Kind == tree.Object:
		below, err = m.membersOf(n, t)
		return below, false, err
	case mapped(t) && n.Kind == tree.Null, keyed(t) && n.Kind == tree.Null:
		return nil, false, nil
	case keyed(t) && n.Kind == tree.Array:
		if below, err = m.elementsOf(n, t); err == nil || m.strict {
			return below, false, err
		}
	case m.strict && !fits(n, t):
		return nil, false, mismatch(n, t)
	}
	return nil, true, nil
}

// fits reports whether a value can be of a type.
func fits(n *tree.Node, t *structure.Type) bool {
	switch t.Kind {
	case structure.Struct, structure.Map:
		return n.Kind == tree.Object || n.Kind == tree.Null
	case structure.List:
		return n.Kind == tree.Array || n.Kind == tree.Null
	}
	return true
}

func mismatch(n *tree.Node, t *structure.Type) error {
	want := "an object"
	if t.Kind == structure.List {
		want = "an array"
	}
	return errors.New("expected " + want + ", found " + n.Kind.String())
}

func (m *setMaker) membersOf(n *tree.Node, t *structure.Type) (set, error) {
	n.Open()
	out := m.room(len(n.Kids))
	for i := range n.Kids {
		k := &n.Kids[i]
		if k.Kind == tree.Absent {
			continue
		}
		below, self, err := m.fieldsOf(k, t.Member(k.Name))
		if err != nil {
			return nil, schema.AtField(err, k.Name)
		}
		if k.Kind == tree.Object {
			k.Open()
		}
		self = self || t.Field(k.Name) == nil || k.Kind == tree.Null || k.Kind == tree.Object && k.Len() == 0
		if self || len(below) > 0 {
			out = append(out, item{element{fieldStep, k.Name}, self, below})
		}
	}
	sorted.Func(out, byElement)
	return out, nil
}

func (m *setMaker) elementsOf(n *tree.Node, t *structure.Type) (set, error) {
	n.Open()
	out := m.room(len(n.Kids))
	for i := range n.Kids {
		k := &n.Kids[i]
		e, err := elementOf(k, t)
		if err != nil {
			return nil, schema.AtIndex(err, i)
		}
		below, _, err := m.fieldsOf(k, t.Element())
		if err != nil {
			return nil, schema.AtIndex(err, i)
		}
		out = append(out, item{e, true, below})
	}
	sorted.Func(out, byElement)
	// Elements that occur more than once are one field.
	once := out[:0]
	for i := range out {
		if last := len(once) - 1; last >= 0 && once[last].compare(out[i].element) == 0 {
			if m.strict {
				return nil, errors.New("the list has the element " +
					schema.Shorten(string(out[i].appendPath(nil)), maxCause) + " twice")
			}
			once[last].kids = nil
			continue
		}
		once = append(once, out[i])
	}
	return once, nil
}

// named returns a set in which known fields of structs are members if the set has fields below
// them.
func (s set) named(t *structure.Type) set {
	out := make(set, len(s))
	for i := range s {
		it := s[i]
		below := structure.Deduced
		switch {
		case it.kind == fieldStep:
			below = t.Member(it.text)
			it.member = it.member || len(it.kids) > 0 && t.Field(it.text) != nil
		case it.kind == keyStep:
			below = t.Element()
		}
		it.kids = it.kids.named(below)
		out[i] = it
	}
	return out
}

// reconciled returns a set for a changed structure: fields inside of values that are now replaced
// as a whole, or cannot have such fields any more, become those values.
func (s set) reconciled(t *structure.Type) set {
	if t.Kind == structure.Unknown {
		return s
	}
	var out set
	for i := range s {
		it := s[i]
		if len(it.kids) == 0 {
			continue
		}
		below := t.Element()
		if it.kind == fieldStep {
			below = t.Member(it.text)
		}
		atomic := below.Atomic || below.Kind == structure.List && !keyed(below) || !it.kids.within(below)
		kids := it.kids
		if atomic {
			kids = nil
		} else {
			kids = kids.reconciled(below)
		}
		if len(kids) == len(it.kids) && (len(kids) == 0 || &kids[0] == &it.kids[0]) {
			continue
		}
		if out == nil {
			out = slices.Clone(s)
		}
		out[i].kids, out[i].member = kids, it.member || atomic
	}
	if out == nil {
		return s
	}
	return out
}

// within reports whether values of a type can have the fields of a set.
func (s set) within(t *structure.Type) bool {
	for i := range s {
		kind := s[i].kind
		switch {
		case t.Kind == structure.Scalar, keyed(t) && kind == fieldStep,
			t.Set && kind == keyStep, len(t.Keys) > 0 && kind == valueStep,
			(t.Kind == structure.Struct || t.Kind == structure.Map) && kind != fieldStep:
			return false
		}
	}
	return true
}
