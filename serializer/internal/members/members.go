// Package members takes JSON objects apart, for formats that change some members of one and leave
// the others as they are.
package members

import (
	"bytes"
	"slices"

	"github.com/askind/askind/wire/jsonwire"
)

// Member is a member of an object: its name, and its value in JSON.
type Member struct {
	Name  string
	Value []byte
}

// List are the members of an object, in their order.
type List []Member

// Of takes an object apart; anything else has no members. The values are parts of the text, which
// is to be sound.
func Of(object []byte) (out List) {
	r := jsonwire.NewReader(object, jsonwire.Options{})
	if r.Kind() != '{' {
		return nil
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		r.Kind() // goes over white space
		from := r.Offset()
		r.Skip()
		out = append(out, Member{name, object[from:r.Offset()]})
	}
	return out
}

// Value returns the value of the first member of a name, nil if there is none.
func (l List) Value(name string) []byte {
	if i := slices.IndexFunc(l, func(m Member) bool { return m.Name == name }); i >= 0 {
		return l[i].Value
	}
	return nil
}

// Without returns the members but for those of a name.
func (l List) Without(name string) List {
	return slices.DeleteFunc(slices.Clone(l), func(m Member) bool { return m.Name == name })
}

// JSON returns the object that has the members.
func (l List) JSON() []byte {
	out := []byte{'{'}
	for i, m := range l {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(jsonwire.AppendString(out, m.Name), ':'), m.Value...)
	}
	return append(out, '}')
}

// Changes returns what differs between two objects: the names that only the one before has, and the
// members of the one after that the one before has not, or not with the same text.
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
