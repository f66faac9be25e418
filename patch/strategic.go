package patch

import (
	"errors"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// The members of a strategic merge patch that are not fields.
const (
	patchDirective      = "$patch"
	retainKeysDirective = "$retainKeys"
	orderDirective      = "$setElementOrder/"
	deleteDirective     = "$deleteFromPrimitiveList/"
)

// isDirective reports whether a member of a patch is not a field.
func isDirective(name string) bool {
	return strings.HasPrefix(name, "$") && (name == patchDirective || name == retainKeysDirective ||
		strings.HasPrefix(name, orderDirective) || strings.HasPrefix(name, deleteDirective))
}

// strategic applies a strategic merge patch, which is completely open and is not changed.
type strategic struct {
	work  int // the rest of the limit
	limit int
}

// located returns an error, to which the callers add the place in the patch.
func located(cause error, message string) error {
	return &Error{Type: Strategic, Operation: -1, Err: cause, Message: message}
}

// atMember adds a member in front of the place of an error.
func atMember(err error, name string) error { return below(err, schema.NewPath(name)) }

// atElement adds an element in front of the place of an error.
func atElement(err error, i int) error { return below(err, schema.NewPath().Index(i)) }

// below adds a step in front of the place of an error. [typed] converts all steps to text.
func below(err error, step *schema.Path) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.at = step.Join(e.at)
	}
	return err
}

// spend deducts work from the limit.
func (s *strategic) spend(n int) error {
	if s.work -= n; s.work < 0 {
		return located(exceeded("Work", "what the patch asks for", "steps of work", s.limit), "")
	}
	return nil
}

// spendElements deducts the work for n elements of lists. An element counts as ten steps, because
// it is looked up several times, and a patch may name it, with the lists in it, many times.
func (s *strategic) spendElements(n int) error { return s.spend(10 * n) }

// object merges the members of a patch into an object.
func (s *strategic) object(doc, patch *tree.Node, t *structure.Type) error {
	if done, err := s.directive(doc, patch); done || err != nil {
		return err
	}
	doc.Open()
	doc.Touch()
	if err := s.retainKeys(doc, patch); err != nil {
		return err
	}
	arranged, err := s.orders(doc, patch, t)
	if err != nil {
		return err
	}
	for i := range patch.Kids {
		if k := &patch.Kids[i]; strings.HasPrefix(k.Name, deleteDirective) {
			if err := s.deleteFrom(doc, k); err != nil {
				return atMember(err, k.Name)
			}
		}
	}
	for i := range patch.Kids {
		k := &patch.Kids[i]
		if isDirective(k.Name) || arranged[k.Name] {
			continue
		}
		if err := s.member(doc, k, t); err != nil {
			return atMember(err, k.Name)
		}
	}
	return nil
}

