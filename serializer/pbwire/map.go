package pbwire

import (
	"cmp"
	"slices"
)

// pair is an entry of a map.
type pair struct{ key, value string }

// maxScratch bounds the scratch memory that a Writer keeps, in elements.
const maxScratch = 1024

// StringMap writes the entries of a map, ordered by key, as messages with the key in field 1 and the value in field 2.
func (w *Writer) StringMap(field int, m map[string]string) {
	switch len(m) {
	case 0:
		return
	case 1:
		for key, value := range m {
			w.entry(field, key, value)
		}
		return
	}
	if len(m) > fewPairs {
		// Their names alone are sorted, by code that every program has already, and not the pairs by code of their own.
		keys := SortedKeys(w, m)
		for i := len(keys) - 1; i >= 0; i-- {
			w.entry(field, keys[i], m[keys[i]])
		}
		w.ReleaseKeys(keys)
		return
	}
	pairs := w.pairs[:0]
	for key, value := range m {
		pairs = append(pairs, pair{key, value})
	}
	sortPairs(pairs)
	for i := len(pairs) - 1; i >= 0; i-- {
		w.entry(field, pairs[i].key, pairs[i].value)
	}
	clear(pairs) // so that they do not keep the strings
	w.pairs = pairs
}

func (w *Writer) entry(field int, key, value string) {
	mark := w.Mark()
	w.String(2, value)
	w.String(1, key)
	w.Message(field, mark)
}

// fewPairs is the size of most maps, up to which inserting is the fastest way to sort.
const fewPairs = 12

// sortPairs sorts a few pairs by key.
func sortPairs(pairs []pair) {
	for i := 1; i < len(pairs); i++ {
		p := pairs[i]
		j := i
		for ; j > 0 && p.key < pairs[j-1].key; j-- {
			pairs[j] = pairs[j-1]
		}
		pairs[j] = p
	}
}

// SortedKeys returns the keys of a map in ascending order. Generated code walks them backwards and then calls
// [Writer.ReleaseKeys], because the memory is the Writer's; values may have maps of their own that do the same in between.
func SortedKeys[K ~string, V any](w *Writer, m map[K]V) []string {
	from := len(w.keys)
	for key := range m {
		w.keys = append(w.keys, string(key))
	}
	keys := w.keys[from:]
	slices.Sort(keys)
	return keys
}

// ReleaseKeys gives the result of [SortedKeys] back.
func (w *Writer) ReleaseKeys(keys []string) {
	left := max(0, len(w.keys)-len(keys))
	clear(w.keys[left:]) // so that they do not keep the strings
	w.keys = w.keys[:left]
	if left == 0 && cap(w.keys) > maxScratch {
		w.keys = nil
	}
}

// SortedIntKeys returns the keys of a map in ascending order, in memory of its own.
func SortedIntKeys[K ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare[K])
	return keys
}
