package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
)

// ChangeType is the type of a [Change].
type ChangeType string

// The types of a [Change].
const (
	Added    ChangeType = "Added"
	Modified ChangeType = "Modified"
	Deleted  ChangeType = "Deleted"
	// Synced: all objects of the list have been yielded. It has no object, and follows each new
	// list.
	Synced ChangeType = "Synced"
)

// Change is a change of one object, or a Synced.
type Change[T any] struct {
	Type ChangeType
	Key  Key
	// Object is the state after the change; for a deleted object, its last known state. It is
	// shared: do not modify it.
	Object *T
	// Before is the state before the change; nil for an added object.
	Before *T
	// ResourceVersion is the version of the collection after the change.
	ResourceVersion string
}

// Follow yields the existing objects and then every change, until the context is done or the caller
// stops. When the connection breaks or the server ends the watch, Follow resumes at the last
// version. When that version has expired, or the server does not have it because it has been
// restored from a backup, Follow lists again and yields the differences as changes: no object is
// missed, but several changes of one object may be combined into one.
//
// Each time the server cannot be reached or rejects a request, Follow yields the error. The caller
// can log it or stop; if it continues, Follow retries, at first immediately and later after up to
// 30 seconds. A watch that ends within a second counts as a failure, too; if it had events, Follow
// waits at most a second. It keeps the last state of every object in memory.
//
// It takes the options Labels, Fields and Shard.
func (r *Resource[T]) Follow(ctx context.Context, opts ...Option) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		f := newFollower(r, opts)
		f.yield = yield
		f.run(ctx)
	}
}

// follower is the state of one Follow.
type follower[T any] struct {
	resource *Resource[T]
	options  []Option
	known    map[Key]seen[T]
	version  string // of the collection; blank before the first list and when the version has expired
	restored bool   // versions of objects may have been used again since they were seen
	listed   time.Time
	yield    func(Change[T], error) bool
	stopped  bool
	backoff  time.Duration
}

func newFollower[T any](r *Resource[T], opts []Option) *follower[T] {
	return &follower[T]{resource: r, options: opts, known: map[Key]seen[T]{}}
}

// seen is the last state of an object.
type seen[T any] struct {
	object  *T
	version string
}

// The bounds of the delay between attempts, and of the duration of one watch.
const (
	firstWait  = 50 * time.Millisecond
	longest    = 30 * time.Second
	watchTime  = 5 * time.Minute
	watchGrace = 30 * time.Second // for a server to end a watch after the time it was asked for
	shortWatch = time.Second      // a watch that ends sooner counts as a failure
	eventWait  = time.Second      // the longest delay after such a watch that had events
)

func (f *follower[T]) run(ctx context.Context) {
	for !f.stopped && ctx.Err() == nil {
		err := f.step(ctx)
		switch {
		case f.stopped || ctx.Err() != nil:
			return
		case isGone(err):
			f.version, f.restored = "", f.restored || isTooLarge(err) // list again
		case err != nil:
			f.stopped = !f.yield(Change[T]{}, err)
			f.wait(ctx, 0)
		}
	}
}

// isGone reports whether err says that a watch cannot resume at a resource version: that it has
// expired, or that the server has never had it, because its data come from a backup.
func isGone(err error) bool {
	e, ok := errors.AsType[*metav1.StatusError](err)
	if !ok {
		return false
	}
	return e.Status.Code == http.StatusGone || e.Status.Reason.Code() == http.StatusGone || isTooLarge(err)
}

// isTooLarge reports whether err says that the server has never had a resource version.
func isTooLarge(err error) bool {
	e, ok := errors.AsType[*metav1.StatusError](err)
	return ok && e.Status.Details != nil &&
		slices.ContainsFunc(e.Status.Details.Causes, func(c metav1.StatusCause) bool {
			return c.Type == metav1.CauseTypeResourceVersionTooLarge
		})
}

// wait waits before the next attempt, longer each time. What has passed already is deducted.
func (f *follower[T]) wait(ctx context.Context, passed time.Duration) {
	if f.stopped {
		return
	}
	f.backoff = min(max(2*f.backoff, firstWait), longest)
	select {
	case <-time.After(f.backoff/2 + rand.N(f.backoff/2+1) - passed):
	case <-ctx.Done():
	}
}

