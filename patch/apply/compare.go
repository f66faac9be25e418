package apply

import (
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
)

// changes are the fields in which two objects differ.
type changes struct{ added, modified, removed set }

// what is how a value itself differs.
type what uint8

const (
	same what = iota
	added
	modified
	removed
	replaced // removed and added
)

// add adds the changes of an element. After all elements have been added, the caller must call
// [changes.sort].
func (c *changes) add(e element, self what, below changes) {
	enter := func(to *set, member bool, kids set) {
		if member || len(kids) > 0 {
			*to = append(*to, item{e, member, kids})
		}
	}
	enter(&c.added, self == added || self == replaced, below.added)
	enter(&c.modified, self == modified, below.modified)
	enter(&c.removed, self == removed || self == replaced, below.removed)
}

func (c *changes) sort() {
	c.added, c.modified, c.removed = ordered(c.added), ordered(c.modified), ordered(c.removed)
}

// compare returns the fields in which two objects differ.
func compare(before, after *tree.Node, t *structure.Type) changes {
	_, below := differ(before, after, t)
	return below
}

// differ compares two values, of which one may be nil.
func differ(l, r *tree.Node, t *structure.Type) (self what, below changes) {
	self = presence(l, r)
	leaf := true // one of the values has no fields
	switch {
	case mapped(t) && (hasKids(l, tree.Object) || hasKids(r, tree.Object)):
		below = differMembers(l, r, t)
		leaf = plain(l, tree.Object) || plain(r, tree.Object)
	case keyed(t) && (hasKids(l, tree.Array) || hasKids(r, tree.Array)):
		before, okBefore := group(l, t)
		after, okAfter := group(r, t)
		below = differElements(before, after, t)
		leaf = !okBefore || !okAfter
	}
	if self == same && leaf && !tree.Equal(l, r) {
		self = modified
	}
	return self, below
}

func presence(l, r *tree.Node) what {
	switch {
	case l == nil:
		return added
	case r == nil:
		return removed
	}
	return same
}

// hasKids opens a value and reports whether it has a kind and is not empty.
func hasKids(n *tree.Node, k tree.Kind) bool {
	if n == nil || n.Kind != k {
		return false
	}
	n.Open()
	return n.Len() > 0
}

// plain reports whether a value is neither of a kind nor null.
func plain(n *tree.Node, k tree.Kind) bool { return n != nil && n.Kind != k && n.Kind != tree.Null }

func differMembers(l, r *tree.Node, t *structure.Type) (out changes) {
	for _, n := range [][2]*tree.Node{{l, r}, {r, l}} {
		if !hasKids(n[0], tree.Object) {
			continue
		}
		for i := range n[0].Kids {
			k := &n[0].Kids[i]
			if k.Kind == tree.Absent {
				continue
			}
			other := memberOf(n[1], k.Name)
			a, b := k, other
			if n[0] != l {
				if other != nil {
					continue // has been compared
				}
				a, b = other, k
			}
			if a != nil && b != nil && unchanged(a, b) {
				continue
			}
			self, below := differ(a, b, t.Member(k.Name))
			out.add(element{fieldStep, k.Name}, self, below)
		}
	}
	out.sort()
	return out
}

// unchanged reports whether two values have the same text.
func unchanged(a, b *tree.Node) bool { return a.Text() != "" && a.Text() == b.Text() }

func memberOf(n *tree.Node, name string) *tree.Node {
	if n == nil || n.Kind != tree.Object {
		return nil
	}
	return n.Get(name)
}

// differElements compares keyed lists. Elements with the same key are compared together.
func differElements(before, after groups, t *structure.Type) (out changes) {
	for _, e := range before.order {
		self, below := differGroups(before.elements[e], after.elements[e], t.Element())
		out.add(e, self, below)
	}
	for _, e := range after.order {
		if before.elements[e] == nil {
			self, below := differGroups(nil, after.elements[e], t.Element())
			out.add(e, self, below)
		}
	}
	out.sort()
	return out
}

// groups are the elements of a keyed list by their keys.
type groups struct {
	order    []element
	elements map[element][]*tree.Node
}

// group returns the elements of a list. It reports false for a value that is not a list, or has
// elements without keys.
func group(n *tree.Node, t *structure.Type) (g groups, ok bool) {
	if n == nil || n.Kind != tree.Array {
		return g, !plain(n, tree.Array)
	}
	n.Open()
	g.elements = make(map[element][]*tree.Node, len(n.Kids))
	for i := range n.Kids {
		e, err := elementOf(&n.Kids[i], t)
		if err != nil {
			return groups{}, false
		}
		if g.elements[e] == nil {
			g.order = append(g.order, e)
		}
		g.elements[e] = append(g.elements[e], &n.Kids[i])
	}
	return g, true
}

// differGroups compares all elements with one key. Elements that occur more than once have no
// fields of their own.
func differGroups(l, r []*tree.Node, t *structure.Type) (self what, below changes) {
	first := func(list []*tree.Node) *tree.Node {
		if len(list) == 0 {
			return nil
		}
		return list[0]
	}
	switch {
	case len(l) <= 1 && len(r) <= 1:
		a, b := first(l), first(r)
		if a != nil && b != nil && unchanged(a, b) {
			return same, below
		}
		return differ(a, b, t)
	case len(l) >= 2 && len(r) >= 2:
		for i := range l {
			if len(l) != len(r) || !tree.Equal(l[i], r[i]) {
				return modified, below
			}
		}
		return same, below
	case len(l) == 0:
		return added, below
	case len(r) == 0:
		return removed, below
	case len(l) >= 2:
		_, below = differ(nil, r[0], t)
	default:
		_, below = differ(l[0], nil, t)
	}
	return replaced, below
}
