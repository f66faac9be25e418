package apply

import (
	"github.com/askind/askind/patch/internal/tree"
)

// Update updates the managed fields for a write that is not an apply, and returns the object to
// write: live is the stored object, nil for a new one, and next its replacement, both as JSON in
// the version of the request. The manager gets the fields that differ.
//
// The managed fields of next replace those of live, so that clients can change them, unless they
// are missing or malformed, or the write is to a subresource. An empty list removes all.
//
// If managers cannot be determined, because those of live cannot be read or a version cannot be
// converted, those of live are kept and the write succeeds. The error is an [*Error] for texts that
// are not objects.
func (u *Updater) Update(live, next []byte, r Request) ([]byte, error) {
	after, err := u.read(next)
	if err != nil {
		return nil, &Error{Config: true, Err: err}
	}
	before := u.empty(r.APIVersion, textOf(&after.root, "kind"))
	if len(live) > 0 {
		if before, err = u.read(live); err != nil {
			return nil, &Error{Err: err}
		}
	}
	if u.o.Policy == Never {
		return with(&after.root, nil), nil
	}
	w := &write{Updater: u, r: r, t: u.structure(r.APIVersion), reset: pathSet(r.Reset...)}
	var ok bool
	if w.managers, ok = declared(before, after, r.Subresource != ""); !ok {
		return with(&after.root, managedText(before)), nil
	}
	isNew := textOf(member(&before.root, "metadata"), "uid") == ""
	if len(w.managers) == 0 && (!isNew || u.o.Policy == FromFirstApply) {
		return with(&after.root, nil), nil
	}
	unchanged, _ := parseManagers(before.managed)
	if err := w.update(&before.root, &after.root, r.owner(opUpdate)); err != nil {
		return with(&after.root, managedText(before)), nil
	}
	w.managers.cap(u.o.UpdateManagers)
	if sameFields(w.managers, unchanged) && tree.Equal(&before.root, &after.root) {
		return with(&after.root, managedText(before)), nil
	}
	return with(&after.root, w.managers.append(nil)), nil
}

// managedText returns the managed fields of an object as read.
func managedText(o *object) []byte {
	if o.managed == nil {
		return nil
	}
	return o.managed.Append(nil)
}

// member returns a member of an object, or an empty node if it is missing.
func member(n *tree.Node, name string) *tree.Node {
	if k := n.Get(name); k != nil {
		return k
	}
	return &tree.Node{}
}

// declared returns the managers at the start of a write. It reports false if those of live are
// needed and cannot be read.
func declared(live, next *object, subresource bool) (managers, bool) {
	if !subresource {
		if resets(next.managed) {
			return nil, true
		}
		if m, err := parseManagers(next.managed); err == nil && len(m) > 0 {
			return m, true
		}
	}
	m, err := parseManagers(live.managed)
	return m, err == nil
}

// resets reports whether managed fields request that all managers be removed: by an empty list, or
// by one empty entry.
func resets(n *tree.Node) bool {
	if n == nil || n.Kind != tree.Array {
		return false
	}
	n.Open()
	if len(n.Kids) == 1 && n.Kids[0].Kind == tree.Object {
		n.Kids[0].Open()
		return n.Kids[0].Len() == 0
	}
	return len(n.Kids) == 0
}

// update adds the fields in which two objects differ to those of a manager.
func (w *write) update(before, after *tree.Node, by owner) error {
	if err := w.reconcile(before); err != nil {
		return err
	}
	c := compare(before, after, w.t).outside(w.reset)
	// The manager itself also loses fields that change in other versions, so none is excluded.
	if _, err := w.others(before, after, owner{}, c); err != nil {
		return err
	}
	w.managers.drop()
	gained := c.modified.plus(c.added).minus(stripped)
	if gained.empty() {
		return nil
	}
	e := manager{owner: by, time: w.r.now(), fields: gained}
	if old := w.managers.find(by); old != nil {
		e.fields = gained.plus(old.fields)
	}
	w.managers.put(e)
	return nil
}
