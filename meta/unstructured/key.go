package unstructured

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/askind/askind/wire/jsonwire"
)

// key is the name of a member. Objects share the keys of equal names if the same interner created
// them, so a member needs only a pointer for its name.
type key struct {
	text string
	lit  string // the encoding before a value: ,"text":
}

// newKey returns a key for a text, which it does not retain.
func newKey(text string) *key {
	var buf [128]byte
	lit := string(append(jsonwire.AppendString(append(buf[:0], ','), text), ':'))
	if len(lit) == len(text)+4 { // no escapes
		return &key{text: lit[2 : 2+len(text)], lit: lit}
	}
	return &key{text: strings.Clone(text), lit: lit}
}

// The interner is a small cache, not a table of all keys: frequent names stay in it, and names that
// occur in one object only, such as those of an attacker, are evicted.
const (
	internSets = 512
	internWays = 4
	// internLimit is the maximum length of a cached key.
	internLimit = 64
)

type interner [internSets][internWays]*key

// get returns the key for a text, which it does not retain.
func (t *interner) get(text string) *key {
	set := &t[hash(text)%internSets]
	for _, k := range set {
		if k != nil && k.text == text {
			return k
		}
	}
	k := newKey(text)
	if len(text) <= internLimit {
		copy(set[1:], set[:])
		set[0] = k
	}
	return k
}

// hash mixes the length, the ends and the middle of a text.
func hash(s string) uint32 {
	var a, b uint64
	switch n := len(s); {
	case n >= 8:
		a, b = load64(s, 0), load64(s, n-8)
		if n > 16 {
			a ^= load64(s, n/2-4) * 0xFF51AFD7ED558CCD
		}
	case n >= 4:
		a, b = load32(s, 0), load32(s, n-4)
	case n > 0:
		a, b = uint64(s[0])|uint64(s[n/2])<<8, uint64(s[n-1])
	}
	h := (a ^ bits.RotateLeft64(b, 29) ^ uint64(len(s))) * 0x9E3779B97F4A7C15
	return uint32(h >> 40)
}

func load64(s string, i int) uint64 {
	return load32(s, i) | load32(s, i+4)<<32
}

func load32(s string, i int) uint64 {
	_ = s[i+3]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24
}

// intern returns the key for a text, with a pooled interner.
func intern(text string) *key {
	b := builders.Get().(*builder)
	k := b.keys.get(text)
	builders.Put(b)
	return k
}

// builders pools builders with their interners and scratch memory.
var builders = sync.Pool{New: func() any { return new(builder) }}
