package patch

import (
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/schema"
)

// run is one application of a JSON patch to a document.
type run struct {
	*Patch
	root   *tree.Node
	i      int // the operation
	work   int // the rest of the limit
	growth int // likewise
}

// runAll applies the operations one after the other.
func (p *Patch) runAll(root *tree.Node) error {
	r := run{Patch: p, root: root, work: p.limits.Work, growth: p.limits.Growth}
	for r.i = range p.ops {
		if err := r.operation(&p.ops[r.i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) operation(o *operation) *Error {
	switch o.op {
	case "add":
		return r.add(o.path, o.value)
	case "replace":
		return r.replace(o.path, o.value)
	case "remove":
		_, err := r.remove(o.path)
		return err
	case "test":
		return r.test(o)
	case "copy":
		return r.copy(o)
	}
	return r.move(o)
}

func (r *run) fail(cause error, message string) *Error { return r.failed(r.i, cause, message) }

// spend deducts work from the limit.
func (r *run) spend(n int) *Error {
	if r.work -= n; r.work < 0 {
		return r.fail(exceeded("Work", "what the patch asks for", "steps of work", r.limits.Work), "")
	}
	return nil
}

// find opens and returns the object or array that holds the end of a path. If change is set, it
// touches that node and all nodes above.
func (r *run) find(p pointer, change bool) (*tree.Node, *Error) {
	n := r.root
	for depth, step := range p.steps[:len(p.steps)-1] {
		if change {
			n.Touch()
		}
		kid, err := r.child(n, p, depth, step)
		if err != nil {
			return nil, err
		}
		n = kid
	}
	if n.Kind < tree.Array {
		return nil, r.noContainer(n, p, len(p.steps)-1)
	}
	n.Open()
	if change {
		n.Touch()
	}
	return n, nil
}

// child returns an existing element or member.
func (r *run) child(n *tree.Node, p pointer, depth int, step string) (*tree.Node, *Error) {
	switch n.Kind {
	case tree.Object:
		n.Open()
		if i := n.Find(step); i >= 0 {
			return &n.Kids[i], nil
		}
		return nil, r.missing(n, p, depth, step)
	case tree.Array:
		n.Open()
		if i, ok := index(step, len(n.Kids)); ok {
			return &n.Kids[i], nil
		}
		return nil, r.noIndex(n, p, depth, step)
	}
	return nil, r.noContainer(n, p, depth)
}

// get returns the value at the end of a path.
func (r *run) get(p pointer) (*tree.Node, *Error) {
	last := len(p.steps) - 1
	if last < 0 {
		return r.root, nil
	}
	n, err := r.find(p, false)
	if err != nil {
		return nil, err
	}
	return r.child(n, p, last, p.steps[last])
}

func (r *run) noContainer(n *tree.Node, p pointer, depth int) *Error {
	return r.fail(ErrWrongType, schema.Quote(p.prefix(depth))+" is "+n.Kind.String()+
		", not an object or array")
}

func (r *run) missing(n *tree.Node, p pointer, depth int, step string) *Error {
	message := schema.Quote(p.prefix(depth+1)) + " does not exist"
	names := func(yield func(string) bool) {
		for i := range n.Kids {
			if n.Kids[i].Kind != tree.Absent && !yield(n.Kids[i].Name) {
				return
			}
		}
	}
	if near, ok := schema.NearestSeq(step, names); ok {
		message += ", did you mean " + strconv.Quote(near) + "?"
	}
	return r.fail(ErrMissing, message)
}

func (r *run) noIndex(n *tree.Node, p pointer, depth int, step string) *Error {
	what := "an array of " + strconv.Itoa(len(n.Kids)) + " elements"
	if len(n.Kids) == 1 {
		what = "an array of 1 element"
	}
	return r.fail(ErrIndex, schema.Quote(step)+" is not an index of "+
		schema.Quote(p.prefix(depth))+", "+what)
}

// deep returns an error if a value would nest beyond the limit at the end of a path.
func (r *run) deep(p pointer, value *tree.Node) *Error {
	if len(p.steps)+value.Depth() > r.limits.Depth {
		return r.fail(exceeded("Depth", "the result", "levels", r.limits.Depth), "")
	}
	return nil
}

// set makes a value the whole document or a member of an object. If the path leads to an element of
// an array, set returns the array.
func (r *run) set(p pointer, value tree.Node) (list *tree.Node, err *Error) {
	if err := r.deep(p, &value); err != nil {
		return nil, err
	}
	if len(p.steps) == 0 {
		*r.root = value
		return nil, nil
	}
	n, err := r.find(p, true)
	if err == nil && n.Kind == tree.Object {
		n.Put(p.steps[len(p.steps)-1], value)
		return nil, nil
	}
	return n, err
}

func (r *run) add(p pointer, value tree.Node) *Error {
	n, err := r.set(p, value)
	if err != nil || n == nil {
		return err
	}
	last := len(p.steps) - 1
	step := p.steps[last]
	i := len(n.Kids)
	if step != "-" {
		var ok bool
		if i, ok = index(step, len(n.Kids)+1); !ok {
			return r.noIndex(n, p, last, step)
		}
	}
	if err := r.spend(len(n.Kids) - i); err != nil {
		return err
	}
	n.Kids = sorted.Insert(n.Kids, i, value)
	return nil
}

// replace sets the value at a path. A member that does not exist is added, as in Kubernetes.
func (r *run) replace(p pointer, value tree.Node) *Error {
	n, err := r.set(p, value)
	if err != nil || n == nil {
		return err
	}
	last := len(p.steps) - 1
	i, ok := index(p.steps[last], len(n.Kids))
	if !ok {
		return r.noIndex(n, p, last, p.steps[last])
	}
	n.Kids[i] = value
	return nil
}

// remove removes and returns the value at a path.
func (r *run) remove(p pointer) (tree.Node, *Error) {
	if len(p.steps) == 0 {
		return tree.Node{}, r.fail(ErrOperation, "the whole document cannot be removed")
	}
	n, err := r.find(p, true)
	if err != nil {
		return tree.Node{}, err
	}
	last := len(p.steps) - 1
	kid, err := r.child(n, p, last, p.steps[last])
	if err != nil {
		return tree.Node{}, err
	}
	value := *kid
	if n.Kind == tree.Object {
		n.Drop(p.steps[last])
		return value, nil
	}
	i, _ := index(p.steps[last], len(n.Kids))
	if err := r.spend(len(n.Kids) - i); err != nil {
		return tree.Node{}, err
	}
	n.Kids = slices.Delete(n.Kids, i, i+1)
	return value, nil
}

// test compares. A missing member is equal to null, as in Kubernetes, so that clients can test for
// the absence of a field.
func (r *run) test(o *operation) *Error {
	found, want := r.root, o.value
	if last := len(o.path.steps) - 1; last >= 0 {
		n, err := r.find(o.path, false)
		if err != nil {
			return err
		}
		step := o.path.steps[last]
		if n.Kind == tree.Object && want.Kind == tree.Null && n.Find(step) < 0 {
			return nil
		}
		if found, err = r.child(n, o.path, last, step); err != nil {
			return err
		}
	}
	if err := r.spend(len(want.Text())); err != nil {
		return err
	}
	if found.Kind != want.Kind || !tree.Equal(found, &want) {
		return r.fail(ErrTest, differs(found, &want))
	}
	return nil
}

// excerpt returns a value for a message, or its kind if it is long.
func excerpt(n *tree.Node) string {
	if n.Size() > 2000 {
		return n.Kind.String()
	}
	text := string(n.Append(nil))
	if len(text) > 60 {
		return n.Kind.String()
	}
	return text
}

// differs returns the message of a failed test. It does not show the contents of objects and
// arrays, because they may have secrets that the path of the operation does not name.
func differs(found, want *tree.Node) string {
	if nested(found) && found.Kind == want.Kind {
		return "the content of " + found.Kind.String() + " differs"
	}
	text := func(n *tree.Node) string {
		if nested(n) {
			return n.Kind.String()
		}
		return excerpt(n)
	}
	return "found " + text(found) + ", expected " + text(want)
}

func nested(n *tree.Node) bool { return n.Kind == tree.Object || n.Kind == tree.Array }

func (r *run) copy(o *operation) *Error {
	from, err := r.get(o.from)
	if err != nil {
		return err
	}
	size := from.Size()
	if r.growth -= size; r.growth < 0 {
		return r.fail(exceeded("Growth", "what the patch copies", "bytes", r.limits.Growth), "")
	}
	return r.add(o.path, from.Sealed())
}

func (r *run) move(o *operation) *Error {
	switch {
	case o.path.within(o.from):
		return r.fail(ErrOperation, "a value cannot be moved into itself")
	case o.path.text == o.from.text:
		_, err := r.get(o.from)
		return err
	}
	value, err := r.remove(o.from)
	if err != nil {
		return err
	}
	if err := r.spend(value.Size()); err != nil { // add measures its depth
		return err
	}
	return r.add(o.path, value)
}
