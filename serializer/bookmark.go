package serializer

import (
	"fmt"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Bookmark writes an event of type BOOKMARK with this metadata. The object around the metadata is
// created directly in the representation, without calling conversion or as-kind functions, because
// a bookmark has no values for them to convert. In a table the metadata is that of a row without
// cells. The metadata is not retained. Errors are those of [EventWriter.Send].
func (e *EventWriter) Bookmark(m *metav1.ObjectMeta) error {
	if e.err != nil {
		return e.err
	}
	k, obj, err := e.rep.bookmark(m)
	if err == nil {
		return e.sendShown(metav1.WatchBookmark, k, obj)
	}
	return e.Fail(err)
}

// sendShown writes one event with the representation of an object.
func (e *EventWriter) sendShown(eventType string, k *runtime.Kind, obj runtime.Object) error {
	frame, err := e.appendShown(e.buf[:0], eventType, k, obj)
	if err != nil {
		return e.Fail(err)
	}
	if cap(frame) <= maxPooled {
		e.buf = frame
	}
	return e.sent(eventType, frame)
}

// appendBookmark encodes a BOOKMARK event with the metadata of an object.
func (e *EventWriter) appendBookmark(dst []byte, obj runtime.Object) ([]byte, error) {
	k, err := e.rep.factory.scheme.KindOf(obj)
	if err != nil {
		return dst, err
	}
	m, err := metadataOf(k, obj)
	if err != nil {
		return dst, err
	}
	k, obj, err = e.rep.bookmark(m)
	if err != nil {
		return dst, err
	}
	return e.appendShown(dst, metav1.WatchBookmark, k, obj)
}

// untypedObject is an object of meta/unstructured, which this package cannot import.
type untypedObject interface {
	ObjectMeta() (*metav1.ObjectMeta, error)
	SetObjectMeta(m *metav1.ObjectMeta) error
}

// metadataOf returns the metadata of an object, for reading only.
func metadataOf(k *runtime.Kind, obj runtime.Object) (*metav1.ObjectMeta, error) {
	if u, ok := obj.(untypedObject); ok {
		return u.ObjectMeta()
	}
	if m, ok := k.Metadata(obj).(*metav1.ObjectMeta); ok && m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("serializer: the bookmark is of the kind %s, which has no object metadata", k)
}

// bookmark returns an object of the target kind with this metadata and nothing else.
func (r *Representation) bookmark(m *metav1.ObjectMeta) (*runtime.Kind, runtime.Object, error) {
	scheme := r.factory.scheme
	if r.shown {
		from, err := scheme.Kind(r.offered)
		if err != nil {
			return nil, nil, err
		}
		if c := scheme.Collector(itemKind(from), r.target); c != nil {
			return r.collectedBookmark(c, m)
		}
	}
	k, err := scheme.Kind(r.target)
	if err != nil {
		return nil, nil, err
	}
	k = itemKind(k)
	obj := k.New()
	if u, ok := obj.(untypedObject); ok {
		return k, obj, u.SetObjectMeta(m)
	}
	switch own := k.Metadata(obj).(type) {
	case *metav1.ObjectMeta:
		*own = *m
	case *metav1.ListMeta:
		own.ResourceVersion = m.ResourceVersion
	}
	return k, obj, nil
}

// collectedBookmark returns a bookmark of a kind that collects objects: an empty collection, except
// for the row of a table that holds the metadata.
func (r *Representation) collectedBookmark(c *runtime.Collector, m *metav1.ObjectMeta) (*runtime.Kind,
	runtime.Object, error,
) {
	whole, err := c.Begin(r.scope)
	if err != nil {
		return nil, nil, err
	}
	if t, ok := whole.(*metav1.Table); ok {
		metav1.AppendBookmarkRow(t, m)
	}
	return c.Finish(whole, &metav1.ListMeta{ResourceVersion: m.ResourceVersion}, r.scope)
}
