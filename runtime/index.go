package runtime

import (
	"math/bits"

	"github.com/askind/askind/schema"
)

// index finds the kinds that belong to a hash, by their numbers. It is a table with open addressing
// that only grows. It holds no keys: the caller compares those of the candidates. Reading it is
// safe for any number of goroutines.
//
// It stands in place of two maps because finding a kind is what every request begins with. With
// maps, in BenchmarkLookup of package bench, finding a kind by its name takes 40 ns instead of
// 16.5, and by an object 6.2 instead of 4.5. Resources and claims, where it made no difference, are
// maps.
type index struct {
	slots []slot // a power of two of them, a quarter of them free or more
}

// slot has what tells hashes apart mostly, and a number plus one; 0 is a free slot.
type slot struct{ tag, number uint32 }

// newIndex returns an index with room for n hashes.
func newIndex(n int) index {
	return index{slots: make([]slot, 1<<bits.Len(uint(n+n/3)))}
}

// add notes that a hash belongs to a number. The same hash may belong to several, which are found
// in the order in which they were added.
func (x index) add(hash uint64, number int) {
	at := hash
	for x.slot(at).number != 0 {
		at++
	}
	*x.slot(at) = slot{tag: uint32(hash >> 32), number: uint32(number + 1)}
}

// next returns the next number that a hash may belong to, and where to look for the one after it.
// The search begins at the hash itself, and has ended when the number is below 0.
func (x index) next(hash, at uint64) (number int, then uint64) {
	for ; len(x.slots) > 0; at++ {
		switch s := x.slot(at); {
		case s.number == 0:
			return -1, 0
		case s.tag == uint32(hash>>32):
			return int(s.number) - 1, at + 1
		}
	}
	return -1, 0
}

func (x index) slot(at uint64) *slot { return &x.slots[at&uint64(len(x.slots)-1)] }

// The hashes need no seed: what is in an index comes from the program, so a client cannot cause
// collisions.

// versionHash is the part of a hash that the names of one group version share.
func versionHash[T string | []byte](group, version T) uint64 { return mix(mix(0, group), version) }

// kindHash is that of a kind.
func kindHash(gvk *schema.GroupVersionKind) uint64 {
	return mix(versionHash(gvk.Group, gvk.Version), gvk.Kind)
}

// mix adds a text to a hash: its words of eight bytes, of which the last overlaps the one before,
// and its length.
func mix[T string | []byte](h uint64, s T) uint64 {
	n := len(s)
	h = spread(h ^ uint64(n))
	switch {
	case n >= 8:
		for i := 0; i+8 < n; i += 8 {
			h = spread(h ^ word(s[i:i+8]))
		}
		return spread(h ^ word(s[n-8:]))
	case n >= 4:
		return spread(h ^ uint64(half(s[:4])) ^ uint64(half(s[n-4:]))<<32)
	case n > 0:
		return spread(h ^ uint64(s[0]) ^ uint64(s[n/2])<<8 ^ uint64(s[n-1])<<16)
	}
	return h
}

func word[T string | []byte](s T) uint64 { return uint64(half(s)) | uint64(half(s[4:]))<<32 }

func half[T string | []byte](s T) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// spread makes a hash of a number, such that numbers that differ little differ in the low bits and
// in the high bits.
func spread(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	return x ^ x>>32
}