// orders merges the lists whose order the patch sets, and returns their names.
func (s *strategic) orders(doc, patch *tree.Node, t *structure.Type) (map[string]bool, error) {
	var names map[string]bool
	for i := range patch.Kids {
		k := &patch.Kids[i]
		name, ok := strings.CutPrefix(k.Name, orderDirective)
		if !ok {
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		names[name] = true
		// The list is looked up among all members of the patch.
		err := s.spend(len(patch.Kids))
		if err == nil {
			err = s.order(doc, patch, k, t)
		}
		if err != nil {
			return nil, atMember(err, k.Name)
		}
	}
	return names, nil
}

// directive applies $patch, and reports whether that was all for this object.
func (s *strategic) directive(doc, patch *tree.Node) (bool, error) {
	d := member(patch, patchDirective)
	if d == nil {
		return false, nil
	}
	what := ""
	if d.Kind == tree.String {
		what = d.Str()
	}
	n := tree.New(tree.Object)
	n.Name = doc.Name
	switch what {
	case "replace":
		for i := range patch.Kids {
			if k := &patch.Kids[i]; k.Name != patchDirective {
				n.Kids = append(n.Kids, k.Sealed())
			}
		}
	case "delete":
	default:
		return false, atMember(located(ErrSyntax, "unknown directive "+excerpt(d)+`, expected "replace" or "delete"`),
			patchDirective)
	}
	*doc = n
	return true, nil
}

// member returns a member of an open object, or nil.
func member(n *tree.Node, name string) *tree.Node {
	for i := range n.Kids {
		if n.Kids[i].Name == name {
			return &n.Kids[i]
		}
	}
	return nil
}

// retainKeys removes the members of the document that the directive $retainKeys does not list.
func (s *strategic) retainKeys(doc, patch *tree.Node) error {
	d := member(patch, retainKeysDirective)
	if d == nil {
		return nil
	}
	if d.Kind != tree.Array {
		return atMember(located(ErrSyntax, "expected an array of names, found "+d.Kind.String()), retainKeysDirective)
	}
	if err := s.spend(len(doc.Kids) + len(d.Kids)); err != nil {
		return atMember(err, retainKeysDirective)
	}
	keep := make(map[string]bool, len(d.Kids))
	for i := range d.Kids {
		if d.Kids[i].Kind == tree.String {
			keep[d.Kids[i].Str()] = true
		}
	}
	for i := range patch.Kids {
		if k := &patch.Kids[i]; k.Kind != tree.Null && !isDirective(k.Name) && !keep[k.Name] {
			return atMember(located(ErrSyntax, "it lacks "+schema.Quote(k.Name)+", which the patch sets"),
				retainKeysDirective)
		}
	}
	for i := range doc.Kids {
		if k := &doc.Kids[i]; !keep[k.Name] {
			doc.Drop(k.Name)
		}
	}
	return nil
}

// member merges one member of a patch into an object.
func (s *strategic) member(doc, change *tree.Node, t *structure.Type) error {
	if change.Kind == tree.Null {
		doc.Drop(change.Name)
		return nil
	}
	at := doc.Find(change.Name)
	if at < 0 || doc.Kids[at].Kind != change.Kind || change.Kind < tree.Array {
		value, keep := withoutDirectives(change)
		switch {
		case keep:
			doc.Put(change.Name, value)
		case at >= 0:
			doc.Drop(change.Name)
		}
		return nil
	}
	f := t.Field(change.Name)
	kid := &doc.Kids[at]
	if change.Kind == tree.Array {
		if f == nil || !f.Merge {
			*kid = change.Sealed()
			return nil
		}
		return s.list(kid, change, f)
	}
	if f != nil && f.Replace {
		*kid = change.Sealed()
		return nil
	}
	return s.object(kid, change, t.Member(change.Name))
}

// withoutDirectives returns the result of a patch without a document: a copy without directives and
// without members that are null. It reports false for an object with the directive $patch, which
// applies to existing values only.
func withoutDirectives(patch *tree.Node) (tree.Node, bool) {
	switch patch.Kind {
	case tree.Array:
		n := tree.New(tree.Array)
		n.Name = patch.Name
		for i := range patch.Kids {
			if k, keep := withoutDirectives(&patch.Kids[i]); keep {
				n.Kids = append(n.Kids, k)
			}
		}
		return n, true
	case tree.Object:
		if member(patch, patchDirective) != nil {
			return tree.Node{}, false
		}
		n := tree.New(tree.Object)
		n.Name = patch.Name
		for i := range patch.Kids {
			k := &patch.Kids[i]
			if k.Kind == tree.Null || isDirective(k.Name) {
				continue
			}
			if k, keep := withoutDirectives(k); keep {
				n.Kids = append(n.Kids, k)
			}
		}
		return n, true
	}
	return patch.Sealed(), true
}

// deleteFrom removes the scalars that a directive lists from a list.
func (s *strategic) deleteFrom(doc, directive *tree.Node) error {
	if directive.Kind != tree.Array {
		return located(ErrSyntax, "expected an array, found "+directive.Kind.String())
	}
	at := doc.Find(strings.TrimPrefix(directive.Name, deleteDirective))
	if at < 0 || doc.Kids[at].Kind != tree.Array {
		return nil
	}
	list := &doc.Kids[at]
	list.Open()
	if err := s.spendElements(len(list.Kids) + len(directive.Kids)); err != nil {
		return err
	}
	list.Touch()
	gone := newIndex(directive.Kids, "", nil)
	list.Kids = sorted.Delete(list.Kids, func(k tree.Node) bool { return gone.find(&k) >= 0 })
	return nil
}
