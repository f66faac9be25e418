package serializer

import (
	"errors"
	"fmt"
	"io"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// EventWriter writes the events of one watch. It is not safe for concurrent use. The zero value is
// not usable; use [Representation.Events].
type EventWriter struct {
	// Explain returns the Status for the client when an error ends the stream; it is part of the
	// returned error. If Explain or its result is nil, the Status is that of a
	// [*metav1.StatusError], or of an internal error without the text of the error.
	Explain func(error) *metav1.StatusError

	err    error
	w      io.Writer
	buf    []byte
	later  bool // an event has been written
	keeps  bool // Cached objects keep the form
	rep    *Representation
	events *format.Events
	form   formKey // the key of the representation
}

// Events returns a writer of watch events to w, each with an object in this representation. It is
// an error if the format does not support watches.
func (r *Representation) Events(w io.Writer) (*EventWriter, error) {
	if r.format.Events == nil {
		return nil, fmt.Errorf("serializer: the format %s has no watch events", r.format.Name)
	}
	e := &EventWriter{rep: r, events: r.format.Events, w: w}
	e.form, e.keeps = r.key()
	return e, nil
}

// Send writes one event in a single call of Write. The object is one item, or a [Cached], which is
// encoded once for all watches that send it in the same form. If the client requested a table, each
// event has a table with the row of the object, and the first of them also has the columns. A
// bookmark is written like [EventWriter.Bookmark] writes it, with only the metadata of the object.
//
// If the object cannot be written in the representation, the client gets an event of type ERROR
// with a Status, never the object in another form, and the stream ends: Send returns the error,
// from now on for every call. An error of Write ends the stream as well.
func (e *EventWriter) Send(eventType string, obj runtime.Object) error {
	if e.err != nil {
		return e.err
	}
	switch eventType {
	case metav1.WatchAdded, metav1.WatchModified, metav1.WatchDeleted, metav1.WatchBookmark, metav1.WatchError:
	default:
		return e.Fail(fmt.Errorf("serializer: there are no watch events of the type %s; use metav1.WatchAdded "+
			"and the other constants", schema.Quote(eventType)))
	}
	frame, err := e.frame(eventType, obj)
	if err != nil {
		return e.Fail(err)
	}
	return e.sent(eventType, frame)
}

// sent writes the frame of an event.
func (e *EventWriter) sent(eventType string, frame []byte) error {
	if eventType != metav1.WatchError {
		e.later = true
	}
	e.err = writeAll(e.w, frame)
	return e.err
}

// Fail ends the stream with an event of type ERROR for a reason outside of Send, such as a resource
// version that is too old to watch from. The Status is that of [EventWriter].Explain. Fail returns
// the error.
func (e *EventWriter) Fail(err error) error {
	if e.err != nil {
		return e.err
	}
	if err == nil {
		err = errors.New("serializer: Fail was called without an error")
	}
	status := metav1.StatusOf(err)
	if e.Explain != nil {
		if explained := e.Explain(err); explained != nil {
			status, err = &explained.Status, explained
		}
	}
	s := *status
	s.TypeMeta = metav1.TypeMeta{Kind: statusKind, APIVersion: "v1"}
	e.err = err
	k, shown, showErr := e.rep.show(&s)
	if showErr != nil {
		k, shown = unregisteredStatus, &s
	}
	frame, frameErr := e.events.Append(e.buf[:0], metav1.WatchError, k, shown)
	if frameErr != nil {
		return errors.Join(err, frameErr)
	}
	if writeErr := writeAll(e.w, frame); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return err
}

// frame returns the encoded event. It must not be modified.
func (e *EventWriter) frame(eventType string, obj runtime.Object) ([]byte, error) {
	key := func() (formKey, bool) {
		k := e.form
		k.event, k.first = eventType, !e.later && e.rep.tabular()
		return k, e.keeps
	}
	encode := func(dst []byte, obj runtime.Object) ([]byte, error) { return e.append(dst, eventType, obj) }
	out, kept, err := encodeOnce(e.buf[:0], obj, key, encode)
	if err != nil {
		return nil, err
	}
	if !kept && cap(out) <= maxPooled {
		e.buf = out
	}
	return out, nil
}

// append encodes an event.
func (e *EventWriter) append(dst []byte, eventType string, obj runtime.Object) ([]byte, error) {
	if eventType == metav1.WatchBookmark {
		return e.appendBookmark(dst, obj)
	}
	k, obj, err := e.rep.show(obj)
	if err != nil {
		return dst, err
	}
	return e.appendShown(dst, eventType, k, obj)
}

// appendShown encodes an event with the shown form of an object. Tables have columns in the first
// event only.
func (e *EventWriter) appendShown(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	if e.later {
		switch t := obj.(type) {
		case *metav1.Table:
			rows := *t
			rows.ColumnDefinitions = nil
			obj = &rows
		case *metav1.TabularOutput:
			rows := *t
			rows.Columns = nil
			obj = &rows
		}
	}
	return e.events.Append(dst, eventType, k, obj)
}
