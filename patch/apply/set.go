package apply

import (
	"slices"

	"github.com/askind/askind/internal/sorted"
)

// set is a set of fields, as a tree that is sorted by elements. It is immutable; sets share parts.
type set []item

// item is an element with the part of the set at and below it.
type item struct {
	element
	member bool // the set has the field itself
	kids   set
}

func byElement(a, b item) int { return a.compare(b.element) }

func (s set) find(e element) (int, bool) {
	return slices.BinarySearchFunc(s, e, func(i item, e element) int { return i.compare(e) })
}

// empty reports whether the set has no fields.
func (s set) empty() bool {
	for i := range s {
		if s[i].member || !s[i].kids.empty() {
			return false
		}
	}
	return true
}

// equal reports whether two sets have the same fields.
func (s set) equal(other set) bool { return s.minus(other).empty() && other.minus(s).empty() }

// plus returns the fields of both sets.
func (s set) plus(other set) set {
	switch {
	case len(s) == 0:
		return other
	case len(other) == 0:
		return s
	}
	out := make(set, 0, len(s)+len(other))
	for i, j := 0, 0; i < len(s) || j < len(other); {
		switch {
		case j == len(other):
			return append(out, s[i:]...)
		case i == len(s):
			return append(out, other[j:]...)
		}
		switch c := s[i].compare(other[j].element); {
		case c < 0:
			out = append(out, s[i])
			i++
		case c > 0:
			out = append(out, other[j])
			j++
		default:
			out = append(out, item{s[i].element, s[i].member || other[j].member, s[i].kids.plus(other[j].kids)})
			i, j = i+1, j+1
		}
	}
	return out
}

// minus returns the fields that another set does not have.
func (s set) minus(other set) set { return s.without(other, false) }

// outside returns the fields that are neither in another set nor below a field of it.
func (s set) outside(other set) set { return s.without(other, true) }

func (s set) without(other set, below bool) set {
	if len(other) == 0 {
		return s
	}
	out := make(set, 0, len(s))
	j := 0
	for i := range s {
		if j = other.seek(j, s[i].element, len(s)); j == len(other) {
			return append(out, s[i:]...)
		}
		if other[j].compare(s[i].element) != 0 {
			out = append(out, s[i])
			continue
		}
		if below && other[j].member {
			continue
		}
		left := item{s[i].element, s[i].member && !other[j].member, s[i].kids.without(other[j].kids, below)}
		if left.member || len(left.kids) > 0 {
			out = append(out, left)
		}
	}
	return out
}

// and returns the fields that are in both sets.
func (s set) and(other set) set {
	var out set
	j := 0
	for i := range s {
		if j = other.seek(j, s[i].element, len(s)); j == len(other) {
			break
		}
		if other[j].compare(s[i].element) != 0 {
			continue
		}
		both := item{s[i].element, s[i].member && other[j].member, s[i].kids.and(other[j].kids)}
		if both.member || len(both.kids) > 0 {
			out = append(out, both)
		}
	}
	return out
}

// seek returns the index of the first item, from j on, that does not come before e, which is one of
// few elements to look for. An object may have thousands of managers with a field each, so that a
// large set is not read from its start for each of them.
func (s set) seek(j int, e element, few int) int {
	if len(s) > 8*few {
		n, _ := s[j:].find(e)
		return j + n
	}
	for j < len(s) && s[j].compare(e) < 0 {
		j++
	}
	return j
}

// union returns the fields of all sets. It takes the sets together by pairs, so that none is copied
// often.
func union(sets []set) set {
	switch len(sets) {
	case 0:
		return nil
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return union(sets[:half]).plus(union(sets[half:]))
}

// ordered returns the set of some items: it sorts them by their elements and joins items of the
// same element. It modifies the list.
func ordered(items []item) set {
	inOrder := true
	for i := 1; i < len(items) && inOrder; i++ {
		inOrder = byElement(items[i-1], items[i]) < 0
	}
	if inOrder {
		return items
	}
	sorted.Func(items, byElement)
	out := items[:1]
	for _, it := range items[1:] {
		last := &out[len(out)-1]
		if byElement(*last, it) != 0 {
			out = append(out, it)
			continue
		}
		last.member = last.member || it.member
		last.kids = last.kids.plus(it.kids)
	}
	return out
}

// paths calls yield with the path of each field in the order of Kubernetes: at each level first the
// fields themselves, then those below. A path begins with the prefix, whose memory is overwritten
// behind it; the path is valid until yield returns. The result is the prefix with that memory.
func (s set) paths(prefix []byte, yield func(path []byte)) []byte {
	n := len(prefix)
	for i := range s {
		if s[i].member {
			prefix = s[i].appendPath(prefix[:n])
			yield(prefix)
		}
	}
	for i := range s {
		if len(s[i].kids) > 0 {
			prefix = s[i].kids.paths(s[i].appendPath(prefix[:n]), yield)
		}
	}
	return prefix[:n]
}

// fieldSet returns the set of one field, given by the names on its path.
func fieldSet(names ...string) set {
	it := item{element: element{fieldStep, names[len(names)-1]}, member: true}
	for i := len(names) - 2; i >= 0; i-- {
		it = item{element: element{fieldStep, names[i]}, kids: set{it}}
	}
	return set{it}
}
