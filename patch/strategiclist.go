package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// list merges a list of a patch into one of the document.
func (s *strategic) list(doc, patch *tree.Node, f *structure.Field) error {
	doc.Open()
	if len(doc.Kids) == 0 && len(patch.Kids) == 0 {
		return nil
	}
	if err := s.spendElements(len(doc.Kids) + len(patch.Kids)); err != nil {
		return err
	}
	if err := sameKinds(doc.Kids, patch.Kids); err != nil {
		return err
	}
	var keys [fewKeys]string
	had := newIndex(doc.Kids, f.MergeKey, keys[:0])
	doc.Touch()
	merged, want, err := s.elements(doc.Kids, patch.Kids, f)
	if err != nil {
		return err
	}
	doc.Kids, err = arranged(merged, want, &had)
	return err
}

// elements returns the elements of a list merged with those of a patch, and the elements of the
// patch that are not directives. It may change the list and its elements.
func (s *strategic) elements(doc, patch []tree.Node, f *structure.Field) (merged, want []tree.Node, err error) {
	if len(patch) > 0 && patch[0].Kind != tree.Object || len(doc) > 0 && doc[0].Kind != tree.Object {
		return scalars(doc, patch), patch, nil
	}
	if f.MergeKey == "" {
		return nil, nil, located(ErrWrongType, "the objects of this list have no merge key: they cannot be merged")
	}
	want, replace, err := s.elementDirectives(&doc, patch, f.MergeKey)
	if err != nil || replace {
		return want, want, err
	}
	var keys [fewKeys]string
	at := newIndex(doc, f.MergeKey, keys[:0])
	for i := range patch {
		k := &patch[i]
		if member(k, patchDirective) != nil {
			continue // has been applied
		}
		if member(k, f.MergeKey) == nil {
			return nil, nil, atElement(noKey(f.MergeKey), i)
		}
		if j := at.find(k); j >= 0 {
			if err := s.object(&doc[j], k, f.Type.Element()); err != nil {
				return nil, nil, atElement(err, i)
			}
			continue
		}
		added, _ := withoutDirectives(k)
		doc = append(doc, added)
		at.add(&doc[len(doc)-1])
	}
	return doc, want, nil
}

func noKey(key string) error {
	return located(ErrMissing, "the element lacks "+strconv.Quote(key)+
		", by which the elements of this list are told apart")
}

// elementDirectives applies the directives among the elements of a patch. It returns the other
// elements, and whether they replace the list.
func (s *strategic) elementDirectives(doc *[]tree.Node, patch []tree.Node, key string) (want []tree.Node, replace bool,
	err error,
) {
	var gone []tree.Node
	for i := range patch {
		k := &patch[i]
		d := member(k, patchDirective)
		switch {
		case d == nil:
			if want == nil {
				want = make([]tree.Node, 0, len(patch)-i)
			}
			want = append(want, *k)
		case d.Kind == tree.String && d.Str() == "replace":
			replace = true
		case d.Kind == tree.String && d.Str() == "delete":
			if member(k, key) == nil {
				return nil, false, atElement(noKey(key), i)
			}
			gone = append(gone, *k)
		default:
			return nil, false, atElement(located(ErrSyntax, "unknown directive "+excerpt(d)+
				`, expected "replace" or "delete"`), i)
		}
	}
	if replace {
		for i := range want {
			want[i] = want[i].Sealed()
		}
		return want, true, nil
	}
	if len(gone) > 0 {
		lost := newIndex(gone, key, nil)
		*doc = sorted.Delete(*doc, func(k tree.Node) bool { return lost.find(&k) >= 0 })
	}
	return want, false, nil
}

// scalars returns the elements of two lists, each once.
func scalars(doc, patch []tree.Node) []tree.Node {
	out := make([]tree.Node, 0, len(doc)+len(patch))
	seen := newIndex(nil, "", nil)
	for _, list := range [][]tree.Node{doc, patch} {
		for i := range list {
			if seen.find(&list[i]) < 0 {
				out = append(out, list[i].Sealed())
				seen.add(&list[i])
			}
		}
	}
	return out
}

// sameKinds returns an error unless the elements of all lists have one kind, which is not a list.
func sameKinds(lists ...[]tree.Node) error {
	first := tree.Absent
	for _, list := range lists {
		for i := range list {
			k := list[i].Kind
			if k == tree.False {
				k = tree.True
			}
			switch {
			case k == tree.Array || k == tree.Null:
				return located(ErrWrongType, "a list that is merged cannot hold "+k.String())
			case first == tree.Absent:
				first = k
			case first != k:
				return located(ErrWrongType, "a list that is merged holds "+first.String()+" and "+k.String())
			}
		}
	}
	return nil
}

