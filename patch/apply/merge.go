package apply

import (
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
)

// merge merges a configuration, which has the structure of its type, into a value and reports
// whether that changes it. The value then shares parts with the configuration.
func merge(l, r *tree.Node, t *structure.Type) (changed bool) {
	switch {
	case mapped(t) && r.Kind == tree.Object && hasKids(l, tree.Object):
		return mergeMembers(l, r, t)
	case mapped(t) && r.Kind == tree.Null && hasKids(l, tree.Object), keyed(t) && r.Kind == tree.Null &&
		hasKids(l, tree.Array):
		return false
	case keyed(t) && r.Kind == tree.Array && hasKids(l, tree.Array):
		if !hasKids(r, tree.Array) {
			return false
		}
		if changed, ok := mergeElements(l, r, t); ok {
			return changed
		}
	case tree.Equal(l, r):
		return false
	}
	name := l.Name
	*l = *r
	l.Name = name
	return true
}

func mergeMembers(l, r *tree.Node, t *structure.Type) (changed bool) {
	r.Open()
	for i := range r.Kids {
		k := &r.Kids[i]
		at := l.Find(k.Name)
		if at < 0 {
			l.Put(k.Name, *k)
			changed = true
			continue
		}
		changed = merge(&l.Kids[at], k, t.Member(k.Name)) || changed
	}
	if changed {
		l.Touch()
	}
	return changed
}

// keyedList is a list with the keys of its elements.
type keyedList struct {
	nodes []tree.Node
	keys  []element
	at    map[element]int // the place of each key, -1 if the list has it more than once
}

// keys reports false for a list that has elements without keys.
func keys(n *tree.Node, t *structure.Type) (k keyedList, ok bool) {
	n.Open()
	k = keyedList{nodes: n.Kids, keys: make([]element, len(n.Kids)), at: make(map[element]int, len(n.Kids))}
	for i := range n.Kids {
		e, err := elementOf(&n.Kids[i], t)
		if err != nil {
			return k, false
		}
		if _, ok := k.at[e]; ok {
			k.at[e] = -1
		} else {
			k.at[e] = i
		}
		k.keys[i] = e
	}
	return k, true
}

func (k *keyedList) has(e element) bool {
	_, ok := k.at[e]
	return ok
}

// mergePairs merges keyed lists that have the same keys in the same order. For other lists it
// reports false and changes nothing.
func mergePairs(l, r *tree.Node, t *structure.Type) (changed, done bool) {
	if len(l.Kids) != len(r.Kids) {
		return false, false
	}
	for i := range l.Kids {
		if !sameKeys(&l.Kids[i], &r.Kids[i], t) {
			return false, false
		}
	}
	for i := range l.Kids {
		changed = merge(&l.Kids[i], &r.Kids[i], t.Element()) || changed
	}
	if changed {
		l.Touch()
	}
	return changed, true
}

// mergeElements merges keyed lists. Elements of the configuration are in its order. An element that
// only the value has stays before the shared element that followed it. It reports false, and
// changes nothing, if the value has elements without keys.
func mergeElements(l, r *tree.Node, t *structure.Type) (changed, ok bool) {
	if changed, done := mergePairs(l, r, t); done {
		return changed, true
	}
	left, ok := keys(l, t)
	if !ok {
		return false, false
	}
	right, _ := keys(r, t)
	m := elementMerger{
		t: t, left: left, right: right,
		out: make([]tree.Node, 0, max(len(left.nodes), len(right.nodes))), merged: map[element]bool{},
	}
	for _, e := range right.keys {
		if left.has(e) {
			m.shared = append(m.shared, e)
		}
	}
	m.run()
	for i := range m.order {
		m.changed = m.changed || m.order[i] != i
	}
	if m.changed {
		l.Kids = m.out
		l.Touch()
	}
	return m.changed, true
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

func (m *elementMerger) run() {
	for i, j := 0, 0; i < len(m.left.keys) || j < len(m.right.keys); {
		if i < len(m.left.keys) && j < len(m.right.keys) {
			e := m.left.keys[i]
			if e == m.right.keys[j] {
				m.take(j)
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
			m.take(j)
			j++
			if len(m.shared) > 0 && m.shared[0] == e {
				m.next()
			}
		}
	}
}

func (m *elementMerger) next() {
	if len(m.shared) > 0 {
		m.shared = m.shared[1:]
	}
}

// take appends an element of the right, merged with that of the left if it exists.
func (m *elementMerger) take(j int) {
	e := m.right.keys[j]
	m.merged[e] = true
	i, ok := m.left.at[e]
	if !ok || i < 0 {
		m.out = append(m.out, m.right.nodes[j])
		m.order = append(m.order, -1)
		return
	}
	n := m.left.nodes[i]
	m.changed = merge(&n, &m.right.nodes[j], m.t.Element()) || m.changed
	m.out = append(m.out, n)
	m.order = append(m.order, i)
}
