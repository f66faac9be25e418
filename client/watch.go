package client

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Event is one event of a watch.
type Event[T any] struct {
	// Type is [metav1.WatchAdded], [metav1.WatchModified], [metav1.WatchDeleted] or
	// [metav1.WatchBookmark].
	Type string
	// Object is the new state of the object, the last state of a deleted object, or for a bookmark
	// an object with only a resource version.
	Object *T
	// ResourceVersion is the version of the collection after the event. A watch can start after it.
	ResourceVersion string
	// InitialEnd reports on a bookmark that all objects that existed when the watch started have
	// been sent, see InitialEvents.
	InitialEnd bool
}

// Watch yields the changes of the resource after the version of AtVersion, or from now on. It is
// one request, which the server may end; see [Resource.Follow] for a watch that resumes. An error
// ends the sequence; if the version is too old, it is an Expired error.
func (r *Resource[T]) Watch(ctx context.Context, opts ...Option) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		q, o, err := r.request("watch", "", opts)
		if err != nil {
			yield(Event[T]{}, err)
			return
		}
		q.Options = &o.list
		for event, err := range r.client.backend.Watch(ctx, q) {
			var out Event[T]
			if err == nil {
				out, err = r.event(event)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// event returns an event with its object.
func (r *Resource[T]) event(e serializer.Event) (out Event[T], err error) {
	if !slices.Contains(eventTypes, e.Type) {
		return out, fmt.Errorf("client: the watch of %s has an event of the unknown type %s",
			r.template.Resource.Resource, schema.Quote(e.Type))
	}
	obj, m, err := r.item(e.Object)
	if err != nil {
		return out, err
	}
	return Event[T]{
		Type: e.Type, Object: obj, ResourceVersion: m.ResourceVersion,
		InitialEnd: e.Type == metav1.WatchBookmark && m.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// eventTypes are the types of events, except for errors, which are yielded as such.
var eventTypes = []string{metav1.WatchAdded, metav1.WatchModified, metav1.WatchDeleted, metav1.WatchBookmark}

// item returns the object of an event and its metadata.
func (r *Resource[T]) item(obj runtime.Object) (*T, *metav1.ObjectMeta, error) {
	item, ok := obj.(*T)
	if !ok {
		return nil, nil, fmt.Errorf("client: the watch of %s returned a %s instead of a %s", r.template.Resource.Resource,
			describe(obj), reflect.TypeFor[T]())
	}
	m, err := r.metadata(item)
	return item, m, err
}

// key returns the key of an object and its resource version.
func (r *Resource[T]) key(obj *T) (Key, string, error) {
	if u, ok := any(obj).(*unstructured.Object); ok {
		return Key{Namespace: u.Namespace(), Name: u.Name()}, u.ResourceVersion(), nil
	}
	m, err := r.metadata(obj)
	if err != nil {
		return Key{}, "", err
	}
	return Key{Namespace: m.Namespace, Name: m.Name}, m.ResourceVersion, nil
}

// Key names an object of a resource. Namespace is blank for cluster-scoped kinds.
type Key struct {
	Namespace, Name string
}

// String returns "namespace/name", or the name alone.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