// step lists if there is no version to watch from, and watches until the watch ends.
func (f *follower[T]) step(ctx context.Context) error {
	if f.version == "" {
		if err := f.list(ctx); err != nil || f.stopped {
			if isGone(err) { // in the middle of the list: the next attempt starts over
				f.stopped = f.stopped || !f.yield(Change[T]{}, err)
				f.wait(ctx, 0)
			}
			return err
		}
	}
	begin := time.Now()
	events, err := f.watch(ctx)
	if time.Since(begin) >= shortWatch {
		f.backoff = 0
		return err
	}
	if events > 0 {
		f.backoff = min(f.backoff, eventWait/2) // which wait doubles
	}
	switch { // a server that ends every watch at once is not asked without a pause
	case isGone(err):
		f.wait(ctx, time.Since(f.listed)) // so a server that was away for long is listed at once
	case err == nil:
		f.wait(ctx, 0)
	}
	return err
}

// list lists the resource and yields the differences from the known objects.
func (f *follower[T]) list(ctx context.Context) error {
	found := map[Key]seen[T]{}
	var version string
	for list, err := range f.resource.pages(ctx, f.options) {
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
	}
	if version == "" {
		return fmt.Errorf("client: the list of %s has no resource version, so the changes after it cannot be followed",
			f.resource.groupResource())
	}
	f.replace(found, version)
	if !f.stopped {
		f.version, f.restored, f.listed = version, false, time.Now()
		f.emit(Change[T]{Type: Synced, ResourceVersion: version})
	}
	return nil
}

// replace yields the changes from the known objects to the found ones, in the order of keys.
// Deletions come first, because another object may now hold a value that was unique to a deleted
// one.
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

// put records the state of an object and yields the change, if there is one.
func (f *follower[T]) put(key Key, now seen[T], version string) {
	before, ok := f.known[key]
	if ok && before.version == now.version && now.version != "" && (!f.restored || same(before.object, now.object)) {
		return
	}
	f.known[key] = now
	change := Change[T]{Type: Added, Key: key, Object: now.object, ResourceVersion: version}
	if ok {
		change.Type, change.Before = Modified, before.object
	}
	f.emit(change)
}

// same reports whether two objects have the same content.
func same[T any](a, b *T) bool {
	if u, ok := any(a).(*unstructured.Object); ok {
		return u.Equal(any(b).(*unstructured.Object))
	}
	return reflect.DeepEqual(a, b)
}

func (f *follower[T]) emit(c Change[T]) {
	f.stopped = f.stopped || !f.yield(c, nil)
}

// watch yields changes until the watch ends, and returns the number of events. It ends a watch that
// the server does not end, because a connection that only seems to be open has no events either.
func (f *follower[T]) watch(ctx context.Context) (events int, err error) {
	limit := watchTime + rand.N(watchTime)
	ctx, cancel := context.WithTimeout(ctx, limit+watchGrace)
	defer cancel()
	opts := slices.Concat(f.options, []Option{AtVersion(f.version), Bookmarks(), watchFor(int64(limit.Seconds()))})
	for event, err := range f.resource.Watch(ctx, opts...) {
		if err != nil {
			if ctx.Err() != nil {
				return events, nil
			}
			return events, err
		}
		events++
		if err := f.take(event); err != nil {
			return events, err
		}
		if f.stopped {
			return events, nil
		}
	}
	return events, nil
}

// take records an event of a watch.
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

// watchFor lets the server end a watch after some seconds.
func watchFor(seconds int64) Option {
	return option{"watchFor", []string{"watch"}, func(o *options) { o.list.TimeoutSeconds = &seconds }}
}

// sortedKeys returns the keys sorted by namespace and name.
func sortedKeys[V any](m map[Key]V) []Key {
	keys := slices.Collect(maps.Keys(m))
	sorted.Func(keys, Key.compare)
	return keys
}

func (k Key) compare(other Key) int {
	return cmp.Or(strings.Compare(k.Namespace, other.Namespace), strings.Compare(k.Name, other.Name))
}
