package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/store/internal/tree"
)

// Options configure a [Store]. The zero value has the defaults.
type Options struct {
	_ struct{} // literals name their fields

	// History is how long past states are kept, for watches that resume and lists at past
	// revisions. The default is 5 minutes.
	History time.Duration
	// HistoryBytes bounds the memory of past states, including the nodes of trees; beyond it they
	// are kept for a shorter time. The default is 64 MiB. The latest events are always kept, up to
	// 64 or as many as take 1/16 of these bytes.
	HistoryBytes int64
	// CacheBytes bounds the memory of cached encodings. The default is 64 MiB.
	CacheBytes int64
	// Undecodable is called when an object is found that cannot be decoded. It may be called
	// several times for one, by several goroutines at once, and must not call the store.
	Undecodable func(*UndecodableError)
	// VerifyEvery is how often the store compares its memory with the engine, as [Store.Verify]
	// does, and loads everything again if they differ. Each comparison reads all objects from the
	// engine. The default is never. Every few minutes is reasonable for an engine on another
	// machine.
	VerifyEvery time.Duration
	// Differs is called with the differences that such a comparison finds.
	Differs func(error)
}

// orDefaults returns the options with defaults for what is not set.
func (o Options) orDefaults() Options {
	if o.History <= 0 {
		o.History = 5 * time.Minute
	}
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = 64 << 20
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	if o.Undecodable == nil {
		o.Undecodable = func(*UndecodableError) {}
	}
	if o.Differs == nil {
		o.Differs = func(error) {}
	}
	return o
}

// Store keeps objects in an engine and a copy of all of them in memory. It is safe for concurrent
// use. The zero value is not usable; use [Open].
type Store struct {
	engine  Engine
	options Options
	cache   encodings
	topics  topics
	changed signal // fired with each new state

	state atomic.Pointer[state]

	apply    sync.Mutex // held to make a new state
	entries  *tree.Editor[*Entry]
	postings *tree.Editor[*posting]
	history  history
	copied   int // bytes of tree nodes since a root was kept
	restored *restored

	mu        sync.Mutex // held to change the resources
	resources atomic.Pointer[map[string]*Resource]

	pending  pending
	upkeep   upkeep
	distrust chan error    // has what a comparison with the engine has found
	ended    chan struct{} // closed when state has an error
	cancel   context.CancelFunc
	done     sync.WaitGroup
}

// state is everything at one revision. It never changes.
type state struct {
	objects
	window   window
	revision uint64
	err      error // why there will be no other
}

// Open loads the contents of an engine and follows its changes. The engine is not closed with the
// store. If the engine becomes unavailable after it has been read, Open waits for it until the
// context is done.
func Open(ctx context.Context, engine Engine, o Options) (*Store, error) {
	if engine == nil {
		return nil, errors.New("store: open: the engine is nil; memory.New() is one for tests")
	}
	o = o.orDefaults()
	s := &Store{engine: engine, options: o, distrust: make(chan error), ended: make(chan struct{})}
	s.cache.limit = o.CacheBytes
	s.resources.Store(&map[string]*Resource{})
	s.upkeep.wake = make(chan struct{}, 1)
	if err := s.load(ctx); err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	ready := make(chan error, 1)
	s.done.Go(func() { s.follow(background, ready) })
	select {
	case err := <-ready:
		if err != nil {
			cancel()
			s.done.Wait()
			return nil, fmt.Errorf("store: open: %w", err)
		}
	case <-ctx.Done():
		cancel()
		s.done.Wait()
		return nil, ctx.Err()
	}
	s.done.Go(func() { s.maintain(background) })
	if o.VerifyEvery > 0 {
		s.done.Go(func() { s.verifyOften(background) })
	}
	return s, nil
}

// Revision returns the revision that the store has reached.
func (s *Store) Revision() uint64 { return s.state.Load().revision }

// Done returns a channel that is closed when the store is closed, or when its engine has ended, as
// one on a full disk does. Every operation fails from then on.
func (s *Store) Done() <-chan struct{} { return s.ended }

// Err returns nil while the store is open, and after that why it ended. It wraps [ErrClosed].
func (s *Store) Err() error { return s.state.Load().err }

// Close ends all watches with [ErrClosed]. The engine stays open.
func (s *Store) Close() error {
	s.cancel()
	s.done.Wait()
	s.fail(ErrClosed)
	return nil
}

// fail makes every operation end with an error from now on. The first error counts.
func (s *Store) fail(err error) {
	s.apply.Lock()
	next := *s.state.Load()
	first := next.err == nil
	if first {
		next.err = err
	}
	s.state.Store(&next)
	s.apply.Unlock()
	if first {
		close(s.ended)
	}
	s.changed.fire()
	s.topics.fireAll()
}

// current returns a state that shows everything that was written before the call.
func (s *Store) current(ctx context.Context) (*state, error) {
	revision, err := s.engine.Revision(ctx)
	if err != nil {
		return nil, s.engineError(err)
	}
	return s.reach(ctx, revision)
}

