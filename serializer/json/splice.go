package json

import (
	"errors"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/members"
	"github.com/askind/askind/wire/jsonwire"
)

// errNotSpliced is the error for a text without exactly one place for a change.
var errNotSpliced = errors.New("json: the text does not have exactly one object to change")

// splice returns a copy of the text of an object in which one of the objects in it, the value of a
// field, is changed by the differences between two JSON texts of it, before and after. All other
// bytes are preserved, including members in neither text. The text must be valid JSON, and it is an
// error if the field occurs twice.
func splice(text []byte, field string, before, after []byte) ([]byte, error) {
	if n := start(text); n > 0 {
		out, err := splice(text[n:], field, before, after)
		if err != nil {
			return nil, err
		}
		return append([]byte(byteOrderMark), out...), nil
	}
	if repeats(text, field) {
		return nil, errNotSpliced
	}
	removed, changed := members.Changes(before, after)
	out := append(make([]byte, 0, len(text)+max(0, len(after)-len(before))+64), text...)
	parent := schema.NewPath(field)
	start, end, ok := jsonwire.OffsetOf(out, parent)
	if ok && string(out[start:end]) == "null" {
		out = replace(out, start, end, []byte("{}"))
	}
	if !ok {
		if start = skipSpace(out, 0); start >= len(out) || out[start] != '{' {
			return nil, errNotSpliced
		}
		out = insert(out, start, jsonwire.AppendString(nil, field), []byte("{}"))
		start, _, _ = jsonwire.OffsetOf(out, parent)
	}
	if out[start] != '{' {
		return nil, errNotSpliced
	}
	for _, name := range removed {
		out = remove(out, parent.Child(name))
	}
	for _, m := range changed {
		from, to, ok := jsonwire.OffsetOf(out, parent.Child(m.Name))
		if ok {
			out = replace(out, from, to, m.Value)
			continue
		}
		start, _, _ := jsonwire.OffsetOf(out, parent)
		out = insert(out, start, jsonwire.AppendString(nil, m.Name), m.Value)
	}
	return out, nil
}

// repeats reports whether an object has a member twice, so that the place to change is ambiguous.
func repeats(text []byte, name string) bool {
	r, n := jsonwire.NewReader(text, jsonwire.Options{}), 0
	for key := r.Object(); key != nil; key = r.NextKey() {
		if string(key) == name {
			n++
		}
		r.Skip()
	}
	return n > 1
}

// replace replaces text[from:to] with a value.
func replace(text []byte, from, to int, value []byte) []byte {
	tail := append([]byte(nil), text[to:]...)
	return append(append(text[:from], value...), tail...)
}

// insert adds a member as the first one of the object whose brace is at start.
func insert(text []byte, start int, name, value []byte) []byte {
	at := start + 1
	added := append(append(append([]byte(nil), name...), ':'), value...)
	if next := skipSpace(text, at); next < len(text) && text[next] != '}' {
		added = append(added, ',')
	}
	return replace(text, at, at, added)
}

// remove removes all occurrences of a member.
func remove(text []byte, path *schema.Path) []byte {
	for {
		from, to, ok := jsonwire.OffsetOf(text, path)
		if !ok {
			return text
		}
		// Move back over the colon and the name to the start of the member, then include one of the
		// adjacent commas.
		from = nameBefore(text, from)
		if next := skipSpace(text, to); next < len(text) && text[next] == ',' {
			to = skipSpace(text, next+1)
		} else if comma := spaceBefore(text, from) - 1; comma >= 0 && text[comma] == ',' {
			from = comma
		}
		text = append(text[:from], text[to:]...)
	}
}

// spaceBefore returns the start of the white space before i.
func spaceBefore(text []byte, i int) int {
	for i > 0 && skipSpace(text, i-1) > i-1 {
		i--
	}
	return i
}

// nameBefore returns the start of the name of the member whose value is at i.
func nameBefore(text []byte, i int) int {
	i = spaceBefore(text, i) - 1         // at the colon
	i = spaceBefore(text, max(i, 0)) - 1 // at the closing quote
	i--
	for i > 0 && (text[i] != '"' || text[i-1] == '\\') { // a quote in the name is escaped
		i--
	}
	return max(i, 0)
}
