package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// member records where a written member of an object is.
type member struct {
	start int    // in the output; the member ends where the next one begins
	key   int    // offset of the key's item in the source of keys
	rank  uint64 // members of different ranks are in the order of their ranks
}

// rankEncoded returns the rank of the string item at an offset in the order of [compareEncoded]:
// the length, and then as many of the bytes as there is room for. There are at least 8 bytes of
// slack behind the item.
func rankEncoded(data []byte, at int) uint64 {
	n, from := argumentAt(data, at)
	if n >= 0xFF {
		return 0xFF << 56
	}
	return uint64(n)<<56 | rankBytes(data[from:], n)>>8
}

// rankBytes returns the rank of the first n bytes of a text in the order of [bytes.Compare]: the
// first eight of them. The text has at least eight bytes.
func rankBytes(text []byte, n int) uint64 {
	w := binary.BigEndian.Uint64(text)
	if n < 8 {
		w &^= ^uint64(0) >> (8 * n)
	}
	return w
}

// compareEncoded orders keys by their encoded forms: by length, which the head encodes, and then by
// their bytes.
func compareEncoded(a, b []byte) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

// run is the range [from, to) of adjacent members.
type run struct{ from, to int }

// arranger sorts the members of objects after they have been written, when the object is complete.
// Inner objects are completed first.
type arranger struct {
	members []member // stack of the members of open objects
	order   []member // scratch: the members of one object in order, with their index as start
	runs    []run    // scratch
	spare   []byte   // temporary copies of members being moved
}

// forget discards memory that has grown large.
func (a *arranger) forget() {
	if cap(a.members) > maxPooled/16 {
		a.members, a.order, a.runs = nil, nil, nil
	}
	if cap(a.spare) > maxPooled {
		a.spare = nil
	}
}

// close sorts the members from base on, which are out[start:end], and removes them from the stack.
// Of members with equal keys it keeps the last. Members are in the order of their ranks and, where
// these are equal, of compare, which gets keys from their source. close returns the new end of the
// members and their number.
func (a *arranger) close(out []byte, end int, keys []byte, base int, compare func(a, b []byte) int) (
	newEnd, count int,
) {
	all := a.members[base:]
	newEnd, count = end, len(all)
	for i := 1; i < len(all); i++ {
		if !before(all[i-1], all[i], keys, compare) {
			runs := a.sort(all, i, keys, compare)
			a.members = append(a.members, member{start: end})
			newEnd, count = a.arrange(out, a.members[base:], runs)
			break
		}
	}
	a.members = a.members[:base]
	return newEnd, count
}

// before reports whether the key of x is less than that of y.
func before(x, y member, keys []byte, compare func(a, b []byte) int) bool {
	return x.rank < y.rank || x.rank == y.rank && compare(keyAt(keys, x.key), keyAt(keys, y.key)) < 0
}

// sort returns the order of members. The first n are in order already. Insertion sort is fastest
// for the few members that most objects have.
func (a *arranger) sort(all []member, n int, keys []byte, compare func(a, b []byte) int) []run {
	order := append(a.order[:0], all...)
	for i := range order {
		order[i].start = i
	}
	if len(order) > 24 {
		slices.SortStableFunc(order, func(x, y member) int {
			return cmp.Or(cmp.Compare(x.rank, y.rank), compare(keyAt(keys, x.key), keyAt(keys, y.key)))
		})
	} else {
		for ; n < len(order); n++ {
			m, at := order[n], n
			for ; at > 0 && before(m, order[at-1], keys, compare); at-- {
				order[at] = order[at-1]
			}
			order[at] = m
		}
	}
	runs := a.runs[:0]
	for i, x := range order {
		if i+1 < len(order) && !before(x, order[i+1], keys, compare) {
			continue // the later one replaces it
		}
		if last := len(runs) - 1; last >= 0 && runs[last].to == x.start {
			runs[last].to++
		} else {
			runs = append(runs, run{x.start, x.start + 1})
		}
	}
	a.order, a.runs = order, runs
	return runs
}

// arrange moves members into an order, and returns their new end and number. The last element of
// all marks their current end. The largest run is moved once, and the others are moved through the
// spare memory, so that an object with one large member needs little of it.
func (a *arranger) arrange(out []byte, all []member, order []run) (end, count int) {
	text := func(r run) []byte { return out[all[r.from].start:all[r.to].start] }
	largest := 0
	for i, r := range order {
		count += int(r.to - r.from)
		if len(text(r)) > len(text(order[largest])) {
			largest = i
		}
	}
	a.spare = a.spare[:0]
	for _, r := range order[:largest] {
		a.spare = append(a.spare, text(r)...)
	}
	before := len(a.spare)
	for _, r := range order[largest+1:] {
		a.spare = append(a.spare, text(r)...)
	}
	start := all[0].start
	end = start + before
	end += copy(out[end:], text(order[largest]))
	copy(out[start:], a.spare[:before])
	return end + copy(out[end:], a.spare[before:]), count
}

// keyAt returns the content of the string item at an offset.
func keyAt(data []byte, at int) []byte {
	n, from := argumentAt(data, at)
	return data[from : from+n]
}

// argumentAt returns the argument of the valid item at an offset, and where its content begins.
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
