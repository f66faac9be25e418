package store

import (
	"context"
	"errors"
	"time"

	"github.com/askind/askind/meta/selector"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// WatchOptions say what is watched. The zero value asks for what changes from now on.
type WatchOptions struct {
	_ struct{} // literals name their fields

	// Namespace and Name restrict the watch, unless they are blank.
	Namespace, Name string
	// Labels and Fields select objects. An object that begins to be selected is an ADDED event, and
	// one that is no longer selected is a DELETED event with the last selected state.
	Labels selector.Selector
	Fields FieldSelector
	Shards ShardSelector
	// ResourceVersion is the revision after which the watch begins or, with Initial, the oldest one
	// that the objects may have. Blank and "0" mean the present one.
	ResourceVersion string
	// Initial asks for the objects that are there.
	Initial bool
	// Bookmarks asks a [Stream] for bookmarks from time to time.
	Bookmarks bool
}

// Event is one change that a watch sees.
type Event struct {
	// Type is [metav1.WatchAdded], [metav1.WatchModified] or [metav1.WatchDeleted].
	Type string
	// Entry is the new state or, for a deleted object, the last one with the revision of the
	// deletion.
	Entry *Entry
	// Before is the previous state that the watch has delivered, nil if there is none.
	Before *Entry
}

// Watch is a position in the history of a store; [Watch.Next] returns the events after it. It has
// no goroutine and buffers no events, so a watch that is not read costs nothing. A Watch is for one
// goroutine at a time.
//
//	for {
//		events, err := w.Next(buf[:0])
//		…
//		if len(events) == 0 {
//			err = w.Wait(ctx)
//		}
//	}
type Watch struct {
	resource  *Resource
	selection *selection
	initial   *List
	position  uint64 // the number of the next event to look at
	revision  uint64 // all events up to it have been seen
	topic     *topic // that it waits for
}

// Watch begins a watch. The error is Expired for a revision that has left the history, and Timeout
// for one that is not reached in time.
func (r *Resource) Watch(ctx context.Context, o WatchOptions) (*Watch, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	sel, err := r.selects(&ListOptions{
		Namespace: o.Namespace, Name: o.Name, Labels: o.Labels, Fields: o.Fields, Shards: o.Shards,
	})
	if err != nil {
		return nil, err
	}
	st, err := r.notOlderThan(ctx, o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &Watch{resource: r, selection: sel, revision: st.revision, position: st.window.next}
	recent := o.ResourceVersion == "" || o.ResourceVersion == "0"
	switch {
	case o.Initial:
		if w.initial, err = r.collect(sel, &ListOptions{}, st, ""); err != nil {
			return nil, err
		}
	case !recent:
		if w.revision, err = parseRevision(o.ResourceVersion); err != nil {
			return nil, err
		}
		if w.revision < st.window.floor {
			return nil, expired("the watch", w.revision, st.window.floor)
		}
		w.position = st.window.after(w.revision)
	}
	return w, nil
}

// Initial returns the objects that existed when the watch began, nil if they were not requested.
// The events follow them. The watch has them until the first call of [Watch.Next], because a list
// keeps its objects in memory when they have been replaced.
func (w *Watch) Initial() *List { return w.initial }

// Revision returns the revision up to which the watch has seen all events.
func (w *Watch) Revision() uint64 { return w.revision }

// Next appends the events that are there to buf, no more than fit without making it grow, and does
// not wait. An empty buf without capacity grows to hold some. The error is Expired if the position
// of the watch has left the history, [ErrClosed] if the store has been closed, [ErrRemoved] after
// the last event of a resource that has been removed, and [ErrReplaced] as soon as the resource has
// been replaced, because a watch of the other one can resume at the revision.
func (w *Watch) Next(buf []Event) ([]Event, error) {
	if cap(buf) == len(buf) {
		buf = append(buf, make([]Event, chunkEvents)...)[:len(buf)]
	}
	st := w.resource.store.state.Load()
	if st.err != nil {
		return buf, st.err
	}
	w.leave()
	end := st.window.next
	if err := w.resource.usable(); err != nil {
		if errors.Is(err, ErrReplaced) || w.position >= w.resource.end {
			return buf, err
		}
		end = min(end, w.resource.end) // what is missing in the state is delivered by the next call
	}
	w.initial = nil
	if w.position < st.window.first() {
		return buf, expired("the watch", w.revision, st.window.floor)
	}
	for ; w.position < end; w.position++ {
		if len(buf) == cap(buf) {
			return buf, nil
		}
		e := st.window.event(w.position)
		if w.selection.covers(e.entry.key) && !w.selection.none {
			if event, ok := w.selection.event(e); ok {
				buf = append(buf, event)
			}
		}
		if w.revision = e.entry.revision; w.position+1 < st.window.next {
			w.revision = min(w.revision, st.window.event(w.position+1).entry.revision-1)
		}
	}
	if end == st.window.next {
		w.revision = max(w.revision, st.revision)
	}
	return buf, nil
}

// event returns what a change is to a watch.
func (s *selection) event(e *event) (Event, bool) {
	before := s.resource.own(e.before)
	was := s.matches(before)
	if !e.gone {
		entry := s.resource.own(e.entry)
		switch now := s.matches(entry); {
		case now && was:
			return Event{metav1.WatchModified, entry, before}, true
		case now:
			return Event{metav1.WatchAdded, entry, nil}, true
		}
	}
	if was {
		return Event{metav1.WatchDeleted, s.resource.own(e.leaving()), before}, true
	}
	return Event{}, false
}

// leave ends a wait and skips announced events that do not concern the watch.
func (w *Watch) leave() {
	if w.topic == nil {
		return
	}
	w.position = max(w.position, w.resource.store.topics.leave(w.topic))
	w.topic = nil
}

// Ready returns a channel that is closed when Next may have events or an error. Call it again after
// each call of Next.
func (w *Watch) Ready() <-chan struct{} {
	s := w.resource.store
	if w.topic == nil {
		w.topic = s.topics.join(w.selection, w.position)
	}
	if w.topic == nil || s.state.Load().err != nil || w.resource.gone.Load() != nil {
		return closed
	}
	return w.topic.ready
}

// Wait waits until Next may have events or an error, or the context is done, whose error it
// returns.
func (w *Watch) Wait(ctx context.Context) error {
	select {
	case <-w.Ready():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the watch. It must be called when the watch is no longer needed.
func (w *Watch) Close() { w.leave() }

// bookmarkEvery is the interval between bookmarks of a stream.
const bookmarkEvery = time.Minute

// bookmarkBefore is how long before its deadline a stream sends the last bookmark.
const bookmarkBefore = 2 * time.Second

// Stream supplies package httpapi with the events of a watch, including bookmarks. A Stream is not
// safe for concurrent use.
type Stream struct {
	watch *Watch
	mark  bool
	next  time.Time // of the next bookmark
	last  time.Time // of the last bookmark before the deadline, zero if there is no deadline
	asked bool      // the deadline is known
	timer *time.Timer
	armed time.Time // when the timer fires
}

// Stream returns the events of the watch in the form that servers send. With bookmarks, one comes
// each minute and one shortly before the deadline of the context of the first call of
// [Stream.Wait], if it has one.
func (w *Watch) Stream(bookmarks bool) *Stream {
	return &Stream{watch: w, mark: bookmarks, next: time.Now().Add(bookmarkEvery)}
}

// Next is [Watch.Next] for encoded events: each object is a [serializer.Cached], so that it is
// encoded once for all watches.
func (s *Stream) Next(buf []serializer.Event) ([]serializer.Event, error) {
	var some [16]Event
	room := max(cap(buf)-len(buf), 1)
	events, err := s.watch.Next(some[:0:min(room, len(some))])
	for _, e := range events {
		buf = append(buf, serializer.Event{Type: e.Type, Object: e.Entry.Cached()})
	}
	if len(events) > 0 || err != nil {
		return buf, err
	}
	if s.mark && !time.Now().Before(s.next) {
		s.next = time.Now().Add(bookmarkEvery)
		mark, err := s.watch.resource.Bookmark(s.watch.revision, false)
		return append(buf, serializer.Event{Type: metav1.WatchBookmark, Object: mark}), err
	}
	return buf, nil
}

// Wait waits until Next may have events or an error.
func (s *Stream) Wait(ctx context.Context) error {
	if !s.mark {
		return s.watch.Wait(ctx)
	}
	if !s.asked {
		s.asked = true
		if deadline, ok := ctx.Deadline(); ok {
			s.last = deadline.Add(-bookmarkBefore)
		}
	}
	if !s.last.IsZero() && s.last.Before(s.next) {
		s.next, s.last = s.last, time.Time{}
	}
	switch { // the timer goes on while there are events
	case s.timer == nil:
		s.timer = time.NewTimer(time.Until(s.next))
	case !s.armed.Equal(s.next):
		s.timer.Reset(time.Until(s.next))
	}
	s.armed = s.next
	select {
	case <-s.watch.Ready():
	case <-s.timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Bookmark returns an object with only a resourceVersion. With initialEventsEnd it has the
// annotation that marks the end of the initial events of a watch.
func (r *Resource) Bookmark(revision uint64, initialEventsEnd bool) (runtime.Object, error) {
	obj := r.Kind().New()
	err := errors.Join(r.Kind().SetType(obj), r.setVersion(obj, formatRevision(revision)))
	if err != nil || !initialEventsEnd {
		return obj, err
	}
	annotations := map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	if u, ok := obj.(*unstructured.Object); ok {
		u.SetAnnotations(annotations)
		return obj, nil
	}
	m, err := metadataOf(r.Kind(), obj)
	if err == nil {
		m.Annotations = annotations
	}
	return obj, err
}
