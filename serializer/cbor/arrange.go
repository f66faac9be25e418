package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// segment is a member of an object as it was written: its key and its value.
type segment struct {
	rank       uint64 // how its key is ordered, as far as a word can tell
	start, end int    // in the output
	key        int    // where the key is as an item, in the source of keys
}

// An ordering is an order of keys.
type ordering uint8

const (
	byBytes  ordering = iota
	byLength          // as encoded keys are ordered: by their length first, because that is what the head says, and then by their bytes
)

// rank returns the first bytes of a key as a number that sorts as keys do; keys with equal ranks are to be compared.
func (o ordering) rank(key []byte) uint64 {
	switch {
	case o == byBytes:
		return prefix(key)
	case len(key) >= math.MaxUint16:
		return math.MaxUint64
	}
	return uint64(len(key))<<48 | prefix(key)>>16
}

func (o ordering) compare(a, b []byte) int {
	if o == byLength && len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

// prefix returns the first eight bytes of a key as a number.
func prefix(key []byte) uint64 {
	switch n := len(key); {
	case n >= 8:
		return binary.BigEndian.Uint64(key)
	case n >= 4:
		// The first and the last four bytes make the word; where they overlap they are the same.
		return uint64(binary.BigEndian.Uint32(key))<<32 | uint64(binary.BigEndian.Uint32(key[n-4:]))<<(64-8*n)
	case n > 0:
		return uint64(key[0])<<56 | uint64(key[n/2])<<(56-8*(n/2)) | uint64(key[n-1])<<(64-8*n)
	}
	return 0
}

// arranger brings the members of objects into order behind the fact: they are written in the order in which they come, and moved when the
// object is complete. An object inside of another is complete first. Nothing of it is needed where they come in order.
type arranger struct {
	segments []segment // stack of the members of the objects that are open
	spare    []byte    // for members that wait for their place
}

// push notes a member that was written to dst[start:end], and reports whether all members of its object are in order so far. base is where the
// object begins on the stack.
func (a *arranger) push(base int, s segment) bool {
	inOrder := len(a.segments) == base || a.segments[len(a.segments)-1].rank < s.rank
	a.segments = append(a.segments, s)
	return inOrder
}

// arrange brings the members from base on into order and takes them off the stack; of those with equal keys it keeps the last. keys is where
// their keys are. It returns dst without what was dropped, and the number of members.
func (a *arranger) arrange(dst, keys []byte, base int, o ordering) ([]byte, int) {
	all := a.segments[base:]
	start := all[0].start
	all = sortSegments(all, keys, o)
	// The largest member is moved once, and the others by way of the spare memory.
	largest := 0
	for i := range all {
		if all[i].end-all[i].start > all[largest].end-all[largest].start {
			largest = i
		}
	}
	spare := a.spare[:0]
	for i := range all[:largest] {
		spare = append(spare, dst[all[i].start:all[i].end]...)
	}
	before := len(spare)
	for i := range all[largest+1:] {
		s := &all[largest+1+i]
		spare = append(spare, dst[s.start:s.end]...)
	}
	middle := start + before
	end := middle + copy(dst[middle:], dst[all[largest].start:all[largest].end])
	copy(dst[start:], spare[:before])
	end += copy(dst[end:], spare[before:])
	if a.spare = spare; cap(spare) > maxPooled {
		a.spare = nil
	}
	a.segments = a.segments[:base]
	return dst[:end], len(all)
}

// sortSegments sorts members and drops all but the last of those with equal keys.
func sortSegments(all []segment, keys []byte, o ordering) []segment {
	equal := false // there are equal ranks
	compare := func(a, b *segment) int {
		equal = true
		return cmp.Or(o.compare(keyAt(keys, a.key), keyAt(keys, b.key)), cmp.Compare(a.start, b.start))
	}
	if len(all) <= 24 {
		for i := 1; i < len(all); i++ {
			s, j := all[i], i
			for ; j > 0 && s.rank <= all[j-1].rank; j-- {
				if s.rank == all[j-1].rank && compare(&s, &all[j-1]) >= 0 {
					break
				}
				all[j] = all[j-1]
			}
			all[j] = s
		}
	} else {
		slices.SortFunc(all, func(a, b segment) int {
			if c := cmp.Compare(a.rank, b.rank); c != 0 {
				return c
			}
			return compare(&a, &b)
		})
	}
	if !equal {
		return all
	}
	kept := all[:0]
	for i := range all {
		if i+1 < len(all) && all[i].rank == all[i+1].rank && bytes.Equal(keyAt(keys, all[i].key), keyAt(keys, all[i+1].key)) {
			continue
		}
		kept = append(kept, all[i])
	}
	return kept
}

// keyAt returns the content of the string that is an item at an offset.
func keyAt(data []byte, at int) []byte {
	n, from := argumentAt(data, at)
	return data[from : from+n]
}

// argumentAt returns the argument of the item at an offset, which is sound, and where its content begins.
func argumentAt(data []byte, at int) (argument, from int) {
	switch info := data[at] & 0x1F; info {
	case 24:
		return int(data[at+1]), at + 2
	case 25:
		return int(binary.BigEndian.Uint16(data[at+1:])), at + 3
	case 26:
		return int(binary.BigEndian.Uint32(data[at+1:])), at + 5
	case 27:
		return int(binary.BigEndian.Uint64(data[at+1:])), at + 9
	default:
		return int(info), at + 1
	}
}
