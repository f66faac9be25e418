package server

import (
	"context"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// DeleteKinds deletes all objects of kinds and then stops serving the kinds in all versions, like
// [Server.RemoveKinds]. Kubernetes does the same when a CustomResourceDefinition is deleted.
//
// Meanwhile the kinds are served: watches receive the deletions, objects with finalizers stay until
// the finalizers have been removed, and new objects are refused with code 405. If the context ends,
// or an Admit hook refuses a deletion, DeleteKinds returns the error, the kinds are served as
// before, and the objects that have been deleted or marked for deletion remain so. Objects that
// cannot be decoded are deleted too, but those of a kind that is served in no version are not.
// Other servers on the same storage do not refuse new objects.
func (s *Server) DeleteKinds(ctx context.Context, kinds ...schema.GroupKind) error {
	st := s.state.Load()
	if _, err := st.scheme.WithoutKinds(kinds...); err != nil {
		return err
	}
	var collections []*collection
	for _, gk := range kinds {
		if c := st.collections[gk]; c != nil {
			collections = append(collections, c)
			c.terminating.Add(1)
			defer c.terminating.Add(-1)
		}
	}
	for _, c := range collections {
		if err := s.deleteObjects(ctx, st, c); err != nil {
			return err
		}
	}
	return s.RemoveKinds(kinds...)
}

// deletionPause is how often the objects of a kind that is being deleted are looked at.
const deletionPause = 20 * time.Millisecond

// deleteObjects deletes the objects of a collection, which admits no new ones, and waits until they
// are gone.
func (s *Server) deleteObjects(ctx context.Context, st *state, c *collection) error {
	pause := time.NewTicker(deletionPause)
	defer pause.Stop()
	for {
		none := c.creating.Load() == 0 // before the objects are counted
		cursor, err := c.stored.Watch(ctx, store.WatchOptions{})
		if err != nil {
			return err
		}
		pending, err := s.deletePass(ctx, st, c)
		if err == nil && pending && c.creating.Load() == 0 {
			err = cursor.Wait(ctx)
		}
		cursor.Close()
		switch {
		case err != nil:
			return err
		case none && !pending:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pause.C:
		}
	}
}

// deletePass deletes the objects of a collection that are not being deleted, and reports whether
// some wait for their finalizers.
func (s *Server) deletePass(ctx context.Context, st *state, c *collection) (pending bool, err error) {
	for key := range c.stored.Undecodable(ctx) {
		_, err := c.stored.Delete(ctx, key, store.WriteOptions{Undecodable: true}, nil)
		if goneIsFine(err) != nil {
			return false, err
		}
	}
	list, err := c.stored.List(ctx, store.ListOptions{})
	if err != nil {
		return false, err
	}
	for e := range list.Entries() {
		m, err := e.Metadata()
		if err != nil {
			return false, err
		}
		gone := false
		if m.DeletionTimestamp == nil {
			one := s.callAs(ctx, st, program, place{c.storage, e.Key()}, verbDelete)
			if _, gone, err = one.deleteObject(new(metav1.DeleteOptions)); goneIsFine(err) != nil {
				return false, err
			}
		}
		pending = pending || !gone
	}
	return pending, nil
}
