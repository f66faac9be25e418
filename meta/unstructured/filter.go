package unstructured

import (
	"maps"
	"slices"
	"sync"
)

// Filter states which members the objects in a tree may have. It is immutable once it is used, and
// safe for concurrent use.
type Filter struct {
	_ struct{} // literals name their fields

	// Members are the known members of an object, with the filters of their values. A nil filter
	// admits everything below.
	Members map[string]*Filter
	// Open admits members of other names, to whose values Rest applies.
	Open bool
	Rest *Filter
	// Elements applies to the elements of an array.
	Elements *Filter
	// Text makes plain YAML scalars strings, so that 1.10 is not the number 1.1.
	Text bool

	once  sync.Once
	names []string
}

// member returns the filter of the value of a member, and whether objects may have the member.
func (f *Filter) member(name []byte) (*Filter, bool) {
	if below, ok := f.Members[string(name)]; ok {
		return below, true
	}
	return f.Rest, f.Open
}

// known returns the names of the members in order, for suggestions.
func (f *Filter) known() []string {
	f.once.Do(func() { f.names = slices.Sorted(maps.Keys(f.Members)) })
	return f.names
}
