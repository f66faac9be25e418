package restmapper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/schema"
)

// Discovery holds the resources of a server. Groups whose resources could not be retrieved are
// reported in addition to the others.
type Discovery struct {
	Resources []Resource // the preferred version of a group before its other versions
	Problems  []GroupProblem
}

// GroupProblem reports why the resources of a group are unknown.
type GroupProblem struct {
	Group string
	Err   error
}

// Error implements error.
func (p GroupProblem) Error() string {
	return fmt.Sprintf("the resources of group %q could not be retrieved: %v", p.Group, p.Err)
}

// Unwrap returns the cause.
func (p GroupProblem) Unwrap() error { return p.Err }

// Dynamic is a [Mapper] over the resources of a server. It retrieves them before the first lookup,
// and again whenever a name is not found, so that a kind installed later is found at its first
// lookup. Lookups of known names take no lock and never wait.
//
// Concurrent lookups that miss share one request. A lookup fails only after a request that started
// after the lookup itself. The context of the lookup that sends the request bounds the request; if
// it ends, another waiting lookup sends a new one.
//
// If the resources of a group could not be retrieved, the previously known ones are kept. The zero
// value is not usable; use [NewDynamic].
type Dynamic struct {
	source func(context.Context) (Discovery, error)
	groups []string
	known  atomic.Pointer[knowledge]

	mu       sync.Mutex
	put      uint64        // number of requests sent
	answered uint64        // number of the last request that was answered, from 1
	failure  error         // error of that request, or nil
	asking   chan struct{} // closed when the request in flight has ended; nil without one
}

// knowledge is the result of one request. It is immutable.
type knowledge struct {
	*Static
	resources []Resource
	problems  []GroupProblem
	asOf      time.Time // when the request was sent
}

// NewDynamic returns a mapper that retrieves resources from source. The order of groups has the
// same meaning as in [NewStatic].
func NewDynamic(source func(context.Context) (Discovery, error), groups ...string) *Dynamic {
	if source == nil {
		panic("restmapper: NewDynamic: the source is nil")
	}
	return &Dynamic{source: source, groups: slices.Clone(groups)}
}

// ForResource implements [Mapper].
func (m *Dynamic) ForResource(ctx context.Context, partial schema.GroupVersionResource) (Mapping, error) {
	if k := m.known.Load(); k != nil {
		if found, err := k.ForResource(ctx, partial); !errors.Is(err, ErrNoMatch) {
			return found, err
		}
	}
	return m.learn(ctx, func(k *knowledge) (Mapping, error) { return k.ForResource(ctx, partial) })
}

// ForKind implements [Mapper].
func (m *Dynamic) ForKind(ctx context.Context, kind schema.GroupKind, versions ...string) (Mapping,
	error,
) {
	if k := m.known.Load(); k != nil {
		if found, err := k.ForKind(ctx, kind, versions...); !errors.Is(err, ErrNoMatch) {
			return found, err
		}
	}
	versions = slices.Clone(versions) // keeps the caller's slice off the heap
	return m.learn(ctx, func(k *knowledge) (Mapping, error) { return k.ForKind(ctx, kind, versions...) })
}

// Current returns a mapper over the resources known now, and the groups whose resources are unknown
// or outdated. It retrieves the resources if none are known yet.
func (m *Dynamic) Current(ctx context.Context) (*Static, []GroupProblem, error) {
	k := m.known.Load()
	for number := m.next(); k == nil; k = m.known.Load() {
		if _, _, err := m.advance(ctx, number); err != nil {
			return nil, nil, err
		}
	}
	return k.Static, slices.Clone(k.problems), nil
}

// Refresh retrieves the resources now. After an error all previously known resources are kept.
func (m *Dynamic) Refresh(ctx context.Context) error {
	for number := m.next(); ; {
		if _, done, err := m.advance(ctx, number); done || err != nil {
			return err
		}
	}
}

