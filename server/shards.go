package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// StoreFor keeps the objects of some resources in a different engine from that of [New], to spread
// the load: each has its own writer, memory of the past and limits. The resources of one engine
// share a store, and all versions of a kind are one resource. As with New, the engine belongs to
// the caller, and [StoreOptions] apply to each store.
//
// Clients see no difference, because a resource version has a meaning within one resource only.
// What spans several resources works over several engines: discovery, installation at run time, and
// the collection of dependants, whose owners may be in another engine. There is no common order of
// the changes in two engines, so a program that compares the resource versions of two resources
// must keep them in one.
//
// Objects are not moved: those in the previous engine are not visible until they are copied. The
// Groups of discovery.k8s.io stay in the engine of New.
func StoreFor(engine store.Engine, resources ...schema.GroupResource) Option {
	return optionFunc(func(c *config) {
		for _, gr := range resources {
			switch other, twice := c.shards[gr]; {
			case isGroup(gr):
				c.err = append(c.err, fmt.Errorf("server: %s stays in the engine of the server, StoreFor cannot move it", gr))
			case twice && other != engine:
				c.err = append(c.err, fmt.Errorf("server: StoreFor names two engines for %s", gr))
			}
			c.shards[gr] = engine
		}
	})
}

// shards are the stores of a server.
type shards struct {
	main   *store.Store
	all    []*store.Store // the main one first
	others map[schema.GroupResource]*store.Store

	undecodable atomic.Int64 // how often an object was found that cannot be decoded
}

// openShards opens a store for each engine.
func openShards(ctx context.Context, main store.Engine, c *config) (*shards, error) {
	s := &shards{others: map[schema.GroupResource]*store.Store{}}
	opened := map[store.Engine]*store.Store{}
	options := c.store
	if options.Differs == nil {
		options.Differs = func(err error) {
			c.log.Error("the store differed from its engine and loads everything anew", "error", err)
		}
	}
	told := options.Undecodable
	if told == nil {
		u := &undecodables{found: map[string]int{}}
		told = func(err *store.UndecodableError) { u.log(c.log, err) }
	}
	options.Undecodable = func(err *store.UndecodableError) {
		s.undecodable.Add(1)
		told(err)
	}
	open := func(e store.Engine) (*store.Store, error) {
		if opened[e] != nil {
			return opened[e], nil
		}
		st, err := store.Open(ctx, e, options)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		opened[e] = st
		s.all = append(s.all, st)
		return st, nil
	}
	var err error
	if s.main, err = open(main); err != nil {
		return nil, err
	}
	for gr, engine := range c.shards {
		if s.others[gr], err = open(engine); err != nil {
			return nil, fmt.Errorf("server: the store of %s: %w", gr, err)
		}
	}
	return s, nil
}

// of returns the store of a resource.
func (s *shards) of(gr schema.GroupResource) *store.Store {
	if other := s.others[gr]; other != nil {
		return other
	}
	return s.main
}

// ended returns a channel that gets the error of the first store that ends, or nil if the context
// ends before.
func (s *shards) ended(ctx context.Context) <-chan error {
	first := make(chan error, len(s.all))
	for _, st := range s.all {
		go func() {
			select {
			case <-ctx.Done():
			case <-st.Done():
			}
			var err error
			if ctx.Err() == nil {
				err = fmt.Errorf("server: %w", st.Err())
			}
			first <- err
		}()
	}
	return first
}

// failed reports whether a store has ended because its engine has failed.
func (s *shards) failed() bool {
	return slices.ContainsFunc(s.all, func(st *store.Store) bool {
		err := st.Err()
		return err != nil && err != store.ErrClosed // a failure wraps it
	})
}

// close closes all stores, but not their engines.
func (s *shards) close() error {
	var errs []error
	for _, st := range s.all {
		errs = append(errs, st.Close())
	}
	return errors.Join(errs...)
}

// undecodables logs objects that cannot be decoded: the first for each cause, the tenth, the
// hundredth and so on. One cause, such as a wrong key, may concern all objects.
type undecodables struct {
	mu    sync.Mutex
	found map[string]int // by cause; blank for those beyond maxCauses
}

// Causes are told apart up to a number, by the beginning of their texts.
const (
	maxCauses = 20
	maxCause  = 500
)

// log counts an object and logs it if its turn has come.
func (u *undecodables) log(l *slog.Logger, err *store.UndecodableError) {
	cause := schema.Shorten(err.Err.Error(), maxCause)
	u.mu.Lock()
	if u.found[cause] == 0 && len(u.found) >= maxCauses {
		cause = ""
	}
	u.found[cause]++
	n := u.found[cause]
	u.mu.Unlock()
	power := 1
	for power < n {
		power *= 10
	}
	if power == n {
		attributes := []any{"error", err, "times", n}
		if err.Stack != nil {
			attributes = append(attributes, "stack", string(err.Stack))
		}
		l.Warn("a stored object cannot be decoded, so lists and watches omit it", attributes...)
	}
}
