package jsonwire

import (
	"encoding/binary"
	"math/bits"
)

// nameSet detects duplicate members of objects, at any depth of a skipped value, without storing or
// comparing names. It suspects a value in which two names of one object have the same hash, or
// whose form is too rare to decide. [Reader.duplicates] then compares the names of a suspected
// value, so the hash does not have to resist deliberate collisions. A value that is not suspected
// has no duplicates.
//
// For each open object, the stack has the previous value of base and then a hash of each name so
// far:
//
//	0 | hash | hash | 1 | hash | hash
//	                      ^base
type nameSet struct {
	stack   []uint64
	base    int
	suspect bool
}

// reset prepares for another value.
func (s *nameSet) reset() {
	s.stack, s.base, s.suspect = s.stack[:0], 0, false
}

// open begins an object.
func (s *nameSet) open() {
	s.stack = append(s.stack, uint64(s.base))
	s.base = len(s.stack)
}

// close ends the object that began last.
func (s *nameSet) close() {
	last := s.base - 1
	s.base, s.stack = int(s.stack[last]), s.stack[:last]
}

// add records the name whose text begins at i. It returns the index after its closing quote, or -1
// if the name is malformed.
func (s *nameSet) add(data []byte, i int) int {
	start := i
	hash := uint64(0)
	for {
		w := wordAt(data, i)
		m := special(w)
		if m == 0 {
			hash = mix(hash, w)
			i += 8
			continue
		}
		before := bits.TrailingZeros64(m) &^ 7 // bits of the word that are part of the name
		hash = mix(hash, w&(1<<before-1))
		if i += before >> 3; i >= len(data) {
			break
		}
		if data[i] == '"' {
			s.note(hash)
			return i + 1
		}
		// A quote and a backslash have, in practice, a single escaped form, so that equal names are
		// equal before unescaping.
		if data[i] != '\\' || i+1 >= len(data) || data[i+1] != '"' && data[i+1] != '\\' {
			break
		}
		hash = mix(hash, uint64(data[i+1]))
		i += 2
	}
	s.suspect = true
	return stringEnd(data, start)
}

// note adds the hash of a name to those of its object.
func (s *nameSet) note(hash uint64) {
	// number of names from which comparing each with all others takes longer than duplicates
	const many = 64
	names := s.stack[s.base:]
	for _, other := range names {
		if other == hash {
			s.suspect = true
			return
		}
	}
	s.suspect = len(names) >= many
	s.stack = append(s.stack, hash)
}

func mix(hash, w uint64) uint64 {
	return (bits.RotateLeft64(hash, 29) ^ w) * 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio
}

// wordAt returns the eight bytes at i, with zeros past the end.
func wordAt(data []byte, i int) uint64 {
	if len(data)-i >= 8 {
		return binary.LittleEndian.Uint64(data[i:])
	}
	var last [8]byte
	copy(last[:], data[i:])
	return binary.LittleEndian.Uint64(last[:])
}
