package apply

import (
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/wire/jsonwire"
)

// LastAppliedAnnotation is the annotation in which kubectl apply stores the configuration that it
// applied last.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// mostAnnotations is the maximum total size of the annotations of an object in bytes.
const mostAnnotations = 256 << 10

// kubectl is the manager that may migrate from client-side to server-side apply, and clientSide the
// one of its client-side applies.
const (
	kubectl    = "kubectl"
	clientSide = "kubectl-client-side-apply"
)

// annotations returns the annotations of an object, or nil if it has none.
func annotations(n *tree.Node) *tree.Node {
	meta := n.Get("metadata")
	if meta == nil || meta.Kind != tree.Object {
		return nil
	}
	if a := meta.Get("annotations"); a != nil && a.Kind == tree.Object {
		return a
	}
	return nil
}

// unexpected returns the conflicts without those of kubectl with itself: those about fields that it
// applied on the client's side and that still have the applied values.
func (w *write) unexpected(live *object, conflicts managers) managers {
	if w.r.Manager != kubectl {
		return conflicts
	}
	allowed, ok := w.clientApplied(&live.root)
	if !ok {
		return conflicts
	}
	left := conflicts[:0:0]
	for _, c := range conflicts {
		if c.fields = c.fields.minus(allowed); !c.fields.empty() {
			left = append(left, c)
		}
	}
	return left
}

// clientApplied returns the fields of the last client-side apply that still have their values.
func (w *write) clientApplied(live *tree.Node) (set, bool) {
	a := annotations(live)
	if a == nil {
		return nil, false
	}
	n, err := tree.Parse([]byte(textOf(a, LastAppliedAnnotation)), w.o.Limits)
	if err != nil || n.Kind != tree.Object || textOf(&n, "apiVersion") != w.r.APIVersion {
		return nil, false
	}
	c := compare(&n, live, w.t)
	return setOf(&n, w.t).minus(c.modified).minus(c.added).minus(c.removed), true
}

// splitClientApplied gives the fields of the last client-side apply, and its annotation, to a
// manager of their own, which they would have if they had been recorded from the creation on.
// kubectl takes all fields of the manager of the annotation when it changes to server-side apply,
// and removes those that its configuration lacks, such as the finalizers of a controller.
func (w *write) splitClientApplied(live *tree.Node, from owner) {
	rest, a := w.managers.find(from), annotations(live)
	if rest == nil || a == nil || textOf(a, LastAppliedAnnotation) == "" {
		return
	}
	record := tree.Sound(`{"metadata":{"annotations":{"` + LastAppliedAnnotation + `":""}}}`)
	applied, _ := w.clientApplied(live)
	split := manager{owner: from, time: rest.time, fields: rest.fields.and(setOf(&record, w.t).plus(applied))}
	split.name = clientSide
	rest.fields = rest.fields.minus(split.fields)
	w.managers.put(split)
	w.managers.drop()
}

// lastApplied updates the annotation of client-side applies if the object has it, so that older
// versions of kubectl continue to work.
func (w *write) lastApplied(merged, config *tree.Node) {
	a := annotations(merged)
	if w.r.Manager != kubectl || a == nil || textOf(a, LastAppliedAnnotation) == "" {
		return
	}
	c := config.Clone()
	if old := annotations(&c); old != nil {
		old.Drop(LastAppliedAnnotation)
		member(&c, "metadata").Touch()
		c.Touch()
	}
	sortAll(&c)
	text := string(append(c.Append(nil), '\n'))
	size := len(LastAppliedAnnotation) + len(text)
	for i := range a.Kids {
		if k := &a.Kids[i]; k.Kind == tree.String && k.Name != LastAppliedAnnotation {
			size += len(k.Name) + len(k.Str())
		}
	}
	if size > mostAnnotations {
		a.Drop(LastAppliedAnnotation)
	} else {
		a.Put(LastAppliedAnnotation, tree.Sound(string(jsonwire.AppendString(nil, text))))
	}
	member(merged, "metadata").Touch()
	merged.Touch()
}

// sortAll sorts the members of all objects in a value.
func sortAll(n *tree.Node) {
	if !n.Container() {
		return
	}
	n.Open()
	n.Touch()
	if n.Kind == tree.Object {
		n.Sort()
	}
	for i := range n.Kids {
		sortAll(&n.Kids[i])
	}
}
