package shape

import "slices"

// Run is the range [From, To) of adjacent members. A list of Runs is an order of members, which may
// omit some.
type Run struct{ From, To uint32 }

// Order returns the order in which the n members of an object are to be written: sorted by compare,
// which gets their numbers, keeping the last of equal ones. It returns no runs if the order does
// not change. The place is that of the last member, or 0 if not all members have places; the order
// for a known place is not sorted again. The result is valid until the next call.
func (m *Memory) Order(p Place, n int, compare func(i, j int) int) []Run {
	if n < 2 {
		return nil
	}
	if int(p) < len(m.places) && m.places[p].known {
		x := &m.places[p]
		return m.runs[x.run : x.run+uint32(x.runs)]
	}
	order := m.sort(n, compare)
	if p != 0 {
		m.setOrder(p, order)
	}
	return order
}

// maxScratch bounds the scratch memory that is kept for the next object, in members.
const maxScratch = 1 << 12

// sort is Order for an unknown place. Most objects have few members, for which insertion sort is
// fastest.
func (m *Memory) sort(n int, compare func(i, j int) int) []Run {
	first := 1 // the first member that is out of order
	for first < n && compare(first-1, first) < 0 {
		first++
	}
	if first == n {
		return nil
	}
	all := m.sorting[:0]
	for i := range n {
		all = append(all, i)
	}
	if n <= 24 {
		for i := first; i < n; i++ {
			j := i
			for ; j > 0 && compare(i, all[j-1]) < 0; j-- {
				all[j] = all[j-1]
			}
			all[j] = i
		}
	} else {
		slices.SortStableFunc(all, compare)
	}
	order := m.sorted[:0]
	for at, i := range all {
		switch last := len(order) - 1; {
		case at+1 < n && compare(i, all[at+1]) == 0: // a later one replaces it
		case last >= 0 && int(order[last].To) == i:
			order[last].To++
		default:
			order = append(order, Run{uint32(i), uint32(i) + 1})
		}
	}
	if n <= maxScratch {
		m.sorting, m.sorted = all, order
	}
	return order
}

// setOrder stores the order of objects that end at a place.
func (m *Memory) setOrder(p Place, order []Run) {
	if len(m.runs)+len(order) > maxRuns {
		m.full = true
		return
	}
	x := &m.places[p]
	x.run, x.runs, x.known = uint32(len(m.runs)), uint8(len(order)), true
	m.runs = append(m.runs, order...)
}
