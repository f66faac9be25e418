package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// WriteOptions qualify a write. The zero value has no preconditions.
type WriteOptions struct {
	_ struct{} // literals name their fields

	// UID and ResourceVersion must be those of the object as it is stored, unless they are blank;
	// else the error is a Conflict.
	UID, ResourceVersion string
	// DryRun does everything but the write. The entry that is returned has the revision of the one
	// that it would replace.
	DryRun bool
	// TTL is how long the object is kept; then it is deleted, by any store that is open on the
	// engine or by an [ExpiringEngine]. 0 keeps a new object for ever, and an old one as long as it
	// would have been kept. The time is rounded up to milliseconds.
	TTL time.Duration
	// CreateIfMissing has Update create an object that is not there.
	CreateIfMissing bool
	// Undecodable has Delete delete an object that cannot be decoded, without any check.
	Undecodable bool
}

// expires returns when an object expires that is written now.
func (o *WriteOptions) expires(before *Entry) time.Time {
	switch {
	case o.TTL > 0:
		return time.Now().Add(o.TTL).Add(time.Millisecond - 1).Truncate(time.Millisecond)
	case before != nil:
		_, at, _ := unwrap(before.value)
		return at
	}
	return time.Time{}
}

// expireAt sets when a new entry expires.
func (e *Entry) expireAt(at time.Time) {
	if at.IsZero() {
		return
	}
	k := *e.known.Load()
	e.value = wrap(k.document.data, at)
	k.document.data = e.value[len(e.value)-len(k.document.data):]
	e.known.Store(&k)
}

// Create stores a new object. It may be of any version of the kind; it is converted to the storage
// version and defaulted there. The object is not modified, and its resourceVersion is ignored. The
// error is AlreadyExists if the name is taken.
func (r *Resource) Create(ctx context.Context, obj runtime.Object, o WriteOptions) (*Entry, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	e, err := r.prepare(obj)
	if err != nil {
		return nil, err
	}
	if o.DryRun {
		st, err := r.store.current(ctx)
		if err != nil {
			return nil, err
		}
		if _, taken := st.entries.Get(e.key); taken {
			return nil, metav1.AlreadyExists(r.resource, e.Key().Name)
		}
		return e, nil
	}
	e.expireAt(o.expires(nil))
	out, conflict, err := r.put(ctx, e, 0)
	if conflict != nil {
		return nil, metav1.AlreadyExists(r.resource, e.Key().Name)
	}
	return out, err
}

// Update replaces an object by the result of change. The function gets the stored object, in the
// storage version, which it may modify, and returns an object of any version, which may be the same
// one, or nil for no change. If another caller writes the object meanwhile, change is called again,
// unless the options name a resourceVersion. Its error is returned unchanged.
//
// If the encoded object is the same as before, nothing is written, and the revision stays, unless
// the options have a TTL.
func (r *Resource) Update(ctx context.Context, key Key, o WriteOptions,
	change func(ctx context.Context, current runtime.Object) (runtime.Object, error),
) (*Entry, error) {
	for {
		before, err := r.stored(ctx, key, &o)
		if err != nil {
			return nil, err
		}
		e, err := r.changed(ctx, key, before, &o, change)
		if err != nil || e == before || o.DryRun {
			return e, err
		}
		expected := uint64(0)
		if before != nil {
			expected = before.revision
		}
		out, conflict, err := r.put(ctx, e, expected)
		if conflict == nil {
			return out, err
		}
		if err := r.again(key, conflict, &o); err != nil {
			return nil, err
		}
	}
}

// stored returns the entry that a write is about, if it meets the preconditions; nil if it is to be
// created.
func (r *Resource) stored(ctx context.Context, key Key, o *WriteOptions) (*Entry, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	st, err := r.store.current(ctx)
	if err != nil {
		return nil, err
	}
	name, err := r.engineKey(key)
	if err != nil {
		return nil, metav1.NotFound(r.resource, key.Name)
	}
	e, ok := st.entries.Get(name)
	switch {
	case !ok && o.CreateIfMissing && o.UID == "" && o.ResourceVersion == "":
		return nil, nil
	case !ok:
		return nil, metav1.NotFound(r.resource, key.Name)
	case o.ResourceVersion != "" && o.ResourceVersion != e.ResourceVersion():
		return nil, r.modified(key)
	}
	e = r.own(e)
	k := e.known.Load()
	switch {
	case k.err != nil && o.Undecodable:
	case k.err != nil:
		return nil, unreadable(k.err)
	case o.UID != "" && o.UID != k.uid:
		return nil, metav1.Conflict(r.resource, key.Name,
			fmt.Errorf("the uid is %s, not %s", k.uid, schema.Shorten(o.UID, 64)))
	}
	return e, nil
}

