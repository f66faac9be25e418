package dynamic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
)

// edit sets the value at the end of a path or, if it has none, deletes it.
type edit struct {
	path  []string
	value *unstructured.Value
}

// setDefaults sets the defaults of members that are missing, and of those that are null although
// the schema does not allow it. Such a null without a default is removed. API servers do the same
// with the objects of CustomResourceDefinitions.
func (s *structure) setDefaults(o *Object) error {
	content, _, err := o.Content.Get()
	if err != nil {
		return err
	}
	d := defaulter{room: mostAdded}
	d.value(s.root, nil, content)
	if d.room < 0 {
		return fmt.Errorf("dynamic: the object has too many places for defaults, which would add more than %d bytes to it: %w",
			mostAdded, runtime.ErrLimit)
	}
	for _, e := range d.edits {
		if err := e.apply(&o.Content); err != nil {
			return err
		}
	}
	return nil
}

// mostAdded bounds the bytes that defaults add to an object, since a short element can get a long
// default. A reader of lists takes items of this size, see [schema.Limits]. Each default is counted
// with its place.
const (
	mostAdded = 16 << 20
	ofPlace   = 64
)

// defaulter collects the changes that defaulting makes.
type defaulter struct {
	edits []edit
	room  int // bytes that defaults may still add; negative if there are too many
}

// set adds a default.
func (d *defaulter) set(path []string, n *node) {
	if d.room -= n.bytes + ofPlace; d.room >= 0 {
		d.edits = append(d.edits, edit{slices.Clone(path), n.value})
	}
}

func (e edit) apply(o *unstructured.Object) error {
	if e.value == nil {
		_, err := o.Delete(e.path...)
		return err
	}
	return o.Set(*e.value, e.path...)
}

// value adds the changes that defaulting makes in a value, in order: one may be inside of the value
// that an earlier one sets.
func (d *defaulter) value(n *node, path []string, v unstructured.Value) {
	if n == nil || !n.defaults || d.room < 0 {
		return
	}
	switch v.Type() {
	case unstructured.TypeArray:
		elements, _ := v.Elements()
		for i, e := range elements {
			at := append(path, strconv.Itoa(i))
			if !n.Items.refusesNull(e) {
				d.value(n.Items, at, e)
			} else if n.Items.value != nil {
				d.set(at, n.Items)
			}
		}
	case unstructured.TypeObject:
		if left := n.withoutNulls(v); left.Len() < v.Len() {
			v = left
			d.edits = append(d.edits, edit{slices.Clone(path), &left})
		}
		members, _ := v.Members()
		present := make(map[string]bool, v.Len())
		for name, m := range members {
			present[name] = true
			p, at := n.member(name), append(path, name)
			switch {
			case p.refusesNull(m) && p.value != nil:
				d.set(at, p)
			case p.refusesNull(m):
				d.edits = append(d.edits, edit{slices.Clone(at), nil})
			case n.Embedded && name == "metadata" && m.Type() == unstructured.TypeNull:
				d.edits = append(d.edits, edit{slices.Clone(at), &emptyObject})
			default:
				d.value(p, at, m)
			}
		}
		for name, p := range n.Properties {
			if p.value != nil && !present[name] {
				d.set(append(path, name), p)
			}
		}
	}
}

// member returns the schema of a member of an object, or nil.
func (n *node) member(name string) *node {
	if p, known := n.Properties[name]; known {
		return p
	}
	return n.additional
}

// withoutNulls returns an object without the nulls that defaulting removes, or a small one as it
// is. Removing them one by one copies the other members each time.
func (n *node) withoutNulls(v unstructured.Value) unstructured.Value {
	if v.Len() < 100 {
		return v
	}
	left := make(map[string]any, v.Len())
	members, _ := v.Members()
	for name, m := range members {
		if p := n.member(name); !p.refusesNull(m) || p.value != nil {
			left[name] = m
		}
	}
	if len(left) == v.Len() {
		return v
	}
	out, _ := held(left) // of values
	return out
}

// emptyObject replaces metadata that is null in an embedded object.
var emptyObject, _ = held(map[string]any{})

// held returns a copy of a Go value.
func held(x any) (unstructured.Value, error) {
	var holder unstructured.Object
	err := holder.Set(x, "value")
	v, _, _ := holder.Get("value")
	return v, err
}

// refusesNull reports whether a value is null although the schema does not allow it.
func (n *node) refusesNull(v unstructured.Value) bool {
	return n != nil && !n.Nullable && v.Type() == unstructured.TypeNull
}

// withDefaults returns a value with the defaults inside it, and false if they are too many.
func (n *node) withDefaults(v unstructured.Value) (_ unstructured.Value, ok bool) {
	d := defaulter{room: mostAdded}
	d.value(n, []string{"value"}, v)
	if d.room < 0 || len(d.edits) == 0 {
		return v, d.room >= 0
	}
	var holder unstructured.Object
	if holder.Set(v, "value") != nil {
		return v, true
	}
	for _, e := range d.edits {
		_ = e.apply(&holder) // the path exists
	}
	out, _, _ := holder.Get("value")
	return out, true
}
