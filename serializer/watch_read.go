package serializer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/accept"
	"github.com/askind/askind/serializer/internal/input"
)

// Event is one event of a watch.
type Event struct {
	_ struct{} // literals name their fields

	// Type is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
	Type string
	// Object is the state of the object. It states its kind and apiVersion.
	Object runtime.Object
}

// EventError reports that one event of a stream could not be read. The events after it can be read.
type EventError struct {
	_ struct{} // literals name their fields

	// Index is the number of the frame in the stream, from 0, and Offset its position in bytes.
	Index  int
	Offset int64
	// Err is the cause: a [*runtime.DecodeError] with positions in the frame. errors.Is finds
	// [runtime.ErrLimit] for one that is too large.
	Err error
}

// Error implements error.
func (e *EventError) Error() string {
	return fmt.Sprintf("serializer: event %d at byte %d of the stream: %s", e.Index, e.Offset, schema.MessageOf(e.Err))
}

// Unwrap returns the cause.
func (e *EventError) Unwrap() error { return e.Err }

// EventReader reads the events of one watch. It is not safe for concurrent use. The zero value is
// not usable; use [NewEventReader].
type EventReader struct {
	factory *Factory
	events  *format.Events
	framer  format.Framer
	options DecodeOptions
	limit   int
	in      *input.Input
	index   int
	offset  int64 // of the buffer; that of the input is an int
}

// NewEventReader returns a reader of the watch events in r, in the format named by the media type
// of the options: pass the Content-Type of the response, with or without the parameter
// stream=watch. Objects are decoded according to the options, except that the objects of bookmarks
// and errors are neither defaulted nor validated. Limits.Item bounds the size of one frame.
// Strictness applies to objects: members of an event other than its type and object are ignored,
// because newer servers may add members.
func NewEventReader(r io.Reader, f *Factory, o DecodeOptions) (*EventReader, error) {
	header := o.MediaType
	ct, _ := accept.ParseContentType(header)
	for _, fm := range f.formats {
		if fm.Events != nil && fm.Events.MediaType == ct.Name && ct.Name != "" {
			header = fm.MediaTypes[0]
		}
	}
	fm, err := f.ForContentType(header)
	if err != nil {
		return nil, err
	}
	if fm.Events == nil {
		return nil, fmt.Errorf("serializer: the format %s has no watch events", fm.Name)
	}
	o.Limits = o.Limits.Or(f.limits)
	return &EventReader{
		factory: f, events: fm.Events, framer: fm.Events.NewFramer(), options: o,
		limit: o.Limits.OrDefaults().Item, in: input.New(r),
	}, nil
}

// next waits for the next event. The error is [io.EOF] at the end of the stream, and otherwise as
// [EventReader.All] describes.
func (e *EventReader) next() (Event, error) {
	for {
		at := e.offset
		frame, tooLarge, err := e.frame()
		if err != nil {
			return Event{}, err
		}
		var event Event
		found := tooLarge
		if tooLarge {
			large := &schema.LimitError{
				Limit: "Item", What: "the event", Unit: "bytes", Max: e.limit,
				Got: int(e.offset - at),
			}
			err = atFile(&e.options, runtime.Problem{Cause: runtime.ErrLimit, Message: large.Error(), Err: large})
		} else {
			event, found, err = e.decode(frame)
		}
		if err != nil {
			err = &EventError{Index: e.index, Offset: at, Err: err}
		}
		if !tooLarge {
			e.drop()
		}
		if found {
			e.index++
			return event, err
		}
	}
}

// All waits for the events and yields each, until the stream ends. An event that cannot be read is
// yielded as an [*EventError], and later ones follow; an error of the underlying reader is yielded
// last. An event may come with an EventError if its object is complete nevertheless, as
// [Factory.Decode] describes. A frame over the limit is skipped without being kept in memory. After
// the loop has been left, All goes on with the next event.
func (e *EventReader) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			event, err := e.next()
			if err == io.EOF || !yield(event, err) {
				return
			}
			if _, ok := errors.AsType[*EventError](err); err != nil && !ok {
				return
			}
		}
	}
}

// frame returns the next frame, which aliases the buffer and ends at its position. A frame that is
// too large has been discarded.
func (e *EventReader) frame() (frame []byte, tooLarge bool, err error) {
	in := e.in
	for {
		n, done := e.framer.Next(in.Buf[in.Pos:])
		in.Pos += n
		if tooLarge = tooLarge || in.Pos > e.limit; tooLarge {
			e.drop()
		}
		switch {
		case done && tooLarge:
			return nil, true, nil
		case done:
			return in.Buf[:in.Pos], false, nil
		case in.More():
		case tooLarge:
			return nil, true, nil
		case in.Err() != nil:
			return nil, false, in.Err()
		case len(bytes.TrimSpace(in.Buf)) > 0:
			in.Pos = len(in.Buf)
			return in.Buf, false, nil // truncated, or in a format whose frames end with the stream
		default:
			return nil, false, io.EOF
		}
	}
}

// drop discards what has been scanned.
func (e *EventReader) drop() {
	e.offset += int64(e.in.Pos)
	e.in.Drop()
}

// decode decodes an event. It returns false for a frame without an event.
func (e *EventReader) decode(frame []byte) (event Event, found bool, err error) {
	eventType, doc, err := e.events.Open(frame, e.options.Limits)
	if err != nil {
		return Event{}, true, inFile(&e.options, err)
	}
	if doc == nil {
		return Event{}, false, nil
	}
	o := e.options
	if eventType == metav1.WatchBookmark || eventType == metav1.WatchError {
		o.Default, o.Validate, o.ValidateConverted = false, false, false
	}
	if eventType == metav1.WatchError {
		o.Unknown = orStatus(o.Unknown)
	}
	obj, err := e.factory.decode(doc, nil, &o)
	if obj == nil {
		return Event{}, true, err
	}
	return Event{Type: eventType, Object: obj}, true, err
}

// orStatus also finds the kind of a Status in the core group, which servers send, if the scheme
// does not have it.
func orStatus(unknown func(schema.GroupVersionKind) *runtime.Kind) func(schema.GroupVersionKind) *runtime.Kind {
	return func(gvk schema.GroupVersionKind) *runtime.Kind {
		if gvk == unregisteredStatus.GroupVersionKind() {
			return unregisteredStatus
		}
		if unknown == nil {
			return nil
		}
		return unknown(gvk)
	}
}