// order merges a list, if the patch has it, and puts its elements in the order of a directive.
func (s *strategic) order(doc, patch, directive *tree.Node, t *structure.Type) error {
	if directive.Kind != tree.Array {
		return located(ErrSyntax, "expected an array, found "+directive.Kind.String())
	}
	name := strings.TrimPrefix(directive.Name, orderDirective)
	f := t.Field(name)
	if f == nil {
		f = &structure.Field{Name: name}
	}
	change := member(patch, name)
	if change != nil && change.Kind != tree.Array {
		return located(ErrWrongType, "the patch sets "+schema.Quote(name)+" to "+change.Kind.String()+", not an array")
	}
	var before []tree.Node
	at := doc.Find(name)
	if at >= 0 && doc.Kids[at].Kind != tree.Null {
		if doc.Kids[at].Kind != tree.Array {
			return located(ErrWrongType, schema.Quote(name)+" is "+doc.Kids[at].Kind.String()+", not an array")
		}
		doc.Kids[at].Open()
		before = doc.Kids[at].Kids
	}
	if at < 0 && change == nil {
		return nil
	}
	if err := s.spendElements(len(before) + len(directive.Kids)); err != nil {
		return err
	}
	var keys [fewKeys]string
	had := newIndex(before, f.MergeKey, keys[:0])
	merged := before
	if change != nil {
		if err := inOrder(change.Kids, directive.Kids, f.MergeKey); err != nil {
			return err
		}
		if err := sameKinds(before, change.Kids); err != nil {
			return err
		}
		var err error
		if merged, err = s.ordered(before, change, f, at >= 0, len(directive.Kids) == 0, &had); err != nil {
			return err
		}
	}
	list, err := arranged(merged, directive.Kids, &had)
	if err != nil {
		return err
	}
	n := tree.New(tree.Array)
	n.Kids = list
	doc.Put(name, n)
	return nil
}

// ordered merges the elements of a list with those of a patch that also sets their order. It puts
// them in order only if that order is empty; otherwise the caller does.
func (s *strategic) ordered(before []tree.Node, change *tree.Node, f *structure.Field,
	exists, orderless bool, had *keyIndex,
) ([]tree.Node, error) {
	if exists && f.Merge {
		merged, want, err := s.elements(before, change.Kids, f)
		if err != nil || !orderless {
			return merged, err
		}
		return arranged(merged, want, had)
	}
	n, _ := withoutDirectives(change)
	return n.Kids, nil
}

// inOrder returns an error unless the elements of a patch are a subsequence of the order that it
// sets.
func inOrder(elements, order []tree.Node, key string) error {
	if len(elements) == 0 || len(order) == 0 {
		return nil
	}
	j := 0
	for i := range elements {
		if key != "" && member(&elements[i], patchDirective) != nil {
			continue
		}
		for j < len(order) && keyOf(&order[j], key) != keyOf(&elements[i], key) {
			j++
		}
		if j == len(order) {
			return located(ErrSyntax, "the elements of the patch do not stand in this order")
		}
		j++
	}
	return nil
}

// arranged puts elements in order: those in want in its order, the others in their previous order.
// The two sequences are merged so that elements that existed before keep their relative order.
func arranged(elements, want []tree.Node, had *keyIndex) ([]tree.Node, error) {
	key := had.key
	var keys [fewKeys]string
	wanted := newIndex(want, key, keys[:0])
	var few [2][fewKeys]ranked
	named, others := few[0][:0], few[1][:0]
	for i := range elements {
		k := &elements[i]
		name := keyOf(k, key)
		if key != "" && name == "" {
			return nil, noKey(key)
		}
		r := ranked{at: i, had: had.place(name)}
		if r.rank = wanted.place(name); r.rank >= 0 {
			named = append(named, r)
		} else {
			r.rank = r.had
			others = append(others, r)
		}
	}
	byRank := func(a, b ranked) int { return a.rank - b.rank }
	sorted.Func(named, byRank)
	sorted.Func(others, byRank)
	if len(others) == 0 && slices.IsSortedFunc(named, func(a, b ranked) int { return a.at - b.at }) {
		return elements, nil
	}
	out := make([]tree.Node, 0, len(elements))
	for len(named) > 0 || len(others) > 0 {
		if len(named) == 0 || len(others) > 0 && others[0].had >= 0 && named[0].had >= 0 &&
			others[0].had < named[0].had {
			out = append(out, elements[others[0].at])
			others = others[1:]
		} else {
			out = append(out, elements[named[0].at])
			named = named[1:]
		}
	}
	return out, nil
}

// ranked is an element with its index, its rank in the new order and its place in the previous
// list.
type ranked struct{ at, rank, had int }

// keyIndex finds the elements of a list by their key, or scalars by themselves.
type keyIndex struct {
	key  string
	keys []string
	at   map[string]int // nil for up to fewKeys elements
}

// fewKeys is the number of keys up to which a linear search is fast enough.
const fewKeys = 16

// newIndex returns an index of the elements of a list. It may use the memory of keys.
func newIndex(list []tree.Node, key string, keys []string) keyIndex {
	x := keyIndex{key: key, keys: slices.Grow(keys, len(list))}
	for i := range list {
		x.add(&list[i])
	}
	return x
}

// add adds the next element.
func (x *keyIndex) add(n *tree.Node) {
	k := keyOf(n, x.key)
	x.keys = append(x.keys, k)
	switch {
	case x.at != nil:
		if _, ok := x.at[k]; !ok {
			x.at[k] = len(x.keys) - 1
		}
	case len(x.keys) > fewKeys:
		x.at = make(map[string]int, cap(x.keys))
		for i, k := range slices.Backward(x.keys) {
			x.at[k] = i
		}
	}
}

// find returns the place of the first element with the key of another one, or -1.
func (x *keyIndex) find(n *tree.Node) int { return x.place(keyOf(n, x.key)) }

// place is like find, for a key.
func (x *keyIndex) place(k string) int {
	switch i, ok := x.at[k]; {
	case k == "":
		return -1
	case ok:
		return i
	case x.at != nil:
		return -1
	}
	return slices.Index(x.keys, k)
}

// keyOf returns a text for the key of an element: for the value of that field or, without one, for
// the scalar itself. It is blank if the element has no key.
func keyOf(n *tree.Node, key string) string {
	if key == "" {
		return n.Key()
	}
	if n.Kind != tree.Object {
		return ""
	}
	k := n.Peek(key)
	return k.Key()
}
