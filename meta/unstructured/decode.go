package unstructured

import (
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// place is where in an object a value stands, as far as it makes a difference.
type place uint8

const (
	anything  place = iota
	rootPlace       // an object that is one as a whole
	itemPlace       // an item of a list
	itemsPlace
	metadataPlace
	textPlace // a value that is a string in every object, so that YAML without quotes is text: a label 1.10 is not 1.1
)

// child returns the place of a member.
func (p place) child(name []byte) place {
	switch p {
	case rootPlace, itemPlace:
		switch string(name) {
		case "metadata":
			return metadataPlace
		case "apiVersion", "kind":
			return textPlace
		case "items":
			if p == rootPlace {
				return itemsPlace
			}
		}
	case metadataPlace:
		switch string(name) {
		case "name", "generateName", "namespace", "uid", "resourceVersion", "continue", "labels", "annotations",
			"finalizers":
			return textPlace
		}
	case textPlace:
		return textPlace
	}
	return anything
}

// read reads the next value. After a failure of the reader the result is undefined.
func (b *builder) read(r *jsonwire.Reader, p place) view {
	switch s := r.Scalar(p == textPlace); s.Kind {
	case '"':
		return b.string(borrow(s.Text))
	case '{':
		return b.readObject(r, p)
	case '[':
		return b.readArray(r, p)
	case 'i':
		return scalarView(TypeInt64, s.Bits)
	case 'u':
		return scalarView(TypeUint64, s.Bits)
	case 'f':
		return scalarView(TypeFloat64, s.Bits)
	case 't':
		return scalarView(TypeBool, s.Bits)
	}
	return view{}
}

func (b *builder) readObject(r *jsonwire.Reader, p place) view {
	return b.readMembers(r, p, nil)
}

// readMembers reads an object, but for the members that take reads.
func (b *builder) readMembers(r *jsonwire.Reader, p place, take func(name []byte) bool) view {
	c := b.open()
	inOrder := true
	var last *key
	var seen map[string]bool // all names, in strict mode and only once they are out of order
	for name := r.Object(); name != nil; name = r.NextKey() {
		if take != nil && take(name) {
			continue
		}
		k := b.keys.get(borrow(name))
		if inOrder && last != nil && k.text <= last.text {
			inOrder = false
			if r.Strict() {
				seen = b.names(c)
			}
		}
		if seen != nil {
			if seen[k.text] {
				r.Duplicate(name)
			}
			seen[k.text] = true
		}
		last = k
		var v view
		if p == anything {
			v = b.read(r, anything)
		} else {
			v = b.readMember(r, p, name)
		}
		b.push(c, k, v)
	}
	return b.object(c, inOrder)
}

// names returns the names that an object has so far.
func (b *builder) names(c container) map[string]bool {
	seen := make(map[string]bool)
	note := func(members []member) {
		for _, m := range members {
			seen[m.key.text] = true
		}
	}
	for _, r := range b.runs[c.runs:] {
		note(r.members)
	}
	note(b.stack[c.base:])
	return seen
}

// readMember reads a member of an object in a place that makes a difference.
func (b *builder) readMember(r *jsonwire.Reader, p place, name []byte) view {
	if p == rootPlace {
		switch memberType(borrow(name)) {
		case TypeString:
			if text := r.Text(); text != nil {
				return b.string(borrow(text))
			}
			return view{}
		case TypeObject:
			if kind := r.Kind(); kind != '{' {
				r.Object() // null, or recorded and skipped
				return view{}
			}
		}
	}
	return b.read(r, p.child(name))
}

func (b *builder) readArray(r *jsonwire.Reader, p place) view {
	c := b.open()
	switch p {
	case itemsPlace:
		// Items of a list do not share memory, so that each can be kept alone.
		b.flush(view{})
		for more := r.Array(); more; more = r.NextElem() {
			b.push(c, nil, b.flush(b.read(r, itemPlace)))
		}
	case textPlace:
		for more := r.Array(); more; more = r.NextElem() {
			b.push(c, nil, b.read(r, textPlace))
		}
	default:
		for more := r.Array(); more; more = r.NextElem() {
			b.push(c, nil, b.read(r, anything))
		}
	}
	return b.array(c)
}

// decode fills the root from the next value of a reader. Null leaves an object without members;
// another type is recorded.
func (r *root) decode(in *jsonwire.Reader) {
	r.view = view{}
	if in.Kind() != '{' {
		in.Object()
		return
	}
	b := newBuilder()
	defer b.release()
	b.in = in
	v := b.flush(b.readObject(in, rootPlace))
	if in.Err() != nil {
		return
	}
	r.view = v
	if isList(v) {
		stampItems(v)
	}
}

// DecodeJSONMembers is [DecodeJSONObject] for types that keep some members of their objects
// elsewhere. It calls take with the name of each member while r is at its value. The function
// either reads the value and returns true, or leaves it to be a member of out. Unlike those of
// DecodeJSONObject, the members of out can be of any type, whatever their names.
func DecodeJSONMembers(r *jsonwire.Reader, out *Object, take func(name []byte) bool) {
	out.view = view{}
	if r.Kind() != '{' {
		r.Object() // null, or recorded and skipped
		return
	}
	b := newBuilder()
	defer b.release()
	b.in = r
	if v := b.flush(b.readMembers(r, anything, take)); r.Err() == nil {
		out.view = v
	}
}

// isList reports whether an object is a list of objects: its kind says so, it has items, and it has
// no name, as an object of a kind that happens to be called AllowList would.
func isList(v view) bool {
	kind, _ := v.step("kind")
	items, ok := v.step("items")
	_, named, _ := v.lookup([]string{"metadata", "name"})
	return ok && !named && kind.typ() == TypeString && isListName(kind.text()) &&
		(items.typ() == TypeArray || items.typ() == TypeNull)
}

// isListName reports whether a kind is called a list.
func isListName(kind string) bool { return strings.HasSuffix(kind, "List") }

// stampItems gives the items of a list that state neither kind nor apiVersion those that follow
// from the list: the items of typed lists carry none on the wire. Items of the kind List can be
// anything, so they stay as they are.
func stampItems(list view) {
	kind, _ := list.step("kind")
	version, _ := list.step("apiVersion")
	items, _ := list.step("items")
	if items.typ() != TypeArray || kind.typ() != TypeString || version.typ() != TypeString {
		return
	}
	name, ok := strings.CutSuffix(kind.text(), "List")
	if !ok || name == "" || version.text() == "" {
		return
	}
	itemKind := textView(name)
	elements := items.elements()
	for i := range elements {
		item := &elements[i]
		if item.typ() != TypeObject {
			continue
		}
		if _, stated := item.step("kind"); stated {
			continue
		}
		if _, stated := item.step("apiVersion"); stated {
			continue
		}
		*item = withType(*item, version, itemKind)
	}
}

// withType returns an object with two more members.
func withType(v, version, kind view) view {
	old := v.members()
	members := make([]member, 0, len(old)+2)
	i, _ := search(old, "apiVersion")
	j, _ := search(old, "kind")
	members = append(append(members, old[:i]...), member{intern("apiVersion"), version})
	members = append(append(members, old[i:j]...), member{intern("kind"), kind})
	return objectView(append(members, old[j:]...))
}

// unmarshal decodes a whole text.
func (r *root) unmarshal(data []byte) error {
	t := texts.Get().(*text)
	defer t.release()
	t.reader.Reset(data, jsonwire.Options{})
	r.decode(&t.reader)
	t.reader.End()
	return problemsOf(&t.reader, data)
}

// problemsOf returns what the reader of a text found as a [*runtime.DecodeError], nil if that is
// nothing.
func problemsOf(in *jsonwire.Reader, text []byte) error {
	found := in.Problems()
	if len(found) == 0 {
		return nil
	}
	err := &runtime.DecodeError{Problems: make([]runtime.Problem, len(found))}
	for i, p := range found {
		err.Problems[i] = runtime.Problem{
			Position: schema.PositionOf(text, p.Offset), Path: jsonwire.PathAt(text, p.Offset).String(),
			Cause: runtime.CauseOf(p.Code), Message: p.Message, Nearest: p.Nearest, Err: p.Err,
		}
	}
	return err
}
