// Package arrange sorts the members of an object after they have been written, in place. A format
// writes members in the order in which it receives them, notes where each one begins, and lets this
// package move the bytes when the object is complete. Inner objects are completed first.
package arrange

import "encoding/binary"

// Member records where a written member of an object is.
type Member struct {
	Start int    // in the output; the member ends where the next one begins
	Key   int    // where [Keys] finds the key
	Rank  uint64 // what [Keys] compares first
}

// Keys compares the keys of members. The order must be transitive where keys may be equal: only
// then are equal keys neighbors in it.
type Keys interface {
	Compare(a, b Member) int
}

// Rank returns the first eight bytes of a key, the first one highest, followed by zeros.
func Rank(key []byte) uint64 {
	if cap(key) < 8 {
		key = append(make([]byte, 0, 8), key...)
	}
	w := binary.BigEndian.Uint64(key[:8])
	if n := len(key); n < 8 {
		w &^= ^uint64(0) >> (8 * n)
	}
	return w
}

// run is the range [from, to) of adjacent members.
type run struct{ from, to int }

// Stack holds the members of the objects that are open, the innermost last. The zero value is
// ready for use.
type Stack struct {
	members []Member
	order   []Member // scratch: the members of one object in order, with their index as Start
	half    []Member // scratch
	runs    []run    // scratch
	spare   []byte   // temporary copies of members being moved
}

// Len returns the number of members. It identifies the object whose first member is pushed next.
func (s *Stack) Len() int { return len(s.members) }

// Push adds a member that begins at m.Start.
func (s *Stack) Push(m Member) { s.members = append(s.members, m) }

// Reset removes all members, which a write that failed leaves behind.
func (s *Stack) Reset() { s.members = s.members[:0] }

// Release discards memory that has grown beyond a number of bytes.
func (s *Stack) Release(most int) {
	if cap(s.members) > most/16 {
		s.members, s.order, s.half, s.runs = nil, nil, nil, nil
	}
	if cap(s.spare) > most {
		s.spare = nil
	}
}

// few is the number of members up to which insertion sort is fastest, as for most objects.
const few = 24

// Repeats reports whether two members of the object that begins at base have equal keys.
func (s *Stack) Repeats(base int, keys Keys) bool {
	all := s.members[base:]
	if len(all) > few {
		return len(s.Sort(base, keys)) < len(all)
	}
	for i := range all {
		for j := range i {
			if all[i].Rank == all[j].Rank && keys.Compare(all[i], all[j]) == 0 {
				return true
			}
		}
	}
	return false
}

// Close sorts the members of the object that begins at base, which end at an offset in out, and
// removes them from the stack. Of members with equal keys it keeps the last. It returns the new end
// of the members and their number.
func (s *Stack) Close(out []byte, end, base int, keys Keys) (newEnd, count int) {
	all := s.members[base:]
	for i := 1; i < len(all); i++ {
		if keys.Compare(all[i-1], all[i]) >= 0 {
			return s.Arrange(out, end, base, s.sort(all, i, keys))
		}
	}
	s.members = s.members[:base]
	return end, len(all)
}

// Sort returns the members of the object that begins at base, in the order of their keys and with
// their index as Start. Of members with equal keys it keeps the last. The result is valid until the
// next call of a method and may be changed.
func (s *Stack) Sort(base int, keys Keys) []Member { return s.sort(s.members[base:], 1, keys) }

// sort returns the order of members. The first n are in order already.
func (s *Stack) sort(all []Member, n int, keys Keys) []Member {
	order := append(s.order[:0], all...)
	for i := range order {
		order[i].Start = i
	}
	s.merge(order, n, keys)
	s.order = order
	kept := order[:0]
	for i, x := range order {
		if i+1 == len(order) || keys.Compare(x, order[i+1]) < 0 { // otherwise the later one replaces it
			kept = append(kept, x)
		}
	}
	return kept
}

// merge sorts members and keeps equal keys in place. The first n are in order already.
func (s *Stack) merge(all []Member, n int, keys Keys) {
	if len(all) <= few {
		for ; n < len(all); n++ {
			m, at := all[n], n
			for ; at > 0 && keys.Compare(m, all[at-1]) < 0; at-- {
				all[at] = all[at-1]
			}
			all[at] = m
		}
		return
	}
	middle := len(all) / 2
	s.merge(all[:middle], min(n, middle), keys)
	s.merge(all[middle:], max(n-middle, 1), keys)
	s.half = append(s.half[:0], all[:middle]...)
	left, right := s.half, all[middle:]
	for i := range all {
		switch {
		case len(left) == 0:
			return
		case len(right) > 0 && keys.Compare(right[0], left[0]) < 0:
			all[i], right = right[0], right[1:]
		default:
			all[i], left = left[0], left[1:]
		}
	}
}

// Arrange moves the members of the object that begins at base, which end at an offset in out, into
// an order like that of [Stack.Sort], and removes them from the stack. It returns the new end of
// the members and their number. The largest run is moved once, and the others are moved through
// spare memory, so that an object with one large member needs little of it.
func (s *Stack) Arrange(out []byte, end, base int, order []Member) (newEnd, count int) {
	s.Push(Member{Start: end})
	all := s.members[base:]
	text := func(r run) []byte { return out[all[r.from].Start:all[r.to].Start] }
	runs, largest := s.runs[:0], 0
	for _, m := range order {
		if last := len(runs) - 1; last >= 0 && runs[last].to == m.Start {
			runs[last].to++
		} else {
			runs = append(runs, run{m.Start, m.Start + 1})
		}
	}
	for i, r := range runs {
		if len(text(r)) > len(text(runs[largest])) {
			largest = i
		}
	}
	spare := s.spare[:0]
	for _, r := range runs[:largest] {
		spare = append(spare, text(r)...)
	}
	before := len(spare)
	for _, r := range runs[largest+1:] {
		spare = append(spare, text(r)...)
	}
	start := all[0].Start
	end = start + before
	end += copy(out[end:], text(runs[largest]))
	copy(out[start:], spare[:before])
	end += copy(out[end:], spare[before:])
	s.runs, s.spare, s.members = runs, spare, s.members[:base]
	return end, len(order)
}