// errModified is the cause of a conflict of versions. Clients look for these words.
var errModified = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again",
)

// modified says that an object does not have the resourceVersion of a precondition.
func (r *Resource) modified(key Key) error {
	return metav1.Conflict(r.resource, key.Name, errModified)
}

// changed returns the entry that a function makes of another one, or that entry if nothing changed.
func (r *Resource) changed(ctx context.Context, key Key, before *Entry, o *WriteOptions,
	change func(context.Context, runtime.Object) (runtime.Object, error),
) (*Entry, error) {
	var current runtime.Object
	var err error
	if before != nil {
		if current, err = before.Object(); err != nil {
			return nil, err
		}
	}
	obj, err := change(ctx, current)
	switch {
	case err != nil:
		return nil, err
	case obj == nil && before == nil:
		return nil, metav1.NotFound(r.resource, key.Name)
	case obj == nil:
		return before, nil
	}
	e, err := r.prepare(obj)
	if err != nil {
		return nil, err
	}
	if made := e.Key(); made != key {
		return nil, metav1.BadRequest(fmt.Sprintf("%s: the object %q cannot become %q", r.resource, key, made))
	}
	e.expireAt(o.expires(before))
	if before != nil && bytes.Equal(e.value, before.value) {
		return before, nil
	}
	if o.DryRun && before != nil {
		e.revision = before.revision
	}
	return e, nil
}

// again returns nil if a write is to be tried again after a conflict. It reads the object again,
// and so sees the conflicting write.
func (r *Resource) again(key Key, conflict *ConflictError, o *WriteOptions) error {
	switch {
	case o.ResourceVersion != "" && conflict.Current == 0:
		return metav1.NotFound(r.resource, key.Name)
	case o.ResourceVersion != "":
		return r.modified(key)
	}
	return nil
}

// put writes an entry and waits until it is seen here. A conflict is not an error.
func (r *Resource) put(ctx context.Context, e *Entry, expected uint64) (*Entry, *ConflictError, error) {
	s := r.store
	if st := s.state.Load(); st.err != nil {
		return nil, nil, st.err
	}
	if err := r.usable(); err != nil { // e has the form of a resource of before
		return nil, nil, err
	}
	s.pending.put(e)
	defer s.pending.drop(e)
	_, until, _ := unwrap(e.value)
	revision, err := PutUntil(ctx, s.engine, e.key, e.value, expected, until)
	if err != nil {
		if conflict, ok := errors.AsType[*ConflictError](err); ok {
			return nil, conflict, nil
		}
		if errors.Is(err, ErrTooLarge) {
			return nil, nil, failure(metav1.StatusReasonRequestEntityTooLarge,
				fmt.Sprintf("the object has %d bytes in its stored form, more than the storage accepts; "+
					"make it smaller or split it", len(e.value)), err)
		}
		return nil, nil, s.engineError(err)
	}
	// The write has succeeded, even if the wait for it fails.
	if _, err := s.reach(ctx, revision); err != nil {
		return e.at(revision), nil, nil
	}
	if e.revision != revision { // the engine delivered a copy
		e = e.at(revision)
	}
	return e, nil, nil
}

// Delete removes an object and returns its last state, at the revision of the deletion. The
// function check may refuse it; check gets the stored object, which it may modify, and is called
// again if another caller writes the object meanwhile. Its error is returned unchanged.
func (r *Resource) Delete(ctx context.Context, key Key, o WriteOptions,
	check func(ctx context.Context, current runtime.Object) error,
) (*Entry, error) {
	o.CreateIfMissing = false
	for {
		before, err := r.stored(ctx, key, &o)
		if err != nil {
			return nil, err
		}
		if check != nil && before.decodable() {
			current, err := before.Object()
			if err != nil {
				return nil, err
			}
			if err := check(ctx, current); err != nil {
				return nil, err
			}
		}
		if o.DryRun {
			return before, nil
		}
		revision, err := r.store.engine.Delete(ctx, before.key, before.revision)
		if conflict, ok := errors.AsType[*ConflictError](err); ok {
			if err := r.again(key, conflict, &o); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, r.store.engineError(err)
		}
		_, _ = r.store.reach(ctx, revision) // the deletion has succeeded, even if the wait for it fails
		return before.at(revision), nil
	}
}
