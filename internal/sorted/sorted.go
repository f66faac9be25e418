// Package sorted sorts slices of large structs that are sorted rarely, or are short. The functions
// of package slices are compiled once for each type of element, which adds 10 to 40 KB to a program
// for a struct of some words. Those here add little, and are slower.
package sorted

import "sort"

// Func sorts like [slices.SortFunc].
func Func[T any](s []T, compare func(a, b T) int) {
	if len(s) > 1 {
		sort.Slice(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
	}
}

// StableFunc sorts like [slices.SortStableFunc].
func StableFunc[T any](s []T, compare func(a, b T) int) {
	if len(s) > 1 {
		sort.SliceStable(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
	}
}
