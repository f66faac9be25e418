package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"sync"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// WatchStart describes how a watch begins, according to the [metav1.ListOptions] of the request.
type WatchStart struct {
	_ struct{} // literals name their fields

	// Initial requests that the stream begin with the existing objects.
	Initial bool
	// Marked reports that the client expects a bookmark after them, see
	// [metav1.ListOptions].SendInitialEvents.
	Marked bool
	// If Initial is set, ResourceVersion is the version that the objects must have reached.
	// Otherwise it is the version after which the stream begins. If it is blank, the current
	// version is meant.
	ResourceVersion string
	// Bookmarks reports that the client understands BOOKMARK events, which a source may send from
	// time to time.
	Bookmarks bool
}

// Changes are the events of a watch.
type Changes struct {
	_ struct{} // literals name their fields

	// Initial yields the objects that exist at ResourceVersion. It is used if [WatchStart].Initial
	// requests it; if it is nil, such a request is refused.
	Initial iter.Seq2[runtime.Object, error]
	// ResourceVersion is the version of the collection in Initial. Events contains the changes
	// after it.
	ResourceVersion string
	// Events are sent in order, each with one object or a [serializer.Cached]. The watch ends when
	// the channel is closed, and after an event of type ERROR, whose object is a Status. Events
	// that remain in the channel are not received.
	Events <-chan serializer.Event
	// Source, if not nil, supplies the events in place of Events.
	Source EventSource
}

// EventSource supplies [Exchange.Watch] with the events of one watch, without a goroutine or a
// channel. Its methods are called by one goroutine at a time, and never after Watch has returned.
type EventSource interface {
	// Next appends available events to buf, up to its capacity, and does not wait. The watch ends
	// after an event of type ERROR, and on an error: silently on [io.EOF], and with such an event
	// otherwise.
	Next(buf []serializer.Event) ([]serializer.Event, error)
	// Wait blocks until Next may have events or an error, or returns the error of the context when
	// it is done.
	Wait(ctx context.Context) error
}

// Watch answers a request whose verb is watch with a stream of events. It calls start with what the
// stream begins with, and a context that is done when the watch ends: when the client disconnects,
// the time of the request has expired, or the channel is closed. The sender of the channel must
// stop then. If start returns an error, such as an Expired for a version that is too old, Watch
// returns it and sends nothing. A watch with a negative timeout ends without events, and start is
// not called.
//
// If the client wants them, the stream begins with ADDED events for the existing objects. If the
// client requested them with sendInitialEvents, they are followed by a bookmark of the same kind
// with the version of the collection and the annotation k8s.io/initial-events-end: "true". The
// events of the channel follow. All objects are in the negotiated representation; a table has its
// columns in the first event only. Bookmarks, including those of the source, have only metadata,
// see [serializer.EventWriter.Bookmark].
//
// An object that cannot be shown in that representation ends the stream with an event of type
// ERROR, and so does an error of Initial. Such errors are passed to [Settings].Log and are not
// errors of Watch. The client gets a reference to the log in place of the text of an internal
// error. Once a stream has begun, the response is complete however it ends.
//
// Events are flushed when no other event is waiting in the channel or the source. Watch lifts the
// read and write timeouts of the server for this response. It leaves no goroutine behind.
func (x *Exchange) Watch(start func(ctx context.Context, from WatchStart) (*Changes, error)) error {
	from, err := x.watchStart()
	if err != nil {
		return err
	}
	ctx, cancel := x.watchContext()
	defer cancel()
	if ctx.Err() != nil { // the time was over from the beginning
		from = WatchStart{}
		start = func(context.Context, WatchStart) (*Changes, error) { return new(Changes), nil }
	}
	changes, err := start(ctx, from)
	switch {
	case err != nil:
		return err
	case changes == nil:
		return errors.New("httpapi: nothing to watch")
	case from.Initial && changes.Initial == nil:
		return initialRefused(from.Marked)
	}
	mark, err := x.mark(changes.ResourceVersion)
	if err != nil && from.Marked {
		return err
	}
	// What the response records has been recorded when the events begin.
	events, err := x.rep.Events(x.w.ResponseWriter)
	if err != nil {
		return err
	}
	x.Header().Set("Content-Type", x.rep.ContentType())
	x.w.WriteHeader(http.StatusOK)
	if x.head() {
		return nil
	}
	events.Explain = explained
	s := &watchStream{ctx: ctx, events: events, control: http.NewResponseController(x.w.ResponseWriter)}
	defer s.guard()()
	if !from.Initial {
		changes.Initial = nil
	}
	if !from.Marked {
		mark = nil
	}
	if err := s.run(changes, mark); err != nil && ctx.Err() == nil {
		x.api.log(x.r, err)
	}
	return nil
}