// reach waits for a revision.
func (s *Store) reach(ctx context.Context, revision uint64) (*state, error) {
	for {
		st := s.state.Load()
		switch {
		case st.err != nil:
			return nil, st.err
		case st.revision >= revision:
			return st, nil
		}
		changed := s.changed.wait()
		if st = s.state.Load(); st.revision >= revision || st.err != nil {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// resourceOf returns the resource whose object a key names, or nil.
func (s *Store) resourceOf(key string) *Resource {
	resources := *s.resources.Load()
	if len(resources) == 0 {
		return nil
	}
	i := strings.IndexByte(key, '/') + 1
	j := strings.IndexByte(key[i:], '/') + 1
	return resources[key[:i+j]]
}

// Add adds a resource with the objects that the engine has. It is an error if the resource has been
// added already. If it has an indexed field, all its objects are decoded first, while writes wait.
func (s *Store) Add(o ResourceOptions) (*Resource, error) {
	r, err := newResource(s, &o)
	if err != nil {
		return nil, err
	}
	if !s.swap(r.prefix, r, nil) {
		return nil, fmt.Errorf("store: the resource %s has already been added; remove it first", r.resource)
	}
	return r, nil
}

// Remove removes a resource from the store. Its objects stay in the engine; operations on the
// resource end with [ErrRemoved], and its watches do after the events from before the removal.
// Writes wait meanwhile.
func (s *Store) Remove(gr schema.GroupResource) error {
	if !s.swap(prefixOf(gr), nil, ErrRemoved) {
		return fmt.Errorf("store: there is no resource %s", gr)
	}
	return nil
}

// Replace removes a resource and adds it with other options, such as another definition of its
// kind, in one step. Operations on the resource of before and its watches end with [ErrReplaced];
// watches of the new one can resume at their revisions. It is an error if the resource has not been
// added.
func (s *Store) Replace(o ResourceOptions) (*Resource, error) {
	r, err := newResource(s, &o)
	if err != nil {
		return nil, err
	}
	if !s.swap(r.prefix, r, ErrReplaced) {
		return nil, fmt.Errorf("store: there is no resource %s", r.resource)
	}
	return r, nil
}

// swap puts a resource, or nil for none, in the place of the one with a prefix, which ends with an
// error. The error is nil if there must not be one. swap reports whether that is so.
func (s *Store) swap(prefix string, next *Resource, why error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	resources := maps.Clone(*s.resources.Load())
	old := resources[prefix]
	if (old == nil) != (why == nil) {
		return false
	}
	delete(resources, prefix)
	if next != nil {
		resources[prefix] = next
	}
	s.apply.Lock()
	s.resources.Store(&resources)
	if old != nil {
		s.detach(old, why)
	}
	if next != nil {
		s.attach(next)
	}
	s.apply.Unlock()
	if old != nil {
		s.topics.fireAll()
	}
	return true
}

// attach builds the indexes of a resource. The caller holds s.apply.
func (s *Store) attach(r *Resource) {
	if r.indexed() {
		for e := range s.state.Load().entries.From(r.prefix, PrefixEnd(r.prefix)) {
			r.index(s.postings, nil, e)
		}
		_ = s.postings.Copied() // these nodes replace none of the past
		s.publish(s.state.Load().revision)
	}
}

// detach ends the operations and watches of a resource with an error, and drops its indexes. The
// caller holds s.apply.
func (s *Store) detach(r *Resource, why error) {
	st := s.state.Load()
	r.end = st.window.next
	r.gone.Store(&why)
	from := r.prefix + "\x00"
	for p := range st.postings.From(from, PrefixEnd(from)) {
		s.postings.Delete(p.key)
	}
	for e := range st.entries.From(r.prefix, PrefixEnd(r.prefix)) {
		if e.known.Load() != nil { // which is of no use to another resource of this name
			s.entries.Set(&Entry{key: e.key, value: e.value, revision: e.revision})
		}
	}
	s.publish(st.revision)
}

// Resource returns a resource that has been added.
func (s *Store) Resource(gr schema.GroupResource) (*Resource, bool) {
	r, ok := (*s.resources.Load())[prefixOf(gr)]
	return r, ok
}

// Resources yields the resources that have been added, in the order of their groups and names, for
// example to migrate all.
func (s *Store) Resources() iter.Seq[*Resource] {
	resources := *s.resources.Load()
	return func(yield func(*Resource) bool) {
		for _, prefix := range slices.Sorted(maps.Keys(resources)) {
			if !yield(resources[prefix]) {
				return
			}
		}
	}
}

// ErrRemoved reports that a resource has been removed from its store. ErrReplaced, which wraps it,
// reports that [Store.Replace] has put another one in its place.
var (
	ErrRemoved  = errors.New("the resource has been removed")
	ErrReplaced = fmt.Errorf("%w and another one has its place", ErrRemoved)
)
