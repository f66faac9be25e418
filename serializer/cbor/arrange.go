package cbor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/askind/askind/serializer/internal/shape"
)

// member is where a member of an object is that was written.
type member struct {
	start int // in the output; it ends where the next one begins
	key   int // where the key is as an item, in the source of keys
}

// ranked is a member that is to be brought into order.
type ranked struct {
	rank uint64 // how its key is ordered, as far as a word can tell
	key  int
	i    int // which one of the object it is
}

// An ordering is an order of keys.
type ordering uint8

const (
	byBytes ordering = iota
	// as encoded keys are ordered: by their length first, because that is what the head says, and
	// then by their bytes
	byLength
)

// rank returns the first bytes of a key as a number that sorts as keys do; keys with equal ranks
// are to be compared.
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

// arranger brings the members of objects into order behind the fact: they are written in the order
// in which they come, and moved when the object is complete. An object inside another is
// complete first. The order of objects like those that came before is remembered.
type arranger struct {
	shapes  shape.Memory
	members []member // stack of the members of the objects that are open
	sorting []ranked
	order   []shape.Run
	spare   []byte // for members that wait for their place
}

// forget discards memory that has grown large.
func (a *arranger) forget() {
	if cap(a.members) > maxPooled/16 {
		a.members = nil
	}
	if cap(a.sorting) > maxPooled/32 {
		a.sorting, a.order = nil, nil
	}
	if cap(a.spare) > maxPooled {
		a.spare = nil
	}
}

// close brings the members from base on, which are out[start:end], into order and takes them off
// the stack; of those with equal keys it keeps the last. keys is where their keys are. The place is
// that of the last member, 0 if not all of them have places. It returns where the members end now,
// and how many there are.
func (a *arranger) close(out []byte, end int, keys []byte, base int, p shape.Place, o ordering) (newEnd, count int) {
	a.members = append(a.members, member{start: end})
	last := len(a.members) - 1
	all := a.members[base:last]
	a.members = a.members[:base]
	order, known := a.shapes.Order(p)
	if !known {
		order = a.sort(all, keys, o)
		a.shapes.SetOrder(p, order)
	}
	if len(order) == 0 {
		return end, len(all)
	}
	return a.arrange(out, end, a.members[base:last+1], order)
}

// arrange brings members into an order. Behind them stands where the last one ends.
func (a *arranger) arrange(out []byte, end int, all []member, order []shape.Run) (newEnd, count int) {
	at := func(i uint32) int { return all[i].start }
	start := all[0].start
	// they are where they are to be; the last member, which is never dropped, is not among them
	if first := order[0]; first.From == 0 {
		start, count, order = at(first.To), int(first.To), order[1:]
	}
	if end-start <= small && len(out)-end >= step {
		newEnd, moved := a.arrangeSmall(out, start, end, all, order)
		return newEnd, count + moved
	}
	largest, size, rest := 0, 0, 0
	for i, r := range order {
		count += int(r.To - r.From)
		n := at(r.To) - at(r.From)
		if rest += n; n > size {
			largest, size = i, n
		}
	}
	// The largest run is moved once, and the others by way of the spare memory.
	spare := slices.Grow(a.spare[:0], rest-size+step)
	for _, r := range order[:largest] {
		spare = appendStep(spare, out, at(r.From), at(r.To)-at(r.From))
	}
	before := len(spare)
	for _, r := range order[largest+1:] {
		spare = appendStep(spare, out, at(r.From), at(r.To)-at(r.From))
	}
	a.spare = spare
	middle, from := start+before, at(order[largest].From)
	if middle != from {
		copy(out[middle:], out[from:from+size])
	}
	copy(out[start:], spare[:before])
	return middle + size + copy(out[middle+size:], spare[before:]), count
}

// small is how large an object is at most of which all members are moved, because that takes less
// than finding out which one may stay.
const small = 512

// arrangeSmall is arrange for a small object, behind which out has room.
func (a *arranger) arrangeSmall(out []byte, start, end int, all []member, order []shape.Run) (newEnd, count int) {
	if cap(a.spare) < small+step {
		a.spare = make([]byte, small+step)
	}
	spare := a.spare[:small+step]
	copy(spare, out[start:end])
	n := start
	for _, r := range order {
		from := all[r.From].start
		size := all[r.To].start - from
		from -= start
		if size <= step {
			copyStep(out[n:n+step], spare[from:from+step])
		} else {
			copy(out[n:], spare[from:from+size])
		}
		n += size
		count += int(r.To - r.From)
	}
	return n, count
}

// copyStep copies a step.
func copyStep(to, in []byte) {
	to, in = to[:step], in[:step]
	v, w, x, y := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:]),
		binary.LittleEndian.Uint64(in[16:]), binary.LittleEndian.Uint64(in[24:])
	binary.LittleEndian.PutUint64(to, v)
	binary.LittleEndian.PutUint64(to[8:], w)
	binary.LittleEndian.PutUint64(to[16:], x)
	binary.LittleEndian.PutUint64(to[24:], y)
}

// step is how many bytes are copied at once where copying more than there are does no harm.
const step = 32

// appendStep appends n bytes of out to dst, which has room for that and a step more.
func appendStep(dst, out []byte, from, n int) []byte {
	if n > step || len(out)-from < step {
		return append(dst, out[from:from+n]...)
	}
	at := len(dst)
	copyStep(dst[at:at+step], out[from:from+step])
	return dst[:at+n]
}

// sort returns the order of members, without all but the last of those with equal keys: no runs if
// they are to be as they come.
func (a *arranger) sort(members []member, keys []byte, o ordering) []shape.Run {
	all, inOrder := a.sorting[:0], true
	for i, m := range members {
		x := ranked{rank: o.rank(keyAt(keys, m.key)), key: m.key, i: i}
		inOrder = inOrder && (i == 0 || all[i-1].rank < x.rank)
		all = append(all, x)
	}
	a.sorting = all
	if inOrder {
		return nil
	}
	order := a.order[:0]
	for _, x := range sortRanked(all, keys, o) {
		order = shape.AppendMember(order, x.i)
	}
	a.order = order
	if len(order) == 1 && int(order[0].To) == len(members) && order[0].From == 0 {
		return nil
	}
	return order
}

// sortRanked sorts members and drops all but the last of those with equal keys.
func sortRanked(all []ranked, keys []byte, o ordering) []ranked {
	equal := false // there are equal ranks
	compare := func(a, b *ranked) int {
		equal = true
		return cmp.Or(o.compare(keyAt(keys, a.key), keyAt(keys, b.key)), cmp.Compare(a.i, b.i))
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
		slices.SortFunc(all, func(a, b ranked) int {
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
		if i+1 < len(all) && all[i].rank == all[i+1].rank &&
			bytes.Equal(keyAt(keys, all[i].key), keyAt(keys, all[i+1].key)) {
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

// argumentAt returns the argument of the item at an offset, which is sound, and where its content
// begins.
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
