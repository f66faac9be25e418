package dynamic

import (
	"slices"
	"strconv"

	"github.com/askind/askind/meta/unstructured"
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
	for _, e := range s.root.edits(nil, nil, content) {
		if err := e.apply(&o.Content); err != nil {
			return err
		}
	}
	return nil
}

func (e edit) apply(o *unstructured.Object) error {
	if e.value == nil {
		_, err := o.Delete(e.path...)
		return err
	}
	return o.Set(*e.value, e.path...)
}

// edits appends the changes that defaulting makes in a value, in order: one may be inside of the
// value that an earlier one sets.
func (n *node) edits(out []edit, path []string, v unstructured.Value) []edit {
	if n == nil || !n.defaults {
		return out
	}
	switch v.Type() {
	case unstructured.TypeArray:
		elements, _ := v.Elements()
		for i, e := range elements {
			at := append(path, strconv.Itoa(i))
			if n.Items.refusesNull(e) {
				if n.Items.value != nil {
					out = append(out, edit{slices.Clone(at), n.Items.value})
				}
				continue
			}
			out = n.Items.edits(out, at, e)
		}
	case unstructured.TypeObject:
		if left := n.withoutNulls(v); left.Len() < v.Len() {
			v = left
			out = append(out, edit{slices.Clone(path), &left})
		}
		members, _ := v.Members()
		present := make(map[string]bool, v.Len())
		for name, m := range members {
			present[name] = true
			p, at := n.member(name), append(path, name)
			if p.refusesNull(m) {
				out = append(out, edit{slices.Clone(at), p.value})
				continue
			}
			out = p.edits(out, at, m)
		}
		for name, p := range n.Properties {
			if p.value != nil && !present[name] {
				out = append(out, edit{slices.Clone(append(path, name)), p.value})
			}
		}
	}
	return out
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

// withDefaults returns a value with the defaults inside it.
func (n *node) withDefaults(v unstructured.Value) unstructured.Value {
	edits := n.edits(nil, []string{"value"}, v)
	if len(edits) == 0 {
		return v
	}
	var holder unstructured.Object
	if holder.Set(v, "value") != nil {
		return v
	}
	for _, e := range edits {
		_ = e.apply(&holder) // the path exists
	}
	out, _, _ := holder.Get("value")
	return out
}
