package apply

import (
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// merge merges a configuration into a value and reports whether that changes it. The value then
// shares parts with the configuration.
func merge(l, r *tree.Node, t *structure.Type) (changed bool, err error) {
	switch {
	case !fits(r, t):
		return false, mismatch(r, t)
	case mapped(t) && r.Kind == tree.Object && hasKids(l, tree.Object):
		return mergeMembers(l, r, t)
	case mapped(t) && r.Kind == tree.Null && hasKids(l, tree.Object), keyed(t) && r.Kind == tree.Null &&
		hasKids(l, tree.Array):
		return false, nil
	case keyed(t) && r.Kind == tree.Array && hasKids(l, tree.Array):
		if !hasKids(r, tree.Array) {
			return false, nil
		}
		return mergeElements(l, r, t)
	case tree.Equal(l, r):
		return false, nil
	}
	name := l.Name
	*l = *r
	l.Name = name
	return true, nil
}

func mergeMembers(l, r *tree.Node, t *structure.Type) (changed bool, err error) {
	r.Open()
	for i := range r.Kids {
		k := &r.Kids[i]
		at := l.Find(k.Name)
		if at < 0 {
			l.Put(k.Name, *k)
			changed = true
			continue
		}
		c, err := merge(&l.Kids[at], k, t.Member(k.Name))
		if err != nil {
			return false, schema.AtField(err, k.Name)
		}
		changed = changed || c
	}
	if changed {
		l.Touch()
	}
	return changed, nil
}

// keyedList is a list with the keys of its elements.
type keyedList struct {
	nodes []tree.Node
	keys  []element
	at    map[element]int // the place of each key, -1 if the list has it more than once
}

func keys(n *tree.Node, t *structure.Type) (k keyedList, err error) {
	n.Open()
	k = keyedList{nodes: n.Kids, keys: make([]element, len(n.Kids)), at: make(map[element]int, len(n.Kids))}
	for i := range n.Kids {
		e, err := elementOf(&n.Kids[i], t)
		if err != nil {
			return k, schema.AtIndex(err, i)
		}
		if _, ok := k.at[e]; ok {
			k.at[e] = -1
		} else {
			k.at[e] = i
		}
		k.keys[i] = e
	}
	return k, nil
}

func (k *keyedList) has(e element) bool {
	_, ok := k.at[e]
	return ok
}

// mergePairs merges keyed lists that have the same keys in the same order. For other lists it
// reports false and changes nothing.
func mergePairs(l, r *tree.Node, t *structure.Type) (changed, done bool, err error) {
	if len(l.Kids) != len(r.Kids) {
		return false, false, nil
	}
	for i := range l.Kids {
		if !sameKeys(&l.Kids[i], &r.Kids[i], t) {
			return false, false, nil
		}
	}
	for i := range l.Kids {
		c, err := merge(&l.Kids[i], &r.Kids[i], t.Element())
		if err != nil {
			return false, true, schema.AtIndex(err, i)
		}
		changed = changed || c
	}
	if changed {
		l.Touch()
	}
	return changed, true, nil
}

// mergeElements merges keyed lists. Elements of the configuration are in its order. An element that
// only the value has stays before the shared element that followed it.
func mergeElements(l, r *tree.Node, t *structure.Type) (changed bool, err error) {
	if changed, done, err := mergePairs(l, r, t); done || err != nil {
		return changed, err
	}
	left, err := keys(l, t)
	if err != nil {
		return false, err
	}
	right, err := keys(r, t)
	if err != nil {
		return false, err
	}
	m := elementMerger{
		t: t, left: left, right: right,
		out: make([]tree.Node, 0, max(len(left.nodes), len(right.nodes))), merged: map[element]bool{},
	}
	for _, e := range right.keys {
		if left.has(e) {
			m.shared = append(m.shared, e)
		}
	}
	if err := m.run(); err != nil {
		return false, err
	}
	for i := range m.order {
		m.changed = m.changed || m.order[i] != i
	}
	if m.changed {
		l.Kids = m.out
		l.Touch()
		return true, nil
	}
	return false, nil
}

type elementMerger struct {
	t           *structure.Type
	left, right keyedList
	shared      []element // the shared elements not merged so far, in the order of the right
	merged      map[element]bool
	out         []tree.Node
	order       []int // the index on the left of each element of out, or -1
	changed     bool
}

func (m *elementMerger) run() error {
	for i, j := 0, 0; i < len(m.left.keys) || j < len(m.right.keys); {
		if i < len(m.left.keys) && j < len(m.right.keys) {
			e := m.left.keys[i]
			if e == m.right.keys[j] {
				if err := m.take(j); err != nil {
					return err
				}
				m.next()
				i, j = i+1, j+1
				continue
			}
			if m.right.has(e) && len(m.shared) > 0 && m.shared[0] != e {
				i++ // comes later
				continue
			}
		}
		if i < len(m.left.keys) {
			e := m.left.keys[i]
			if !m.right.has(e) {
				m.out = append(m.out, m.left.nodes[i])
				m.order = append(m.order, i)
				i++
				continue
			}
			if m.merged[e] {
				i++
			}
		}
		if j < len(m.right.keys) {
			e := m.right.keys[j]
			if err := m.take(j); err != nil {
				return err
			}
			j++
			if len(m.shared) > 0 && m.shared[0] == e {
				m.next()
			}
		}
	}
	return nil
}

func (m *elementMerger) next() {
	if len(m.shared) > 0 {
		m.shared = m.shared[1:]
	}
}

// take appends an element of the right, merged with that of the left if it exists.
func (m *elementMerger) take(j int) error {
	e := m.right.keys[j]
	m.merged[e] = true
	i, ok := m.left.at[e]
	if !ok || i < 0 {
		m.out = append(m.out, m.right.nodes[j])
		m.order = append(m.order, -1)
		return nil
	}
	n := m.left.nodes[i]
	changed, err := merge(&n, &m.right.nodes[j], m.t.Element())
	if err != nil {
		return schema.AtIndex(err, j)
	}
	m.changed = m.changed || changed
	m.out = append(m.out, n)
	m.order = append(m.order, i)
	return nil
}
