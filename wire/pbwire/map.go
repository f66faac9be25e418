package pbwire

import (
	"cmp"
	"slices"
)

// pair is an entry of a map.
type pair struct{ key, value string }

// maxScratch bounds the scratch memory that a Writer keeps, in elements.
const maxScratch = 1024

// StringMap writes the entries of a map, ordered by key, as messages with the key in field 1 and
// the value in field 2.
func (w *Writer) StringMap(field int, m map[string]string) {
	switch {
	case len(m) == 0:
	case w.measures: // in any order
		for key, value := range m {
			n := 2 + SizeVarint(uint64(len(key))) + len(key) + SizeVarint(uint64(len(value))) + len(value)
			w.measure(field, SizeVarint(uint64(n))+n)
		}
	case len(m) <= fewPairs:
		w.few(field, m)
	default:
		// Only the names are sorted, by code that every program already contains, instead of
		// sorting pairs with specialized code.
		keys := SortedKeys(w, m)
		for i := len(keys) - 1; i >= 0; i-- {
			w.entry(field, keys[i], m[keys[i]])
		}
		w.ReleaseKeys(keys)
	}
}

// few writes the entries of a small map. They are sorted on the stack, where storing pointers needs
// no write barriers. Without it encode/protobuf/metadata of bench/peers takes 15 % longer, and
// pods-in-turn 2 %.
func (w *Writer) few(field int, m map[string]string) {
	var pairs [fewPairs]pair
	n := 0
	for key, value := range m {
		i := n
		for ; i > 0 && key < pairs[i-1].key; i-- {
			pairs[i] = pairs[i-1]
		}
		pairs[i] = pair{key, value}
		n++
	}
	for n > 0 {
		n--
		w.entry(field, pairs[n].key, pairs[n].value)
	}
}

// entry writes one entry.
func (w *Writer) entry(field int, key, value string) {
	mark := w.Mark()
	w.String(2, value)
	w.String(1, key)
	w.Message(field, mark)
}

// fewPairs is the maximum size of maps for which insertion sort is fastest.
const fewPairs = 12

// SortedKeys returns the keys of a map in ascending order. Generated code iterates over them
// backwards and then calls [Writer.ReleaseKeys], because the Writer owns the memory; calls for maps
// inside the values may be nested.
func SortedKeys[K ~string, V any](w *Writer, m map[K]V) []string {
	from := len(w.keys)
	for key := range m {
		w.keys = append(w.keys, string(key))
	}
	keys := w.keys[from:]
	if !w.measures {
		slices.Sort(keys)
	}
	return keys
}

// ReleaseKeys returns the memory of the result of [SortedKeys].
func (w *Writer) ReleaseKeys(keys []string) {
	left := max(0, len(w.keys)-len(keys))
	clear(w.keys[left:]) // do not retain the strings
	w.keys = w.keys[:left]
	if left == 0 && cap(w.keys) > maxScratch {
		w.keys = nil
	}
}

// SortedIntKeys returns the keys of a map in ascending order, in memory of its own.
func SortedIntKeys[K ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64,
	V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare[K])
	return keys
}
