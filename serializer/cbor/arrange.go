package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"github.com/askind/askind/serializer/internal/shape"
)

// member records where a written member of an object is.
type member struct {
	start int // in the output; the member ends where the next one begins
	key   int // offset of the key's item in the source of keys
}

// compareEncoded orders keys by their encoded forms: by length, which the head encodes, and then by
// their bytes.
func compareEncoded(a, b []byte) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

// arranger sorts the members of objects after they have been written, when the object is complete.
// Inner objects are completed first. The order of members is cached by the shape of the object.
type arranger struct {
	shapes  shape.Memory
	members []member // stack of the members of open objects
	spare   []byte   // temporary copies of members being moved
}

// forget discards memory that has grown large.
func (a *arranger) forget() {
	if cap(a.members) > maxPooled/16 {
		a.members = nil
	}
	if cap(a.spare) > maxPooled {
		a.spare = nil
	}
}

// close sorts the members from base on, which are out[start:end], and removes them from the stack.
// Of members with equal keys it keeps the last. keys is the source of keys. The place p is that of
// the last member, or 0 if not all members have places. close returns the new end of the members
// and their number.
func (a *arranger) close(out []byte, end int, keys []byte, base int, p shape.Place, compare func(a, b []byte) int) (
	newEnd, count int,
) {
	a.members = append(a.members, member{start: end})
	all := a.members[base:]
	order := a.shapes.Order(p, len(all)-1, func(i, j int) int {
		return compare(keyAt(keys, all[i].key), keyAt(keys, all[j].key))
	})
	a.members = a.members[:base]
	if len(order) == 0 {
		return end, len(all) - 1
	}
	return a.arrange(out, all, order)
}

// arrange moves members into an order, and returns their new end and number. The last element of
// all marks their current end. The largest run is moved once, and the others are moved through the
// spare memory, so that an object with one large member needs little of it.
func (a *arranger) arrange(out []byte, all []member, order []shape.Run) (end, count int) {
	run := func(r shape.Run) []byte { return out[all[r.From].start:all[r.To].start] }
	largest := 0
	for i, r := range order {
		count += int(r.To - r.From)
		if len(run(r)) > len(run(order[largest])) {
			largest = i
		}
	}
	a.spare = a.spare[:0]
	for _, r := range order[:largest] {
		a.spare = append(a.spare, run(r)...)
	}
	before := len(a.spare)
	for _, r := range order[largest+1:] {
		a.spare = append(a.spare, run(r)...)
	}
	start := all[0].start
	end = start + before
	end += copy(out[end:], run(order[largest]))
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
