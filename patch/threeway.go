package patch

import (
	"errors"
	"slices"

	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"

	"github.com/askind/askind/wire/jsonwire"
)

// ThreeWay returns the patch that kubectl apply sends, as compact JSON: original is the
// configuration that was applied last, modified the one to apply, and current the object as it is.
// The patch removes the fields that original has and modified lacks, and sets those of modified
// that differ in current. Fields that only current has stay. Null in modified removes a field; in a
// merge patch, as kubectl sends for custom resources, only if it is not null in original. A blank
// original has no fields. The type is Merge or [Strategic], which needs the structure of the
// kind.
func ThreeWay(t Type, original, modified, current []byte, o Options) ([]byte, error) {
	l := o.Limits.orDefaults()
	if len(original) == 0 {
		original = []byte("{}")
	}
	before, after, err := twoDocuments(t, original, modified, &l)
	if err != nil {
		return nil, err
	}
	live, _, err := twoDocuments(t, current, []byte("{}"), &l)
	if err != nil {
		return nil, err
	}
	return between(t, &before, &after, &live, o.Structure, true)
}

// between returns the merge patch or strategic merge patch that makes the changes from original to
// modified in current.
func between(t Type, original, modified, current *tree.Node, of *structure.Type, nulls bool) ([]byte, error) {
	switch {
	case t != Merge && t != Strategic:
		return nil, &Error{Type: t, Operation: -1, Err: ErrType, Message: "a three-way merge makes a Merge or Strategic patch"}
	case t == Strategic && of == nil:
		return nil, &Error{Type: t, Operation: -1, Err: ErrNoStructure}
	case t == Merge:
		of = nil
	}
	if modified.Kind != tree.Object || current.Kind != tree.Object {
		if t == Strategic {
			return nil, &Error{Type: t, Operation: -1, Err: ErrWrongType, Message: "the documents are not objects"}
		}
		if modified.Kind == tree.Object && !nulls {
			if err := findNull(modified); err != nil {
				return nil, typed(err, t)
			}
		}
		return jsonwire.Compact(nil, modified.Append(nil))
	}
	d := delta{t: t, nulls: nulls}
	change, err := d.object(original, modified, current, of, false)
	if err != nil {
		return nil, typed(err, t)
	}
	return jsonwire.Compact(nil, change.Append(nil))
}

// typed sets the type of an error, and its path from its place.
func typed(err error, t Type) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Type = t
		if e.at != nil {
			e.Path = e.at.String()
		}
	}
	return err
}

// delta makes merge patches and strategic merge patches.
type delta struct {
	t     Type
	nulls bool // null in the modified document removes; else it is an error
}

// object returns the patch between objects. The original may be nil or have another kind.
func (d *delta) object(original, modified, current *tree.Node, of *structure.Type, retain bool) (tree.Node, error) {
	patch := tree.New(tree.Object)
	for i := range modified.Kids {
		m := &modified.Kids[i]
		if err := d.member(&patch, kid(original, m), m, kid(current, m), of); err != nil {
			return patch, atMember(err, m.Name)
		}
	}
	if original != nil && original.Kind == tree.Object {
		for i := range original.Kids {
			if name := original.Kids[i].Name; modified.Find(name) < 0 {
				patch.Kids = append(patch.Kids, null(name))
			}
		}
	}
	if retain && (len(patch.Kids) > 0 || hasMore(current, modified) || hasMore(original, modified)) {
		patch.Kids = append(patch.Kids, retained(modified))
	}
	patch.Sort()
	return patch, nil
}

// kid returns the member of the same name, or nil.
func kid(n, like *tree.Node) *tree.Node {
	if n == nil || n.Kind != tree.Object {
		return nil
	}
	if i := n.Find(like.Name); i >= 0 {
		return &n.Kids[i]
	}
	return nil
}

// hasMore reports whether an object has a non-null member that another one lacks.
func hasMore(n, than *tree.Node) bool {
	if n == nil || n.Kind != tree.Object {
		return false
	}
	return slices.ContainsFunc(n.Kids, func(k tree.Node) bool { return k.Kind != tree.Null && than.Find(k.Name) < 0 })
}

// retained returns the directive that lists the members of an object.
func retained(n *tree.Node) tree.Node {
	var names []string
	for i := range n.Kids {
		if n.Kids[i].Kind != tree.Null {
			names = append(names, n.Kids[i].Name)
		}
	}
	slices.Sort(names)
	list := tree.New(tree.Array)
	list.Name = retainKeysDirective
	for _, name := range names {
		list.Kids = append(list.Kids, tree.Sound(string(jsonwire.AppendString(nil, name))))
	}
	return list
}