// watchStart determines the start of the watch from the options.
func (x *Exchange) watchStart() (from WatchStart, err error) {
	if x.verb != verbWatch {
		return from, errors.New("httpapi: the request does not ask for a watch")
	}
	o := x.listOptions()
	from.ResourceVersion, from.Bookmarks = o.ResourceVersion, o.AllowWatchBookmarks
	recent := o.ResourceVersion == "" || o.ResourceVersion == "0"
	if recent {
		from.ResourceVersion = ""
	}
	if o.SendInitialEvents == nil {
		from.Initial = recent // as it was before the option existed
	} else if *o.SendInitialEvents {
		from.Initial, from.Marked = true, true
	}
	return from, nil
}

// initialRefused returns the error for a request of initial events that cannot be sent.
func initialRefused(asked bool) error {
	field, detail := "resourceVersion", "a watch here begins at a version; list the objects first"
	if asked {
		field, detail = "sendInitialEvents",
			"not supported here; list the objects first, and watch from the version of the list"
	}
	found := runtime.FieldErrors{runtime.Forbidden(schema.NewPath(field), detail)}
	return metav1.Invalid(metav1.GroupVersion.WithKind("ListOptions").GroupKind(), "", found)
}

// watchContext returns the context of the watch, with the time limit of the options. As in
// Kubernetes, 0 is no limit, and the time of a watch with a negative one is over at once.
func (x *Exchange) watchContext() (context.Context, context.CancelFunc) {
	o := x.listOptions()
	if o.TimeoutSeconds == nil || *o.TimeoutSeconds == 0 {
		return context.WithCancel(x.r.Context())
	}
	seconds := min(max(*o.TimeoutSeconds, 0), math.MaxInt64/int64(time.Second))
	return context.WithTimeout(x.r.Context(), time.Duration(seconds)*time.Second)
}

// mark returns the metadata of the bookmark that ends the initial events.
func (x *Exchange) mark(version string) (*metav1.ObjectMeta, error) {
	k, err := x.api.factory.Scheme().Kind(x.endpoint.offer.Kind)
	if err != nil {
		return nil, err
	}
	if k.ItemKind() == nil {
		return nil, fmt.Errorf("httpapi: no bookmark for %s, whose items have no common kind",
			x.endpoint.offer.Kind)
	}
	return &metav1.ObjectMeta{
		ResourceVersion: version, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}, nil
}

// watchStream is a watch whose header has been sent.
type watchStream struct {
	ctx     context.Context
	events  *serializer.EventWriter
	control *http.ResponseController
}

// run sends all events. Its error is the reason why the stream ended early.
func (s *watchStream) run(changes *Changes, mark *metav1.ObjectMeta) error {
	if err := s.flush(); err != nil {
		return err
	}
	if changes.Initial != nil {
		for obj, err := range changes.Initial {
			if err != nil {
				return s.fail(err)
			}
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if err := s.send(metav1.WatchAdded, obj); err != nil {
				return err
			}
		}
		changes.Initial = nil // it may keep objects in memory, and the stream may last long
	}
	if mark != nil {
		if err := s.events.Bookmark(mark); err != nil {
			_ = s.flush() // the last event, if it was sent
			return err
		}
	}
	if changes.Source != nil {
		return s.pull(changes.Source)
	}
	for {
		event, ok, err := s.next(changes.Events)
		if err != nil || !ok {
			return err
		}
		if err := s.send(event.Type, event.Object); err != nil {
			return err
		}
		if event.Type == metav1.WatchError {
			return s.flush()
		}
	}
}

