package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
)

// GetOptions select the state of an object to return.
type GetOptions struct {
	_ struct{} // literals name their fields

	// ResourceVersion is the oldest revision of the store that the answer may show. If it is blank,
	// the answer shows all writes that completed before the call; "0" allows any state.
	ResourceVersion string
}

// ListOptions select the objects to list and their state. The zero value lists the current state of
// all.
type ListOptions struct {
	_ struct{} // literals name their fields

	// Namespace and Name restrict the list, unless they are blank.
	Namespace, Name string
	// Labels and Fields select objects.
	Labels selector.Selector
	Fields FieldSelector
	Shards ShardSelector
	// ResourceVersion and ResourceVersionMatch have the meaning of [metav1.ListOptions]: blank for
	// a list that shows all writes that completed before the call, "0" for any state, and else a
	// revision: exactly that one with [metav1.ResourceVersionMatchExact], or without a match where
	// there is a limit; that one or a later one otherwise.
	ResourceVersion      string
	ResourceVersionMatch metav1.ResourceVersionMatch
	// Limit bounds the number of objects if it is positive. Continue is the token of the list that
	// had the objects before.
	Limit    int64
	Continue string
	// Undecodable makes the list fail if there are objects that cannot be decoded, with an error
	// that holds an [*UndecodableError] for each, up to 100. Otherwise they are left out.
	Undecodable bool
}

// List holds objects of a resource at one revision. It is immutable.
type List struct {
	resource  *Resource
	revision  uint64
	entries   []*Entry
	next      string // the continue token
	remaining int64  // below 0 if it is not known
	shards    string // the selector of the part that is listed
}

// futureWait bounds the wait for a future revision.
const futureWait = 3 * time.Second

// Get returns an object. The error is NotFound if it does not exist.
func (r *Resource) Get(ctx context.Context, key Key, o GetOptions) (*Entry, error) {
	st, err := r.notOlderThan(ctx, o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	name, err := r.engineKey(key)
	if err != nil {
		return nil, metav1.NotFound(r.resource, key.Name)
	}
	e, ok := st.entries.Get(name)
	if !ok {
		return nil, metav1.NotFound(r.resource, key.Name)
	}
	e = r.own(e)
	if err := e.known.Load().err; err != nil {
		return nil, unreadable(err)
	}
	return e, nil
}

// notOlderThan returns a state that is not older than a revision, as objects state it.
func (r *Resource) notOlderThan(ctx context.Context, version string) (*state, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	switch version {
	case "":
		return r.store.current(ctx)
	case "0":
		st := r.store.state.Load()
		return st, st.err
	}
	revision, err := parseRevision(version)
	if err != nil {
		return nil, err
	}
	return r.store.future(ctx, revision)
}

// future waits for a revision, but not for long.
func (s *Store) future(ctx context.Context, revision uint64) (*state, error) {
	if st := s.state.Load(); st.revision >= revision {
		return st, st.err
	}
	limited, cancel := context.WithTimeout(ctx, futureWait)
	defer cancel()
	// A revision that another store has stated may be one that no change led to. The engine brings
	// this store to it when it is asked for its own.
	if _, err := s.engine.Revision(limited); err != nil && limited.Err() == nil {
		return nil, s.engineError(err)
	}
	st, err := s.reach(limited, revision)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, tooLarge(revision, s.Revision())
	}
	return st, err
}

// Count returns the number of objects in a namespace or, if it is blank, in all, including
// undecodable ones.
func (r *Resource) Count(namespace string) int64 {
	prefix := r.prefix
	if namespace != "" {
		prefix += namespace + "/"
	}
	st := r.store.state.Load()
	return int64(st.entries.Rank(PrefixEnd(prefix)) - st.entries.Rank(prefix))
}

// List returns the selected objects, sorted by namespace and name. It takes no lock and blocks no
// other caller.
func (r *Resource) List(ctx context.Context, o ListOptions) (*List, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	sel, err := r.selects(&o)
	if err != nil {
		return nil, err
	}
	if o.Undecodable {
		sel.index = -1 // an index has none of them
	}
	st, after, err := r.page(ctx, sel, &o)
	if err != nil {
		return nil, err
	}
	return r.collect(sel, &o, st, after)
}

// page returns the state that a list is made of, and the last key that was looked at for the page
// before.
func (r *Resource) page(ctx context.Context, sel *selection, o *ListOptions) (st *state, after string, err error) {
	if err := checkListOptions(o); err != nil {
		return nil, "", err
	}
	if o.Continue != "" {
		t, err := parseToken(o.Continue, sel.identity(o.Fields))
		if err != nil {
			return nil, "", err
		}
		st, err := r.continued(ctx, t)
		return st, t.after, err
	}
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact || o.ResourceVersionMatch == "" && o.Limit > 0
	if exact && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		revision, err := parseRevision(o.ResourceVersion)
		if err != nil {
			return nil, "", err
		}
		st, err := r.store.exactly(ctx, revision)
		return st, "", err
	}
	st, err = r.notOlderThan(ctx, o.ResourceVersion)
	return st, "", err
}

