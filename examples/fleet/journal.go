package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// journal holds the latest changes of a store, and tells watchers of each. The lock of the store is held for all of its methods.
type journal struct {
	changes  []change // the oldest one first
	dropped  uint64   // the version of the latest change that is not kept any more
	watchers map[*watcher]struct{}
}

// journalLength is how many changes are kept, for watches that go on from a version.
const journalLength = 1000

func newJournal() journal { return journal{watchers: map[*watcher]struct{}{}} }

// change is one change of one object.
type change struct {
	kind        *runtime.Kind
	version     uint64
	before, now stored // before is empty for a new object; of one that is gone, now is its last state
	gone        bool
}

// watcher is one watch of the objects of a kind.
type watcher struct {
	kind      *runtime.Kind
	sel       selection
	bookmarks bool
	told      uint64                // the version of what it was told last
	events    chan serializer.Event // one place is kept for an error
}

// write adds a change and tells the watchers.
func (j *journal) write(c change) {
	if len(j.changes) == journalLength {
		j.dropped = j.changes[0].version
		j.changes = slices.Delete(j.changes, 0, 1)
	}
	j.changes = append(j.changes, c)
	shared := map[string]serializer.Event{} // encoded once for all watchers
	for w := range j.watchers {
		if !w.tell(c, shared) {
			delete(j.watchers, w)
			close(w.events)
		}
	}
}

// bookmarkAfter is how many versions a watcher may be behind, because of changes that do not concern it, before it gets a bookmark.
const bookmarkAfter = 100

// tell sends what a change means for the watcher. It reports false for one that does not receive as fast as changes are made.
func (w *watcher) tell(c change, shared map[string]serializer.Event) bool {
	event, ok := w.event(c, shared)
	switch {
	case ok:
	case w.bookmarks && c.version-w.told >= bookmarkAfter:
		mark, err := bookmark(w.kind, c.version)
		if err != nil {
			return true // a kind without metadata has no bookmarks
		}
		event = serializer.Event{Type: metav1.WatchBookmark, Object: mark}
	default:
		return true
	}
	w.told = c.version
	if len(w.events) == cap(w.events)-1 {
		slow := metav1.Failure(metav1.StatusReasonExpired, "the watch is too far behind; list the objects again")
		w.events <- serializer.Event{Type: metav1.WatchError, Object: &slow.Status}
		return false
	}
	w.events <- event
	return true
}

// event returns what a change is to the watcher. An object that comes into the selection is a new one there, and one that leaves it is gone.
func (w *watcher) event(c change, shared map[string]serializer.Event) (serializer.Event, bool) {
	if c.kind != w.kind {
		return serializer.Event{}, false
	}
	was := c.before.object != nil && w.sel.matches(c.before.meta)
	is := !c.gone && w.sel.matches(c.now.meta)
	name := ""
	switch {
	case was && is:
		name = metav1.WatchModified
	case is:
		name = metav1.WatchAdded
	case was:
		name = metav1.WatchDeleted
	default:
		return serializer.Event{}, false
	}
	e, ok := shared[name]
	if !ok {
		e = serializer.Event{Type: name, Object: serializer.NewCached(c.now.object)}
		shared[name] = e
	}
	return e, true
}

// bookmark returns an object that says nothing but a version.
func bookmark(kind *runtime.Kind, version uint64) (runtime.Object, error) {
	obj := kind.New()
	if err := kind.SetType(obj); err != nil {
		return nil, err
	}
	m, err := meta.Accessor(kind, obj)
	if err != nil {
		return nil, err
	}
	m.ResourceVersion = strconv.FormatUint(version, 10)
	return obj, nil
}

// watchAhead is how many events a watcher may be behind.
const watchAhead = 100

// watch starts a watch of the objects of a kind that are selected. It ends with the context.
func (s *store) watch(ctx context.Context, kind *runtime.Kind, sel selection, from httpapi.WatchStart) (*httpapi.Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after, err := s.versionFor(from.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &watcher{kind: kind, sel: sel, bookmarks: from.Bookmarks, told: s.version}
	out := &httpapi.Changes{ResourceVersion: strconv.FormatUint(s.version, 10)}
	var missed []serializer.Event
	if from.Initial {
		present := s.selected(kind, sel)
		out.Initial = func(yield func(runtime.Object, error) bool) {
			for _, obj := range present {
				if !yield(obj, nil) {
					return
				}
			}
		}
	} else if missed, err = s.missed(w, after); err != nil {
		return nil, err
	}
	w.events = make(chan serializer.Event, len(missed)+watchAhead+1)
	for _, e := range missed {
		w.events <- e
	}
	out.Events = w.events
	s.journal.watchers[w] = struct{}{}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.journal.watchers, w)
	})
	return out, nil
}

// versionFor reads a resource version that a request states. One that is yet to come is an error that says so. A blank one is the present one.
func (s *store) versionFor(text string) (uint64, error) {
	if text == "" {
		return s.version, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, metav1.BadRequest(fmt.Sprintf("resourceVersion: %q is not a version", text))
	}
	if version > s.version {
		e := metav1.Failure(metav1.StatusReasonTimeout, fmt.Sprintf("the resource version %d is yet to come; the present one is %d", version, s.version))
		e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "too large resource version"}}}
		return 0, e
	}
	return version, nil
}

// missed returns what a watcher has to be told that saw a version last.
func (s *store) missed(w *watcher, after uint64) (out []serializer.Event, err error) {
	if after < s.journal.dropped {
		return nil, metav1.Failure(metav1.StatusReasonExpired, fmt.Sprintf("the resource version %d is too old; list the objects again", after))
	}
	for _, c := range s.journal.changes {
		if c.version <= after {
			continue
		}
		if e, ok := w.event(c, map[string]serializer.Event{}); ok {
			out = append(out, e)
		}
	}
	return out, nil
}
