// Package sorted sorts slices that are short or sorted already, inserts into slices, and removes
// from them. The functions of package slices are compiled once for each element type, which adds 10
// to 40 KB to a program for sorting structs of several words, 2 KB for inserting one, and 1 KB for
// removing some. The functions of this package add a few hundred bytes. They sort long slices that
// are not sorted more slowly, and allocate for those alone.
package sorted

// short is the length up to which slices are sorted without an allocation.
const short = 16

// Func sorts like [slices.SortStableFunc].
func Func[T any](s []T, compare func(a, b T) int) {
	arrange(len(s), func(i, j int) bool { return compare(s[i], s[j]) > 0 }, func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// arrange sorts n elements, which it compares and swaps by their indexes.
func arrange(n int, after func(i, j int) bool, swap func(i, j int)) {
	var room [short + short/2]int
	order := orderOf(n, after, room[:])
	for i := range order {
		at := i
		for order[at] != i {
			next := order[at]
			swap(at, next)
			order[at] = at
			at = next
		}
		order[at] = at
	}
}

// Insert inserts an element like [slices.Insert].
func Insert[T any](s []T, i int, v T) []T {
	s = append(s, v)
	copy(s[i+1:], s[i:])
	s[i] = v
	return s
}

// Delete removes elements like [slices.DeleteFunc].
func Delete[T any](s []T, drop func(v T) bool) []T {
	n := 0
	for i, v := range s {
		if drop(v) {
			continue
		}
		if n < i {
			s[n] = v
		}
		n++
	}
	clear(s[n:])
	return s[:n]
}

// orderOf returns the indexes of the elements of a slice in ascending order, or nil if that is the
// order that they have.
func orderOf(n int, after func(i, j int) bool, room []int) []int {
	i := 1
	for i < n && !after(i-1, i) {
		i++
	}
	if i >= n {
		return nil
	}
	if n > short {
		room = make([]int, n+n/2)
	}
	order := room[:n]
	for i := range order {
		order[i] = i
	}
	merge(order, room[n:], after)
	return order
}

// merge sorts indexes, with room for half as many.
func merge(order, room []int, after func(i, j int) bool) {
	half := len(order) / 2
	if half == 0 {
		return
	}
	merge(order[:half], room, after)
	merge(order[half:], room, after)
	left, right := room[:copy(room, order[:half])], order[half:]
	for i := 0; len(left) > 0; i++ {
		if len(right) == 0 || !after(left[0], right[0]) {
			order[i], left = left[0], left[1:]
		} else {
			order[i], right = right[0], right[1:]
		}
	}
}
