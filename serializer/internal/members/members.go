// Package members parses JSON objects into members, for formats that change some members of an
// object and preserve the others.
package members

import (
	"bytes"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

// Member is a member of an object: its name, and its value in JSON.
type Member struct {
	Name  string
	Value []byte
}

// List holds the members of an object, in their order.
type List []Member

// Of parses an object; any other value has no members. The values alias the text, which must be
// valid.
func Of(object []byte) (out List) {
	r := jsonwire.NewReader(object, jsonwire.Options{})
	if r.Kind() != '{' {
		return nil
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		r.Kind() // skips white space
		from := r.Offset()
		r.Skip()
		out = append(out, Member{name, object[from:r.Offset()]})
	}
	return out
}

// Value returns the value of the first member with the name, or nil if there is none.
func (l List) Value(name string) []byte {
	if i := slices.IndexFunc(l, func(m Member) bool { return m.Name == name }); i >= 0 {
		return l[i].Value
	}
	return nil
}

// Without returns all members except those with the name.
func (l List) Without(name string) List {
	return sorted.Delete(slices.Clone(l), func(m Member) bool { return m.Name == name })
}

// JSON returns the object with these members.
func (l List) JSON() []byte {
	out := []byte{'{'}
	for i, m := range l {
		out = jsonwire.AppendComma(out, i)
		out = append(append(jsonwire.AppendString(out, m.Name), ':'), m.Value...)
	}
	return append(out, '}')
}

// Changes returns the differences between two objects: the names that only before has, and the
// members of after that before lacks or has with another text.
func Changes(before, after []byte) (removed []string, changed List) {
	was, is := Of(before), Of(after)
	for _, m := range was {
		if is.Value(m.Name) == nil {
			removed = append(removed, m.Name)
		}
	}
	for _, m := range is {
		if !bytes.Equal(was.Value(m.Name), m.Value) {
			changed = append(changed, m)
		}
	}
	return removed, changed
}
