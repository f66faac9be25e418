// Package storetest tests engines of package store: whether they hold what [store.Engine] promises.
//
//	func TestEngine(t *testing.T) {
//		storetest.Kit{Open: func(t testing.TB) store.Engine { return open(t, t.TempDir()) }}.Run(t)
//	}
//
// Each promise is a named case. Cases share nothing, run in parallel, and each opens engines of its
// own. Once all of them hold, further ones put one or several stores in front of the engine and
// check what a store promises: clients watch, resume and list while others write. The engine must
// keep a thousand changes if nobody compacts it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askind/askind/store"
)

// Kit describes the engine to test.
type Kit struct {
	_ struct{} // literals name their fields

	// Open returns a new, empty engine. The kit closes it.
	Open func(t testing.TB) store.Engine
	// Reopen closes an engine that Open or Reopen has returned, and opens it again with all that it
	// has kept; nil for engines that keep nothing.
	Reopen func(t testing.TB, e store.Engine) store.Engine
	// Shared says that others move the revision of the engine while a case runs, as other clients
	// of an etcd cluster do. Cases then accept revisions that are later than their own writes, and
	// those that compact run alone.
	Shared bool
	// Compact compacts what an engine has, as an administrator would. It is required to test an
	// engine whose Compact answers [errors.ErrUnsupported]; for others it must be nil. As for
	// [store.Engine].Compact, a revision that has been compacted already is not an error.
	Compact func(ctx context.Context, e store.Engine, revision uint64) error
	// Outage makes the data of an engine unreachable until the function that it returns is called,
	// by stopping a database or cutting the connection to it, say; nil for engines that hold their
	// data in the process or in a local file.
	Outage func(t testing.TB, e store.Engine) (end func())
	// Long multiplies how much the cases with a store in front write; the default is 1.
	Long int
	// Patience is how long a case waits for what must happen soon. The default is a minute. A case
	// that has not ended after five times as long, and Long times that, fails: its context ends.
	Patience time.Duration
}

// testCase is one promise.
type testCase struct {
	name     string
	run      func(s *subject)
	compacts bool // runs alone on a shared engine; all cases of the group compact do
}

// Run runs all cases as subtests.
func (k Kit) Run(t *testing.T) {
	if k.Patience <= 0 {
		k.Patience = time.Minute
	}
	groups := []struct {
		name  string
		cases []testCase
	}{
		{"put", putCases},
		{"put until", untilCases},
		{"delete", deleteCases},
		{"get", getCases},
		{"list", listCases},
		{"count and revision", countCases},
		{"watch", watchCases},
		{"compact", compactCases},
		{"concurrency", concurrencyCases},
		{"end", endCases},
		{"reopen", reopenCases},
		{"outage", outageCases},
		{"store", storeCases},
	}
	for _, g := range groups {
		failed := t.Failed()
		t.Run(g.name, func(t *testing.T) {
			if k.Reopen == nil && g.name == "reopen" || k.Outage == nil && g.name == "outage" {
				return
			}
			if g.name == "store" && failed {
				t.Skip("a store needs an engine for which all other cases hold")
			}
			for _, c := range g.cases {
				t.Run(c.name, func(t *testing.T) {
					if !k.Shared || !c.compacts && g.name != "compact" {
						t.Parallel()
					}
					ctx, cancel := context.WithTimeout(t.Context(), 5*k.Patience*time.Duration(max(1, k.Long)))
					defer cancel()
					e := k.Open(t)
					s := &subject{T: t, kit: k, Engine: e, ctx: ctx}
					t.Cleanup(func() { s.Engine.Close() })
					c.run(s)
				})
			}
		})
	}
}

// subject is an engine in one case, with methods that fail the case for any error.
type subject struct {
	*testing.T
	store.Engine
	kit Kit
	ctx context.Context
}

// Context returns the context of the case, which is bounded.
func (s *subject) Context() context.Context { return s.ctx }

// put writes a value and returns the revision.
func (s *subject) put(key, value string, expected uint64) uint64 {
	s.Helper()
	revision, err := s.Put(s.ctx, key, []byte(value), expected)
	if err != nil {
		s.Fatalf("Put(%q, expected %d): %v", key, expected, err)
	}
	return revision
}

// del deletes a key and returns the revision.
func (s *subject) del(key string, expected uint64) uint64 {
	s.Helper()
	revision, err := s.Delete(s.ctx, key, expected)
	if err != nil {
		s.Fatalf("Delete(%q, expected %d): %v", key, expected, err)
	}
	return revision
}

// wantConflict checks the error of a write that must not happen.
func (s *subject) wantConflict(err error, current uint64) {
	s.Helper()
	c, ok := errors.AsType[*store.ConflictError](err)
	if !ok || !errors.Is(err, store.ErrConflict) {
		s.Fatalf("error %v, want a *store.ConflictError", err)
	}
	if c.Current != current {
		s.Errorf("the conflict states revision %d, the key has %d", c.Current, current)
	}
}

// wantValue checks what is under a key; a blank value means nothing.
func (s *subject) wantValue(key, value string, revision uint64) {
	s.Helper()
	got, err := s.Get(s.ctx, key)
	switch {
	case err != nil:
		s.Fatalf("Get(%q): %v", key, err)
	case string(got.Value) != value || got.Revision != revision || (got.Value == nil) != (value == ""):
		s.Fatalf("Get(%q) = %.40q at %d, want %.40q at %d", key, got.Value, got.Revision, value, revision)
	case got.Now < got.Revision:
		s.Errorf("Get(%q) answers at %d with a value of %d", key, got.Now, got.Revision)
	}
}

// wantStill checks that nothing has moved the revision, unless others do.
func (s *subject) wantStill(revision uint64) {
	s.Helper()
	if now := s.revision(); now != revision && !(s.kit.Shared && now > revision) {
		s.Errorf("the revision is %d, want %d", now, revision)
	}
}

// isNow reports whether a revision that the engine has stated is that of the last write, or a later
// one on a shared engine.
func (s *subject) isNow(stated, last uint64) bool {
	return stated == last || s.kit.Shared && stated > last
}

// far is added to a revision to get one that is yet to come, whatever others write.
const far = 1 << 40

func (s *subject) revision() uint64 {
	s.Helper()
	revision, err := s.Revision(s.ctx)
	if err != nil {
		s.Fatalf("Revision: %v", err)
	}
	return revision
}

// list returns a page as text: "key=value@revision".
func (s *subject) list(prefix string, o store.RangeOptions) (items []string, page store.Page) {
	s.Helper()
	page, err := s.List(s.ctx, prefix, o)
	if err != nil {
		s.Fatalf("List(%q, %+v): %v", prefix, o, err)
	}
	for _, kv := range page.Items {
		items = append(items, fmt.Sprintf("%s=%s@%d", kv.Key, kv.Value, kv.Revision))
	}
	return items, page
}

// wantKeys checks which keys a list has.
func (s *subject) wantKeys(prefix string, o store.RangeOptions, more bool, want ...string) {
	s.Helper()
	_, page := s.list(prefix, o)
	var got []string
	for _, kv := range page.Items {
		got = append(got, kv.Key)
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) || page.More != more {
		s.Errorf("List(%q, %+v) = %q, more: %t; want %q, more: %t", prefix, o, got, page.More, want, more)
	}
}

// reopen closes the engine and opens it again.
func (s *subject) reopen() {
	s.Helper()
	s.Engine = s.kit.Reopen(s.T, s.Engine)
}