// learn calls look until it finds something or a request that was sent after the call has been
// answered.
func (m *Dynamic) learn(ctx context.Context, look func(*knowledge) (Mapping, error)) (Mapping, error) {
	for number := m.next(); ; {
		answer, done, err := m.advance(ctx, number)
		if err != nil {
			return Mapping{}, err
		}
		k := m.known.Load()
		if k == nil {
			continue // the awaited request failed, but it was sent before the call; wait for the next one
		}
		found, err := look(k)
		if answer != nil && answer != k && errors.Is(err, ErrNoMatch) {
			found, err = look(answer) // what was learned meanwhile may be from before the request
		}
		none, missed := errors.AsType[*NoMatchError](err)
		if missed && !done {
			continue
		}
		if missed {
			none.AsOf, none.Problems = k.asOf, slices.Clone(k.problems)
		}
		return found, err
	}
}

// next returns the number of the next request.
func (m *Dynamic) next() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put + 1
}

// advance sends a request, whose answer it returns, or waits for the one in flight. done reports
// whether the request with the number, or a later one, has been answered.
func (m *Dynamic) advance(ctx context.Context, number uint64) (answer *knowledge, done bool, err error) {
	m.mu.Lock()
	if m.answered >= number {
		defer m.mu.Unlock()
		return nil, true, m.failure
	}
	if ended := m.asking; ended != nil {
		m.mu.Unlock()
		select {
		case <-ended:
			return nil, false, nil
		case <-ctx.Done():
			return nil, false, fmt.Errorf("restmapper: while waiting for the resources of the server: %w",
				context.Cause(ctx))
		}
	}
	ended := make(chan struct{})
	m.asking = ended
	m.put++
	number = m.put
	m.mu.Unlock()

	answered := false
	defer func() {
		m.mu.Lock()
		if answered {
			m.answered, m.failure = number, err
		}
		m.asking = nil
		m.mu.Unlock()
		close(ended)
	}()
	answer, err = m.ask(ctx)
	// An answer that has not been stored, or an error caused by this caller's context, does not
	// concern others.
	answered = err == nil && m.known.Load() == answer || err != nil && ctx.Err() == nil
	return answer, err == nil || answered, err
}

// ask calls the source and stores its answer.
func (m *Dynamic) ask(ctx context.Context) (*knowledge, error) {
	asOf := time.Now()
	answer, err := m.source(ctx)
	if err != nil {
		return nil, fmt.Errorf("restmapper: the resources of the server are unknown: %w", err)
	}
	return m.know(answer, asOf)
}

// know stores an answer, unless a newer one is known already, and returns it.
func (m *Dynamic) know(answer Discovery, asOf time.Time) (*knowledge, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	resources := slices.Clone(answer.Resources)
	before := m.known.Load()
	if before != nil {
		resources = append(resources, before.outside(answer)...)
	}
	static, err := NewStatic(resources, m.groups...)
	if err != nil {
		return nil, err
	}
	k := &knowledge{Static: static, resources: resources, problems: slices.Clone(answer.Problems), asOf: asOf}
	if before == nil || !asOf.Before(before.asOf) {
		m.known.Store(k)
	}
	return k, nil
}

// outside returns the known resources of groups that have problems in an answer, except those that
// the answer contains.
func (k *knowledge) outside(answer Discovery) []Resource {
	said := map[schema.GroupVersion]bool{}
	for _, r := range answer.Resources {
		said[r.Resource.GroupVersion()] = true
	}
	unasked := map[string]bool{}
	for _, p := range answer.Problems {
		unasked[p.Group] = true
	}
	var out []Resource
	for _, r := range k.resources {
		if unasked[r.Resource.Group] && !said[r.Resource.GroupVersion()] {
			out = append(out, r)
		}
	}
	return out
}

// Learn stores an answer that did not result from a request, for example from a watch of the
// server's resources. Known resources of groups with problems are kept.
func (m *Dynamic) Learn(answer Discovery) error {
	_, err := m.know(answer, time.Now())
	return err
}
