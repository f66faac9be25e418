package client

import (
	"context"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
)

// ChangeType says what happened to an object.
type ChangeType string

// The types of a [Change].
const (
	Added    ChangeType = "Added"
	Modified ChangeType = "Modified"
	Deleted  ChangeType = "Deleted"
	// Synced: all objects have come that were there at the version. It has no object, and comes
	// again after each new list.
	Synced ChangeType = "Synced"
)

// Change is one step from the state of a resource to a later one.
type Change[T any] struct {
	Type ChangeType
	Key  Key
	// Object is the state after the change, or the last one that was seen of an object that is
	// gone. It is shared with all who follow: do not change it.
	Object *T
	// Before is the state before the change; nil for an object that was not there.
	Before *T
	// ResourceVersion is the version of the collection after the change.
	ResourceVersion string
}

// Follow yields the objects that are there and then every change, for as long as the context lasts
// and the caller does not stop. When the connection breaks or the server ends it, the watch goes on
// where it was. When the server has forgotten that version, Follow lists again and yields the
// difference as changes: nothing is lost, though several changes of an object may come as one.
//
// An error is yielded each time that the server cannot be reached or refuses, for the caller to log
// or to stop at; if the caller goes on, Follow tries again, at first at once and then after up to
// 30 seconds. It keeps the last state of every object in memory.
//
// The options are those of list and watch: Labels and Fields.
func (r *Resource[T]) Follow(ctx context.Context, opts ...Option) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		f := &follower[T]{resource: r, options: opts, known: map[Key]seen[T]{}, yield: yield}
		f.run(ctx)
	}
}

// follower is the state of one Follow.
type follower[T any] struct {
	resource *Resource[T]
	options  []Option
	known    map[Key]seen[T]
	version  string // of the collection; blank before the first list and when that version is gone
	yield    func(Change[T], error) bool
	stopped  bool
	backoff  time.Duration
}

// seen is the last state of an object.
type seen[T any] struct {
	object  *T
	version string
}

// The bounds of waiting between attempts, and of one watch, which servers end anyway.
const (
	firstWait  = 50 * time.Millisecond
	longest    = 30 * time.Second
	watchTime  = 5 * time.Minute
	shortWatch = time.Second // a watch that ends sooner without an event counts as a failure
)

func (f *follower[T]) run(ctx context.Context) {
	for !f.stopped && ctx.Err() == nil {
		err := f.step(ctx)
		switch {
		case f.stopped || ctx.Err() != nil:
			return
		case isGone(err):
			f.version = "" // list again
		case err != nil:
			f.stopped = !f.yield(Change[T]{}, err)
			f.wait(ctx)
		}
	}
}

// isGone reports whether a version is too old to go on from.
func isGone(err error) bool {
	reason := metav1.ReasonOf(err)
	return err != nil && (reason == metav1.StatusReasonExpired || reason == metav1.StatusReasonGone)
}

// wait waits before the next attempt, longer each time.
func (f *follower[T]) wait(ctx context.Context) {
	if f.stopped {
		return
	}
	f.backoff = min(max(2*f.backoff, firstWait), longest)
	select {
	case <-time.After(f.backoff/2 + rand.N(f.backoff/2+1)):
	case <-ctx.Done():
	}
}

// step lists if nothing is known, and watches until something ends that.
func (f *follower[T]) step(ctx context.Context) error {
	if f.version == "" {
		if err := f.list(ctx); err != nil || f.stopped {
			if isGone(err) { // in the middle of the list: the next one begins anew
				f.stopped = f.stopped || !f.yield(Change[T]{}, err)
				f.wait(ctx)
			}
			return err
		}
	}
	begin := time.Now()
	events, err := f.watch(ctx)
	if err == nil && events == 0 && time.Since(begin) < shortWatch && !f.stopped {
		f.wait(ctx)
	}
	return err
}

