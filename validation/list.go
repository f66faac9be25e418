package validation

// few is the maximum length of a list whose elements are compared pairwise. Longer lists are put in
// a map.
const few = 64

// Duplicates returns the indexes of elements whose key occurs earlier in the list, the first 10,000
// of them. As in Kubernetes it returns none if there are some in the list before the change, which
// a new rule may have made invalid. It allocates only if there are any, or if the list has more
// than 64 elements.
func Duplicates[E any, K comparable](list, before []E, key func(*E) K) []int {
	var out []int
	var seen map[K]struct{}
	if len(list) > few {
		seen = make(map[K]struct{}, len(list))
	}
	for i := range list {
		k, twice := key(&list[i]), false
		if seen != nil {
			_, twice = seen[k]
			seen[k] = struct{}{}
		} else {
			for j := 0; j < i && !twice; j++ {
				twice = key(&list[j]) == k
			}
		}
		if twice {
			if out = append(out, i); len(out) == mostKept {
				break
			}
		}
	}
	if len(out) > 0 && len(before) > 0 && len(Duplicates(before, nil, key)) > 0 {
		return nil
	}
	return out
}

// Former finds elements in the previous value of a list.
type Former[E any, K comparable] struct {
	// List is the list before the change.
	List []E
	// Key returns the identity of an element.
	Key func(*E) K

	places map[K]int
}

// Find returns the element of the previous list with the key of the element that is now at index i,
// or nil if no such element exists.
func (f *Former[E, K]) Find(i int, k K) *E {
	if i < len(f.List) && f.Key(&f.List[i]) == k {
		return &f.List[i]
	}
	if len(f.List) <= few {
		for j := range f.List {
			if f.Key(&f.List[j]) == k {
				return &f.List[j]
			}
		}
		return nil
	}
	if f.places == nil {
		f.places = make(map[K]int, len(f.List))
		for j := range f.List {
			k := f.Key(&f.List[j])
			if _, ok := f.places[k]; !ok {
				f.places[k] = j
			}
		}
	}
	if j, ok := f.places[k]; ok {
		return &f.List[j]
	}
	return nil
}

// Pair is the combined key of list elements that two fields identify.
type Pair[A, B comparable] struct {
	a A
	b B
}

// Both returns the combination of two keys.
func Both[A, B comparable](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }

// Itself returns an element as its own key, for elements identified by value.
func Itself[E comparable](e *E) E { return *e }