// pulled is how many events are requested at once, and eventBuffers holds memory for them.
const pulled = 64

var eventBuffers = sync.Pool{New: func() any { return new([pulled]serializer.Event) }}

// pull sends the events of a source and waits for more.
func (s *watchStream) pull(source EventSource) error {
	for {
		ended, err := s.drain(source)
		if err != nil {
			return err
		}
		if err := s.flush(); err != nil || ended {
			return err
		}
		if err := source.Wait(s.ctx); err != nil {
			return nil // the context is done
		}
	}
}

// drain sends the events that a source has available, and reports whether the watch ends with them.
func (s *watchStream) drain(source EventSource) (ended bool, err error) {
	buf := eventBuffers.Get().(*[pulled]serializer.Event) // so that an idle watch holds no buffer
	defer func() { clear(buf[:]); eventBuffers.Put(buf) }()
	for {
		events, err := source.Next(buf[:0])
		for _, event := range events {
			if err := s.send(event.Type, event.Object); err != nil {
				return true, err
			}
			if event.Type == metav1.WatchError {
				return true, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return true, s.fail(err)
		case len(events) == 0:
			return false, nil
		case s.ctx.Err() != nil:
			return true, nil
		}
	}
}

// next returns the next event. If none is waiting, it first flushes the events sent so far.
func (s *watchStream) next(events <-chan serializer.Event) (event serializer.Event, ok bool, err error) {
	select {
	case <-s.ctx.Done():
		return event, false, s.flush()
	default:
	}
	select {
	case event, ok = <-events:
		if !ok {
			err = s.flush()
		}
		return event, ok, err
	default:
	}
	if err := s.flush(); err != nil {
		return event, false, err
	}
	select {
	case event, ok = <-events:
		return event, ok, nil
	case <-s.ctx.Done():
		return event, false, nil
	}
}

// send sends an event. If the object cannot be shown, it sends an ERROR event and returns the
// error.
func (s *watchStream) send(eventType string, obj runtime.Object) error {
	err := s.events.Send(eventType, obj)
	if err != nil {
		_ = s.flush() // the last event, if it was sent
	}
	return err
}

// fail ends the stream with an ERROR event.
func (s *watchStream) fail(err error) error {
	err = s.events.Fail(err)
	_ = s.flush()
	return err
}

// explained returns an error with the Status for the client in an ERROR event.
func explained(err error) *metav1.StatusError {
	status, err := referenced(err)
	return &metav1.StatusError{Status: status, Err: err}
}

// flush sends the buffered events. Writers that cannot be flushed are left alone.
func (s *watchStream) flush() error {
	if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// lastWrite is how long a client may take to receive the rest when its watch has ended.
const lastWrite = 5 * time.Second

// guard lifts the timeouts of the server, and sets a write deadline when the context of the watch
// is done, so that a client that does not read cannot hold it open. The returned function clears
// that deadline.
func (s *watchStream) guard() func() {
	_ = s.control.SetReadDeadline(time.Time{}) // connections without deadlines have none to lift
	_ = s.control.SetWriteDeadline(time.Time{})
	set := make(chan struct{})
	stop := context.AfterFunc(s.ctx, func() {
		_ = s.control.SetWriteDeadline(time.Now().Add(lastWrite))
		close(set)
	})
	return func() {
		if stop() {
			return
		}
		<-set
		_ = s.control.SetWriteDeadline(time.Time{}) // the connection may be used for other requests
	}
}
