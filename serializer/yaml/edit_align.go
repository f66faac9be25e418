package yaml

import "sort"

// align matches the elements of a list with those of a wanted list: equal ones, then mappings with
// the same member name, then those that only one of the lists has. The result has the index of the
// match of each wanted element, in ascending order, or -1.
func align(is, want []*value) []int {
	match := make([]int, len(want))
	for j := range match {
		match[j] = -1
	}
	alignBy(match, is, want, func(v *value) uint64 { return v.id })
	alignBy(match, is, want, func(v *value) uint64 {
		if name := v.members["name"]; name != nil {
			return name.id
		}
		return 0
	})
	matched := make([]bool, len(is))
	sides := map[uint64]int{} // that have an element without a match: 1, 2 or both, 3
	for j, i := range match {
		if i < 0 {
			sides[want[j].id] |= 1
		} else {
			matched[i] = true
		}
	}
	for i, v := range is {
		if !matched[i] {
			sides[v.id] |= 2
		}
	}
	alignBy(match, is, want, func(v *value) uint64 {
		if sides[v.id] == 3 {
			return 0 // it moves
		}
		return 1
	})
	return match
}

// alignBy adds matches between those that exist, of elements with the same key. Elements with the
// key 0 have no match.
func alignBy(match []int, is, want []*value, key func(*value) uint64) {
	i, j := 0, 0
	for end := range len(want) + 1 {
		next := len(is)
		if end < len(want) {
			if next = match[end]; next < 0 {
				continue
			}
		}
		alignGap(match[j:end], i, is[i:next], want[j:end], key)
		i, j = next+1, end+1
	}
}

// alignGap matches elements that have no match yet. The first of is has the index offset. Those
// at both ends match if they can; of the others, a longest ascending series of matches is chosen.
func alignGap(match []int, offset int, is, want []*value, key func(*value) uint64) {
	same := func(i, j int) bool { return key(is[i]) != 0 && key(is[i]) == key(want[j]) }
	first, endIs, endWant := 0, len(is), len(want)
	for ; first < min(endIs, endWant) && same(first, first); first++ {
		match[first] = offset + first
	}
	for ; min(endIs, endWant) > first && same(endIs-1, endWant-1); endIs, endWant = endIs-1, endWant-1 {
		match[endWant-1] = offset + endIs - 1
	}
	places := map[uint64][]int{} // in want, by key
	for j := first; j < endWant; j++ {
		if k := key(want[j]); k != 0 {
			places[k] = append(places[k], j)
		}
	}
	// The match of each element, and the element before it in the longest series that it ends.
	to, before := make([]int, len(is)), make([]int, len(is))
	var ends []int // the elements that end the best series of each length
	for i := first; i < endIs; i++ {
		k := key(is[i])
		if len(places[k]) == 0 {
			continue
		}
		to[i], before[i] = places[k][0], -1
		places[k] = places[k][1:]
		n := sort.Search(len(ends), func(n int) bool { return to[ends[n]] > to[i] })
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			match[to[i]] = offset + i
		}
	}
}
