package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// update answers a PUT of an object, or of a part of it.
func (c *call) update(which part) error {
	o, obj, err := readWrite[metav1.UpdateOptions](c)
	if err != nil {
		return err
	}
	e, err := c.replaceObject(obj, o, which)
	return c.respondEntry(http.StatusOK, e, err)
}

// status answers requests for the subresource status. Answers are whole objects; writes change
// only the status.
func (c *call) status() error {
	switch c.Verb {
	case verbUpdate:
		return c.update(partStatus)
	case verbPatch:
		return c.patch(partStatus)
	}
	return c.get()
}

// replaceObject puts a part of an object in the place of that of the stored one. The object is in
// the version in which it is stored and belongs to the call. A UID and a resource version that it
// states must be those of the stored one.
func (c *call) replaceObject(obj runtime.Object, o *metav1.UpdateOptions, which part) (*store.Entry, error) {
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	m, err := c.identified(obj)
	if err != nil {
		return nil, err
	}
	return c.change(change{
		uid: m.UID, version: m.ResourceVersion, part: which,
		next: func(context.Context, runtime.Object) (runtime.Object, error) { return c.st.scheme.DeepCopy(obj) },
	})
}

// change says what becomes of a stored object.
type change struct {
	uid, version string // that it must have, if they are not blank
	// next returns the new state, in the version in which it is stored. The old state is not
	// changed.
	next func(ctx context.Context, old runtime.Object) (runtime.Object, error)
	// through is the version in which the new state is made, whose losses the client learns of; nil
	// is that of the request.
	through *runtime.Kind
	// part says which part of the new state counts.
	part part
	// create calls next with nil if there is no object, and creates the new state.
	create bool
}

// part is what a request may change of an object.
type part int

const (
	// partObject is everything but the status, where that is a subresource.
	partObject part = iota
	// partStatus is the status alone.
	partStatus
	// partAction is everything but the metadata that clients may not change, for subresources.
	partAction
	// partAll is everything, for changes by the server itself.
	partAll
)

// errLastFinalizer says that a change takes the last finalizer from an object that is being
// deleted, so that it goes.
var errLastFinalizer = errors.New("the last finalizer is gone")

// change applies a change to the stored object, again if somebody else writes at the same time, and
// returns what is stored then. An object that loses its last finalizer while it is being deleted is
// deleted; the entry has its last state.
func (c *call) change(ch change) (*store.Entry, error) {
	o := store.WriteOptions{UID: ch.uid, ResourceVersion: ch.version, DryRun: c.DryRun, CreateIfMissing: ch.create}
	if ch.create {
		c.res.creating.Add(1)
		defer c.res.creating.Add(-1)
	}
	for {
		var old runtime.Object
		e, err := c.res.stored.Update(c.ctx, c.key(),
			o, func(ctx context.Context, current runtime.Object) (runtime.Object, error) {
				old = current
				return c.apply(ctx, current, ch)
			})
		if errors.Is(err, errLastFinalizer) {
			if e, err = c.deleteAsRead(old); ch.version == "" && isConflict(err) && c.ctx.Err() == nil {
				continue // somebody wrote in between
			}
			return e, c.committed(old, e, true, err)
		}
		return e, c.committed(old, e, false, c.refuse(c.Name, err))
	}
}

// isConflict reports whether a write came too late.
func isConflict(err error) bool {
	return err != nil && (errors.Is(err, metav1.ErrConflict) || metav1.ReasonOf(err) == metav1.StatusReasonConflict)
}

// isOld reports whether an entry is the old state: whether nothing was written.
func (c *call) isOld(old runtime.Object, e *store.Entry) bool {
	return old != nil && c.metadataOf(old).ResourceVersion == e.ResourceVersion()
}

// deleteAsRead deletes an object in the state that was read. Watchers and the client see that
// state.
func (c *call) deleteAsRead(old runtime.Object) (*store.Entry, error) {
	before := c.metadataOf(old)
	return c.res.stored.Delete(c.ctx, c.key(),
		store.WriteOptions{UID: before.UID, ResourceVersion: before.ResourceVersion, DryRun: c.DryRun}, nil)
}

// firstState makes the first state of an object that a change creates. The user must be allowed to
// create it, too.
func (c *call) firstState(ctx context.Context, ch change) (runtime.Object, error) {
	a := c.attributes(c.r.URL.Path)
	a.Verb = verbCreate
	if err := c.s.allow(ctx, a); err != nil {
		return nil, err
	}
	if err := c.mayCreate(); err != nil {
		return nil, err
	}
	next, err := ch.next(ctx, nil)
	if err != nil {
		return nil, err
	}
	m := c.metadataOf(next)
	managed := m.ManagedFields
	c.initialize(m, next)
	m.ManagedFields = managed
	return c.check(ctx, nil, next)
}

// apply makes the new state of an object. A panic of what makes it is an error, so that the write
// is audited.
func (c *call) apply(ctx context.Context, old runtime.Object, ch change) (_ runtime.Object, err error) {
	defer recovered(&err)
	if old == nil {
		return c.firstState(ctx, ch)
	}
	if ch.part != partAll {
		if err := c.match(c.metadataOf(old).ResourceVersion); err != nil {
			return nil, err
		}
	}
	next, err := ch.next(ctx, old)
	if err != nil || next == nil {
		return nil, err
	}
	if next, err = c.merge(old, next, ch.part); err != nil {
		return nil, err
	}
	c.warnLost(c.st.scheme, cmp.Or(ch.through, c.res.served), old, next)
	if next, err = c.check(ctx, old, next); err != nil {
		return nil, err
	}
	if m := c.metadataOf(next); m.DeletionTimestamp != nil && len(m.Finalizers) == 0 {
		return next, errLastFinalizer
	}
	return next, nil
}

// merge keeps what a request may not change.
func (c *call) merge(old, next runtime.Object, p part) (runtime.Object, error) {
	if p == partAll {
		return next, nil
	}
	kept, err := c.st.scheme.DeepCopy(old)
	if err != nil {
		return nil, err
	}
	m, before := c.metadataOf(next), c.metadataOf(kept)
	switch p {
	case partStatus:
		c.res.parts.copyStatus(kept, next)
		if c.applying {
			before.ManagedFields = m.ManagedFields
		}
		return kept, nil
	case partObject:
		c.res.parts.copyStatus(next, kept)
	}
	if m.UID == "" {
		m.UID = before.UID
	}
	m.SelfLink = "" //lint:ignore SA1019 clients may send it
	m.CreationTimestamp, m.DeletionTimestamp = before.CreationTimestamp, before.DeletionTimestamp
	m.DeletionGracePeriodSeconds = before.DeletionGracePeriodSeconds
	if !c.applying && (m.ManagedFields == nil || len(before.ManagedFields) == 0) {
		m.ManagedFields = before.ManagedFields
	}
	if m.GenerateName == "" {
		m.GenerateName = before.GenerateName
	}
	return next, nil
}
