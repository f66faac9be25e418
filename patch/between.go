package patch

import (
	"errors"

	"github.com/askind/askind/patch/internal/tree"

	"github.com/askind/askind/wire/jsonwire"
)

// ErrInexpressible is the cause of the error of [Between] for two documents between which the
// format has no patch: a merge patch cannot set a member to null.
var ErrInexpressible = errors.New("the patch format cannot express the change")

// Between returns a patch of the given type that turns one document into another, as compact JSON.
// It does not depend on the order of members: a JSON patch visits members in lexical order. The
// patch of equal documents is [] or {}.
//
// A JSON patch has operations for the members that differ. In arrays it keeps a longest common
// subsequence, and it replaces an array as a whole if that is shorter than the operations on its
// elements. Arrays that differ in thousands of elements are compared element by element.
func Between(t Type, before, after []byte, o Options) ([]byte, error) {
	l := o.Limits.orDefaults()
	a, b, err := twoDocuments(t, before, after, &l)
	if err != nil {
		return nil, err
	}
	if t == JSON {
		d := differ{}
		d.values(nil, &a, &b, nil)
		return jsonwire.Compact(nil, d.patch())
	}
	return between(t, &a, &b, &a, o.Structure, false)
}

func twoDocuments(t Type, before, after []byte, l *Limits) (a, b tree.Node, err error) {
	if a, err = tree.ParseAll(before, l.Limits); err == nil {
		b, err = tree.ParseAll(after, l.Limits)
	}
	if err != nil {
		return a, b, &Error{Type: t, Operation: -1, Err: err, document: true}
	}
	return a, b, nil
}

// null returns a member that is null.
func null(name string) tree.Node {
	n := tree.Sound("null")
	n.Name = name
	return n
}

// findNull returns an error if a value is null, or an object with a member that is null outside of
// arrays.
func findNull(n *tree.Node) error {
	switch n.Kind {
	case tree.Null:
		return located(ErrInexpressible, "this patch format cannot set a field to null")
	case tree.Object:
		for i := range n.Kids {
			if err := findNull(&n.Kids[i]); err != nil {
				return atMember(err, n.Kids[i].Name)
			}
		}
	}
	return nil
}
