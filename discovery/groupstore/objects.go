package groupstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// Objects keeps Groups as the objects of a resource. Its methods are those of [discovery.Storage]
// that are about Groups, for storages that keep records elsewhere. They are safe for concurrent
// use.
type Objects struct {
	// Resource returns the resource.
	Resource func() (*store.Resource, error)
	// Complete, if not nil, is called for each new Group before it is stored, to set its UID and
	// creation time.
	Complete func(*v1alpha1.Group)
	// Unreadable, if not nil, is called before a Group is deleted that cannot be decoded.
	Unreadable func(*store.UndecodableError)
}

// Groups implements [discovery.Storage].
func (o *Objects) Groups(ctx context.Context) ([]*v1alpha1.Group, error) {
	r, err := o.Resource()
	if err != nil {
		return nil, err
	}
	list, err := r.List(ctx, store.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []*v1alpha1.Group
	for e := range list.Entries() {
		g, err := GroupOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// Group implements [discovery.Storage].
func (o *Objects) Group(ctx context.Context, name string) (*v1alpha1.Group, error) {
	r, err := o.Resource()
	if err != nil {
		return nil, err
	}
	e, err := r.Get(ctx, store.Key{Name: name}, store.GetOptions{})
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil, nil
	}
	if bad, ok := errors.AsType[*store.UndecodableError](err); ok {
		// Another client wrote it. It is deleted to make room for the correct object.
		if o.Unreadable != nil {
			o.Unreadable(bad)
		}
		return nil, o.DeleteGroup(ctx, name, strconv.FormatUint(bad.Revision, 10))
	}
	if err != nil {
		return nil, err
	}
	return GroupOf(e)
}

// GroupOf returns the Group of an entry.
func GroupOf(e *store.Entry) (*v1alpha1.Group, error) {
	obj, err := e.Object()
	if err != nil {
		return nil, err
	}
	return asGroup(obj)
}

func asGroup(obj runtime.Object) (*v1alpha1.Group, error) {
	if g, ok := obj.(*v1alpha1.Group); ok {
		return g, nil
	}
	return nil, fmt.Errorf("groupstore: a Group is stored as a %T", obj)
}

// PutGroup implements [discovery.Storage]. Of the metadata of a Group that exists, it changes the
// labels and annotations alone.
func (o *Objects) PutGroup(ctx context.Context, g *v1alpha1.Group) error {
	r, err := o.Resource()
	if err != nil {
		return err
	}
	next := new(v1alpha1.Group)
	v1alpha1.DeepCopyIntoGroup(g, next)
	if g.ResourceVersion == "" {
		if o.Complete != nil {
			o.Complete(next)
		}
		_, err = r.Create(ctx, next, store.WriteOptions{})
		return conflict(err)
	}
	_, err = r.Update(ctx, store.Key{Name: g.Name}, store.WriteOptions{ResourceVersion: g.ResourceVersion},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			stored, err := asGroup(current)
			if err != nil {
				return nil, err
			}
			stored.Status, stored.Labels, stored.Annotations = next.Status, next.Labels, next.Annotations
			return stored, nil
		})
	return conflict(err)
}

// DeleteGroup implements [discovery.Storage].
func (o *Objects) DeleteGroup(ctx context.Context, name, resourceVersion string) error {
	r, err := o.Resource()
	if err != nil {
		return err
	}
	_, err = r.Delete(ctx, store.Key{Name: name},
		store.WriteOptions{ResourceVersion: resourceVersion, Undecodable: true}, nil)
	return conflict(err)
}
