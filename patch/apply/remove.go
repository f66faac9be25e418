package apply

import (
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
)

// without returns a copy of an object without the fields of a set. Values that become empty are
// replaced as by [empty].
func without(n *tree.Node, s set, t *structure.Type) tree.Node {
	out := n.Clone()
	remove(&out, s, t)
	return out
}

func remove(n *tree.Node, s set, t *structure.Type) {
	switch {
	case mapped(t) && hasKids(n, tree.Object):
		n.Touch()
		for i := range n.Kids {
			k := &n.Kids[i]
			if k.Kind == tree.Absent {
				continue
			}
			at, found := s.find(element{fieldStep, k.Name})
			switch {
			case !found:
			case s[at].member:
				n.Drop(k.Name)
			case !s[at].kids.empty():
				remove(k, s[at].kids, t.Member(k.Name))
			}
		}
		if n.Len() == 0 {
			empty(n)
		}
	case keyed(t) && hasKids(n, tree.Array):
		n.Touch()
		kept := make([]tree.Node, 0, len(n.Kids))
		for i := range n.Kids {
			k := &n.Kids[i]
			e, _ := elementOf(k, t)
			at, found := s.find(e)
			if found && s[at].member {
				continue
			}
			if found {
				removeFrom(k, s[at].kids, t)
			}
			kept = append(kept, *k)
		}
		if n.Kids = kept; len(kept) == 0 {
			empty(n)
		}
	case t.Kind == structure.Scalar, t.Kind == structure.Unknown && n.Kind < tree.Array && n.Kind != tree.Null:
	default:
		empty(n)
	}
}

// removeFrom removes fields from an element of a keyed list, except those that identify it.
func removeFrom(n *tree.Node, s set, list *structure.Type) {
	kids := make(set, 0, len(s))
	for i := range s {
		if !slices.Contains(list.Keys, s[i].text) || hasDefault(n, list.Element().Field(s[i].text)) {
			kids = append(kids, s[i])
		}
	}
	if kids.empty() {
		return
	}
	if remove(n, kids, list.Element()); n.Kind == tree.Null {
		*n = tree.New(tree.Object) // the defaults of its keys identify it
	}
}

// hasDefault reports whether a member of an object has the default of its field, or none.
func hasDefault(n *tree.Node, f *structure.Field) bool {
	if f == nil || f.Default == "" {
		return false
	}
	k, d := n.Get(f.Name), tree.Sound(f.Default)
	return k == nil || tree.Equal(k, &d)
}

// empty replaces a value by a null that counts as a field until [dropEmptied] removes it.
func empty(n *tree.Node) {
	name := n.Name
	*n = tree.New(tree.Null)
	n.Name = name
}

// dropEmptied removes the members and elements that were emptied.
func dropEmptied(n *tree.Node) {
	if !n.Touched() || !n.Container() {
		return
	}
	emptied := func(k tree.Node) bool { return k.Kind == tree.Null && k.Touched() }
	if n.Kind == tree.Array {
		n.Kids = sorted.Delete(n.Kids, emptied)
	}
	for i := range n.Kids {
		k := &n.Kids[i]
		if emptied(*k) {
			n.Drop(k.Name)
			continue
		}
		dropEmptied(k)
	}
}
