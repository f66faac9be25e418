package cbor

import (
	"bytes"
	"errors"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/serializer/internal/members"
)

// errNotSpliced is the error for an item without exactly one map to change.
var errNotSpliced = errors.New("cbor: the item does not have exactly one map to change")

// splice returns a copy of an item, a map, in which the value of a field, also a map, is changed by
// the differences between two JSON texts of it, before and after. All other entries are preserved,
// including those in neither text; both maps get definite lengths. Added entries are inserted in
// key order. The item must be valid, and it is an error if the field occurs twice.
func splice(data []byte, field string, before, after []byte) ([]byte, error) {
	outer, ok := entriesOf(data)
	at := outer.find(0, field)
	if !ok || at >= 0 && outer.find(at+1, field) >= 0 {
		return nil, errNotSpliced
	}
	var inner entries
	if at >= 0 && !bytes.Equal(outer.list[at].value, []byte{headNull}) {
		if inner, ok = entriesOf(outer.list[at].value); !ok {
			return nil, errNotSpliced
		}
	}
	removed, differing := members.Changes(before, after)
	changed, err := entriesOfJSON(differing.JSON())
	if err != nil {
		return nil, err
	}
	for _, name := range removed {
		inner.remove(name)
	}
	for _, e := range changed.list {
		inner.put(e)
	}
	outer.put(newEntry(field, inner.append(nil)))
	return outer.append(nil), nil
}

// entry is one entry of a map: its key as text, and its key and value in encoded form.
type entry struct {
	name       string
	key, value []byte
}

func newEntry(name string, value []byte) entry {
	return entry{name, appendString(nil, []byte(name)), value}
}

// entries holds the entries of one map, in their order, and the tags before it.
type entries struct {
	tags []byte
	list []entry
}

// entriesOf parses a map. It returns false for any other item, and if a key is a string in several
// pieces.
func entriesOf(data []byte) (out entries, ok bool) {
	at := 0
	for at < len(data) && data[at]&0xE0 == majorTag {
		if _, at, ok = headAt(data, at); !ok {
			return entries{}, false
		}
	}
	if at >= len(data) || data[at]&0xE0 != majorMap {
		return entries{}, false
	}
	out.tags = data[:at]
	left, from, definite := headAt(data, at)
	if !definite {
		from = at + 1
	}
	for ; definite && left > 0 || !definite && from < len(data) && data[from] != breakCode; left-- {
		value := itemEnd(data, from)
		end := itemEnd(data, value)
		name := textOf(data[from:value])
		if name == nil || end == value {
			return entries{}, false
		}
		out.list = append(out.list, entry{string(name), data[from:value], data[value:end]})
		from = end
	}
	return out, true
}

// itemEnd returns where the item at an offset ends.
func itemEnd(data []byte, at int) int {
	var s scanner
	n, _ := s.next(data[at:])
	return at + n
}

// entriesOfJSON returns the entries of the object in a JSON text.
func entriesOfJSON(text []byte) (entries, error) {
	item, err := FromJSON(nil, text)
	if err != nil {
		return entries{}, err
	}
	out, ok := entriesOf(item)
	if !ok {
		return entries{}, errNotSpliced
	}
	return out, nil
}

// find returns the index of the first entry from an index on that has a name, or -1.
func (m *entries) find(from int, name string) int {
	for i := from; i < len(m.list); i++ {
		if m.list[i].name == name {
			return i
		}
	}
	return -1
}

func (m *entries) remove(name string) {
	m.list = sorted.Delete(m.list, func(e entry) bool { return e.name == name })
}

// put replaces the first entry of the same name or, if the map has none, inserts e before the first
// entry with a greater key.
func (m *entries) put(e entry) {
	at := m.find(0, e.name)
	if at >= 0 {
		e.key = m.list[at].key
		m.remove(e.name)
	} else if at = slices.IndexFunc(m.list, func(old entry) bool { return bytes.Compare(old.key, e.key) > 0 }); at < 0 {
		at = len(m.list)
	}
	m.list = sorted.Insert(m.list, at, e)
}

func (m *entries) append(dst []byte) []byte {
	dst = appendHead(append(dst, m.tags...), majorMap, uint64(len(m.list)))
	for i := range m.list {
		dst = append(append(dst, m.list[i].key...), m.list[i].value...)
	}
	return dst
}