// member adds the change of one member to a patch. Original and current are nil if they lack it.
func (d *delta) member(patch, original, modified, current *tree.Node, of *structure.Type) error {
	f := of.Field(modified.Name)
	switch {
	case d.t == Merge && d.nulls && modified.Kind == tree.Null && original != nil && original.Kind == tree.Null:
		return nil
	case current == nil || current.Kind != modified.Kind:
	case modified.Kind == tree.Object && (f == nil || !f.Replace):
		var member *structure.Type
		if d.t == Strategic {
			member = of.Member(modified.Name)
		}
		below, err := d.object(original, modified, current, member, f != nil && f.RetainKeys)
		if err == nil && len(below.Kids) > 0 {
			below.Name = modified.Name
			patch.Kids = append(patch.Kids, below)
		}
		return err
	case modified.Kind == tree.Array && f != nil && f.Merge:
		return d.list(patch, original, modified, current, f)
	case tree.Equal(modified, current):
		return nil
	}
	if !d.nulls {
		if err := findNull(modified); err != nil {
			return err
		}
	}
	patch.Kids = append(patch.Kids, *modified)
	return nil
}

// list adds the change of a merged list to a patch.
func (d *delta) list(patch, original, modified, current *tree.Node, f *structure.Field) error {
	var before []tree.Node
	if original != nil && original.Kind == tree.Array {
		before = original.Kids
	}
	if err := sameKinds(before, modified.Kids, current.Kids); err != nil {
		return err
	}
	elements, gone, err := d.elements(before, modified, current, f)
	if err != nil {
		return err
	}
	name := modified.Name
	if len(elements) > 0 {
		list := tree.New(tree.Array)
		list.Name, list.Kids = name, elements
		patch.Kids = append(patch.Kids, list)
	}
	if len(gone) > 0 {
		list := tree.New(tree.Array)
		list.Name, list.Kids = deleteDirective+name, gone
		patch.Kids = append(patch.Kids, list)
	}
	if len(elements) == 0 && len(gone) == 0 && sameOrder(modified.Kids, current.Kids, f.MergeKey) ||
		len(current.Kids) == 0 && len(gone) == 0 {
		return nil
	}
	order := tree.New(tree.Array)
	order.Name = orderDirective + name
	for i := range modified.Kids {
		k := modified.Kids[i]
		if f.MergeKey != "" {
			only := tree.New(tree.Object)
			only.Kids = append(only.Kids, *k.Get(f.MergeKey))
			k = only
		}
		order.Kids = append(order.Kids, k)
	}
	patch.Kids = append(patch.Kids, order)
	return nil
}

// elements returns the elements of the patch for a list, in the order of the modified list, and the
// scalars that it deletes.
func (d *delta) elements(before []tree.Node, modified, current *tree.Node, f *structure.Field) (out, gone []tree.Node,
	err error,
) {
	for _, list := range [][]tree.Node{before, modified.Kids, current.Kids} {
		for i := range list {
			if f.MergeKey != "" && list[i].Get(f.MergeKey) == nil {
				return nil, nil, atElement(noKey(f.MergeKey), i)
			}
		}
	}
	was, is := newIndex(before, f.MergeKey, nil), newIndex(current.Kids, f.MergeKey, nil)
	next := newIndex(modified.Kids, f.MergeKey, nil)
	for i := range modified.Kids {
		m := &modified.Kids[i]
		j := is.find(m)
		switch {
		case j < 0:
			out = append(out, *m)
		case m.Kind == tree.Object:
			var o *tree.Node
			if at := was.find(m); at >= 0 {
				o = &before[at]
			}
			below, err := d.object(o, m, &current.Kids[j], f.Type.Element(), f.RetainKeys)
			if err != nil {
				return nil, nil, atElement(err, i)
			}
			if len(below.Kids) > 0 {
				below.Put(f.MergeKey, *m.Get(f.MergeKey))
				below.Sort()
				out = append(out, below)
			}
		}
	}
	for i := range before {
		o := &before[i]
		if next.find(o) >= 0 || was.find(o) != i {
			continue
		}
		if o.Kind != tree.Object {
			gone = append(gone, *o)
			continue
		}
		deleted := tree.New(tree.Object)
		deleted.Put(patchDirective, tree.Sound(`"delete"`))
		deleted.Put(f.MergeKey, *o.Get(f.MergeKey))
		out = append(out, deleted)
	}
	return out, gone, nil
}

// sameOrder reports whether two lists have the same keys, or scalars, in the same order.
func sameOrder(a, b []tree.Node, key string) bool {
	return slices.EqualFunc(a, b, func(x, y tree.Node) bool { return keyOf(&x, key) == keyOf(&y, key) })
}