// checkListOptions returns an error for options that contradict each other.
func checkListOptions(o *ListOptions) error {
	match := o.ResourceVersionMatch
	switch {
	case match != "" && match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan:
		return invalidOption("resourceVersionMatch", "must be Exact or NotOlderThan")
	case match != "" && o.Continue != "":
		return invalidOption("resourceVersionMatch", "not allowed with continue, which already states the version")
	case match != "" && o.ResourceVersion == "":
		return invalidOption("resourceVersionMatch", "not allowed without resourceVersion")
	case match == metav1.ResourceVersionMatchExact && o.ResourceVersion == "0":
		return invalidOption("resourceVersionMatch", "Exact is not allowed with resourceVersion 0, which means any version")
	case o.Continue != "" && o.ResourceVersion != "" && o.ResourceVersion != "0":
		return invalidOption("resourceVersion", "not allowed with continue, which already states the version")
	}
	return nil
}

// continued returns the state at the revision of a token.
func (r *Resource) continued(ctx context.Context, t token) (*state, error) {
	if t.revision == 0 {
		return r.store.current(ctx)
	}
	st, err := r.store.exactly(ctx, t.revision)
	if metav1.ReasonOf(err) == metav1.StatusReasonExpired {
		err = t.outdated()
	}
	return st, err
}

// exactly returns the state at a revision, without its past.
func (s *Store) exactly(ctx context.Context, revision uint64) (*state, error) {
	st, err := s.future(ctx, revision)
	switch {
	case err != nil || revision == st.revision:
		return st, err
	case revision < st.window.floor:
		return nil, expired("the list", revision, st.window.floor)
	}
	return &state{objects: st.window.at(revision, st.objects), revision: revision}, nil
}

// maxReported is how many errors a list or a comparison with the engine reports.
const maxReported = 100

// collect makes a list of the objects that are selected and come after a key, which is without the
// prefix of the list.
func (r *Resource) collect(sel *selection, o *ListOptions, st *state, after string) (*List, error) {
	l := &List{resource: r, revision: st.revision, remaining: -1, shards: sel.shards.String()}
	var broken []error
	from := sel.prefix
	if after != "" {
		from += after + "\x00"
	}
	for e := range sel.candidates(&st.objects, from) {
		e = r.own(e)
		k := e.known.Load()
		if k.err != nil {
			if o.Undecodable && len(broken) < maxReported {
				broken = append(broken, k.err)
			}
			continue
		}
		if !sel.all && !sel.meets(e, k) {
			continue
		}
		if o.Limit > 0 && int64(len(l.entries)) == o.Limit {
			last := l.entries[len(l.entries)-1].key
			l.next = token{st.revision, sel.identity(o.Fields), last[len(sel.prefix):]}.String()
			if sel.all {
				l.remaining = int64(st.entries.Rank(PrefixEnd(sel.prefix)) - st.entries.Rank(last) - 1)
			}
			break
		}
		l.entries = append(l.entries, e)
	}
	if len(broken) > 0 {
		return nil, unreadable(errors.Join(broken...))
	}
	return l, nil
}

// candidates yields the entries from a key on that may be selected.
func (s *selection) candidates(o *objects, from string) iter.Seq[*Entry] {
	switch {
	case s.none:
		return func(func(*Entry) bool) {}
	case s.exact:
		return func(yield func(*Entry) bool) {
			if e, ok := o.entries.Get(s.prefix); ok && from == s.prefix {
				yield(e)
			}
		}
	case s.index >= 0 && o.indexed != nil && (*o.indexed)[s.resource.prefix] == s.resource:
		t := s.terms[s.index]
		return o.posted(s.resource.prefix, s.resource.fields[t.field].Path, t.value, from, PrefixEnd(s.prefix))
	}
	return o.entries.From(from, PrefixEnd(s.prefix))
}

// Revision returns the revision that the list shows.
func (l *List) Revision() uint64 { return l.revision }

// ResourceVersion returns the revision as lists state it.
func (l *List) ResourceVersion() string { return formatRevision(l.revision) }

// Continue returns the token for the objects that come after, or "".
func (l *List) Continue() string { return l.next }

// Remaining returns the number of objects after the list. It is unknown if the list has selectors.
func (l *List) Remaining() (int64, bool) { return max(l.remaining, 0), l.remaining >= 0 }

// Len returns the number of objects.
func (l *List) Len() int { return len(l.entries) }

// Resource returns the resource that is listed.
func (l *List) Resource() *Resource { return l.resource }

// Entries yields the objects in order.
func (l *List) Entries() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, e := range l.entries {
			if !yield(e) {
				return
			}
		}
	}
}