// list yields the difference between what is known and what is there.
func (f *follower[T]) list(ctx context.Context) error {
	found := map[Key]seen[T]{}
	opts := append([]Option{Limit(pageSize)}, f.options...)
	var version string
	for {
		list, err := f.resource.List(ctx, opts...)
		if err != nil {
			return err
		}
		for _, obj := range list.Items {
			key, v, err := f.resource.key(obj)
			if err != nil {
				return err
			}
			found[key] = seen[T]{obj, v}
		}
		version = list.ResourceVersion
		if list.Continue == "" {
			break
		}
		opts = append(opts, Continue(list.Continue))
	}
	f.backoff = 0
	f.replace(found, version)
	if !f.stopped {
		f.version = version
		f.emit(Change[T]{Type: Synced, ResourceVersion: version})
	}
	return nil
}

// replace yields what has to happen so that what is known becomes what was found: in the order of
// the keys, the objects that are gone first, because another object may have what was theirs.
func (f *follower[T]) replace(found map[Key]seen[T], version string) {
	for _, key := range sortedKeys(f.known) {
		if _, ok := found[key]; !ok {
			before := f.known[key].object
			delete(f.known, key)
			f.emit(Change[T]{Type: Deleted, Key: key, Object: before, Before: before, ResourceVersion: version})
		}
	}
	for _, key := range sortedKeys(found) {
		f.put(key, found[key], version)
	}
}

// put makes a state of an object known, if it is not already.
func (f *follower[T]) put(key Key, now seen[T], version string) {
	before, ok := f.known[key]
	if ok && before.version == now.version && now.version != "" {
		return
	}
	f.known[key] = now
	change := Change[T]{Type: Added, Key: key, Object: now.object, ResourceVersion: version}
	if ok {
		change.Type, change.Before = Modified, before.object
	}
	f.emit(change)
}

func (f *follower[T]) emit(c Change[T]) {
	f.stopped = f.stopped || !f.yield(c, nil)
}

// watch yields changes until the watch ends, and returns how many events came.
func (f *follower[T]) watch(ctx context.Context) (events int, err error) {
	seconds := int64((watchTime + rand.N(watchTime)).Seconds())
	opts := slices.Concat(f.options, []Option{AtVersion(f.version), Bookmarks(), watchFor(seconds)})
	for event, err := range f.resource.Watch(ctx, opts...) {
		if err != nil {
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				return events, nil
			}
			return events, err
		}
		events++
		f.backoff = 0
		if err := f.take(event); err != nil {
			return events, err
		}
		if f.stopped {
			return events, nil
		}
	}
	return events, nil
}

// take makes an event of a watch known.
func (f *follower[T]) take(e Event[T]) error {
	key, version, err := f.resource.key(e.Object)
	if err != nil {
		return err
	}
	switch e.Type {
	case metav1.WatchAdded, metav1.WatchModified:
		f.put(key, seen[T]{e.Object, version}, e.ResourceVersion)
	case metav1.WatchDeleted:
		if before, ok := f.known[key]; ok {
			delete(f.known, key)
			f.emit(Change[T]{
				Type: Deleted, Key: key, Object: e.Object, Before: before.object,
				ResourceVersion: e.ResourceVersion,
			})
		}
	}
	if e.ResourceVersion != "" {
		f.version = e.ResourceVersion
	}
	return nil
}

// watchFor has the server end a watch.
func watchFor(seconds int64) Option {
	return option{"watchFor", []string{"watch"}, func(o *options) { o.list.TimeoutSeconds = &seconds }}
}

// sortedKeys returns the keys in the order of namespaces and names.
func sortedKeys[V any](m map[Key]V) []Key {
	return slices.SortedFunc(maps.Keys(m), Key.compare)
}

func (k Key) compare(other Key) int {
	if c := strings.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return strings.Compare(k.Name, other.Name)
}

// sortedNames returns the keys in lexical order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
