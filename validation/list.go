package validation

// few is the maximum length of a list whose elements are compared pairwise. Longer lists are put in
// a map.
const few = 64

// Duplicates returns the indexes of elements whose key occurs earlier in the list, the first 10,000
// of them. It allocates only if there are any, or if the list has more than 64 elements.
func Duplicates[E any, K comparable](list []E, key func(*E) K) []int {
	var out []int
	if len(list) <= few {
		for i := range list {
			for j := range i {
				if key(&list[i]) == key(&list[j]) {
					out = append(out, i)
					break
				}
			}
		}
		return out
	}
	seen := make(map[K]struct{}, len(list))
	for i := range list {
		k := key(&list[i])
		if _, ok := seen[k]; ok {
			if out = append(out, i); len(out) == mostKept {
				break
			}
		}
		seen[k] = struct{}{}
	}
	return out
}

// NewDuplicates is [Duplicates] for a list that replaces an old one. As in Kubernetes it returns
// none if there are some in the old list, which a new rule may have made invalid.
func NewDuplicates[E any, K comparable](list, old []E, key func(*E) K) []int {
	out := Duplicates(list, key)
	if len(out) > 0 && len(Duplicates(old, key)) > 0 {
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
