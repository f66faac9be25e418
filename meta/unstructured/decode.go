package unstructured

import (
	"strings"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// place is the position of a value in an object, as far as it affects decoding.
type place uint8

const (
	anything  place = iota
	rootPlace       // the object itself
	itemPlace       // an item of a list
	itemsPlace
	metadataPlace
	textPlace // always a string, so that unquoted YAML is text: a label 1.10 is not 1.1
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
		return b.string(borrow.String(s.Text))
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
	return b.readMembers(r, p, nil, nil)
}

// readMembers reads an object, except for the members that take reads and those that the filter, if
// it is not nil, does not have.
func (b *builder) readMembers(r *jsonwire.Reader, p place, f *Filter, take func(name []byte) bool) view {
	base := b.open()
	inOrder := true
	var last *key
	var seen map[string]bool // all names; used in strict mode once they are out of order
	for name := r.Object(); name != nil; name = r.NextKey() {
		if take != nil && take(name) {
			continue
		}
		var below *Filter
		if f != nil {
			var ok bool
			if below, ok = f.member(name); !ok {
				r.Unknown(name, f.known())
				continue
			}
		}
		k := b.keys.get(borrow.String(name))
		if inOrder && last != nil && k.text <= last.text {
			inOrder = false
			if r.Strict() {
				seen = b.names(base)
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
		switch {
		case below != nil:
			v = b.readFiltered(r, below)
		case p == anything:
			v = b.read(r, anything)
		default:
			v = b.readMember(r, p, name)
		}
		b.push(k, v)
	}
	return b.object(base, inOrder)
}

// readFiltered reads the next value through a filter.
func (b *builder) readFiltered(r *jsonwire.Reader, f *Filter) view {
	switch r.Kind() {
	case '{':
		return b.readMembers(r, anything, f, nil)
	case '[':
		base := b.open()
		for more := r.Array(); more; more = r.NextElem() {
			if f.Elements == nil {
				b.push(nil, b.read(r, anything))
			} else {
				b.push(nil, b.readFiltered(r, f.Elements))
			}
		}
		return b.array(base)
	}
	if f.Text {
		return b.read(r, textPlace)
	}
	return b.read(r, anything)
}

// names returns the names that the object at the end of the stack has so far.
func (b *builder) names(base int) map[string]bool {
	seen := make(map[string]bool)
	for _, m := range b.stack[base:] {
		seen[m.key.text] = true
	}
	return seen
}

// readMember reads a member of an object in a place that affects decoding.
func (b *builder) readMember(r *jsonwire.Reader, p place, name []byte) view {
	if p == rootPlace {
		switch memberType(borrow.String(name)) {
		case TypeString:
			if text := r.Text(); text != nil {
				return b.string(borrow.String(text))
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
	base := b.open()
	switch p {
	case itemsPlace:
		// Items of a list do not share memory, so that each can be retained separately.
		b.flush(view{})
		for more := r.Array(); more; more = r.NextElem() {
			b.push(nil, b.flush(b.read(r, itemPlace)))
		}
	case textPlace:
		for more := r.Array(); more; more = r.NextElem() {
			b.push(nil, b.read(r, textPlace))
		}
	default:
		for more := r.Array(); more; more = r.NextElem() {
			b.push(nil, b.read(r, anything))
		}
	}
	return b.array(base)
}

// decode fills the root from the next value of a reader. Null results in an object without members;
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
// either reads the value and returns true, or returns false, which makes it a member of out. In
// contrast to DecodeJSONObject, members of out can have any type, regardless of their names. A
// member that the filter does not have is skipped and, in strict mode, recorded; a nil filter has
// all members.
func DecodeJSONMembers(r *jsonwire.Reader, out *Object, f *Filter, take func(name []byte) bool) {
	out.view = view{}
	if r.Kind() != '{' {
		r.Object() // null, or recorded and skipped
		return
	}
	b := newBuilder()
	defer b.release()
	b.in = r
	if v := b.flush(b.readMembers(r, anything, f, take)); r.Err() == nil {
		out.view = v
	}
}

// isList reports whether an object is a list of objects: its kind says so, it has items, and it has
// no name, unlike an object of a kind such as AllowList.
func isList(v view) bool {
	kind, _ := v.step("kind")
	items, ok := v.step("items")
	_, named, _ := v.lookup([]string{"metadata", "name"})
	return ok && !named && kind.typ() == TypeString && isListName(kind.text()) &&
		(items.typ() == TypeArray || items.typ() == TypeNull)
}

// isListName reports whether a kind has the name of a list.
func isListName(kind string) bool { return strings.HasSuffix(kind, "List") }

// stampItems sets the kind and apiVersion of items that state neither to those that follow from the
// list, because the items of typed lists are encoded without them. Items of the kind List can have
// any kind, so they are not changed.
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

// problemsOf returns the problems that the reader of a text found as a [*runtime.DecodeError], or
// nil.
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
