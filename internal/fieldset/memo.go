package fieldset

import (
	"encoding/binary"
	"sync"
)

// A Memo remembers sets of fields. The zero Memo is empty and ready. It is for one goroutine.
type Memo struct {
	// sets has two for each remainder of a tag, the last one first. An object has two or three of them, which may meet.
	sets [memoSize / 2][2]set
}

const (
	memoSize = 16
	// Shorter texts are read as fast as they are looked up. Longer ones would take much memory.
	minText, maxText = 64, 4 << 10
)

// set is one that was seen. Its text is blank until a second one with the same tag arrives: what occurs once is neither read nor copied.
type set struct {
	tag  uint64
	text []byte
}

// Known reports whether a text is known to be a set of fields, which is written as it is. It is false for most texts that are not like one seen before, sets or not.
func (m *Memo) Known(text []byte) bool {
	if len(text) < minText || len(text) > maxText {
		return false
	}
	tag := tagOf(text)
	pair := &m.sets[tag%uint64(len(m.sets))]
	last := &pair[0]
	if last.tag != tag {
		pair[0], pair[1] = pair[1], pair[0]
	}
	switch {
	case last.tag != tag:
		last.tag, last.text = tag, last.text[:0]
		return false
	case Alike(last.text, text):
		return true
	case End(text) != len(text):
		return false
	}
	last.text = append(last.text[:0], text...)
	return true
}

// tagOf tells sets of different programs apart by how they begin and end. Names that differ from object to object are seldom there.
func tagOf(text []byte) uint64 {
	const prime = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	h := uint64(0)
	for _, at := range [...]int{8, 16, len(text) - 24, len(text) - 16} {
		h = (h ^ binary.LittleEndian.Uint64(text[at:])) * prime
		h ^= h >> 32
	}
	return h
}

// memos has a Memo for each goroutine that asks at the same time. The collector takes those that rest.
var memos = sync.Pool{New: func() any { return new(Memo) }}

// Known is [Memo.Known] with a Memo that any number of goroutines may share. It keeps copies of texts, 64 KB of them for each processor at most.
func Known(text []byte) bool {
	m := memos.Get().(*Memo)
	known := m.Known(text)
	memos.Put(m)
	return known
}
