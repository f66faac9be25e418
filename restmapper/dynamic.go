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

// Discovery is what a server said about its resources. Groups that could not be asked are told
// beside the answer, not instead of it.
type Discovery struct {
	Resources []Resource // the preferred version of a group before its other versions
	Problems  []GroupProblem
}

// GroupProblem says why the resources of a group are not known.
type GroupProblem struct {
	Group string
	Err   error
}

// Error implements error.
func (p GroupProblem) Error() string {
	return fmt.Sprintf("the group %q could not be asked: %v", p.Group, p.Err)
}

// Unwrap returns the cause.
func (p GroupProblem) Unwrap() error { return p.Err }

// Dynamic is a [Mapper] over what a server offers. It asks before the first look-up,
// and again whenever something is not found, so that a kind installed later is found at its first
// look-up. Look-ups of what is known take no lock and never wait.
//
// Look-ups that miss at the same time share one question, and an answer ends a look-up in vain only
// if the question was put after the look-up began. The context of the look-up that asks bounds the
// question; if it ends, another look-up that waits asks in its place.
//
// Where the source could not ask a group, what was known of it stays known.
type Dynamic struct {
	source func(context.Context) (Discovery, error)
	groups []string
	known  atomic.Pointer[knowledge]

	mu       sync.Mutex
	put      uint64        // how many questions were put
	answered uint64        // the number of the last question that was answered, from 1
	failure  error         // what came of it, nil if it is known now
	asking   chan struct{} // closed once the question under way has ended; nil if there is none
}

// knowledge is what one answer came to. It never changes.
type knowledge struct {
	*Static
	resources []Resource
	problems  []GroupProblem
	asOf      time.Time // when the question was put
}

// NewDynamic makes a mapper that asks source. The order of groups decides between them as
// in [NewStatic].
func NewDynamic(source func(context.Context) (Discovery, error), groups ...string) *Dynamic {
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
	versions = slices.Clone(versions) // so that those of the caller stay off the heap
	return m.learn(ctx, func(k *knowledge) (Mapping, error) { return k.ForKind(ctx, kind, versions...) })
}

// Current returns a mapper over what is known now and the groups of which nothing, or nothing new,
// is known. It asks if nothing is known yet.
func (m *Dynamic) Current(ctx context.Context) (*Static, []GroupProblem, error) {
	k := m.known.Load()
	for number := m.next(); k == nil; k = m.known.Load() {
		if _, err := m.advance(ctx, number); err != nil {
			return nil, nil, err
		}
	}
	return k.Static, slices.Clone(k.problems), nil
}

// Refresh asks now. After an error everything that was known is known still.
func (m *Dynamic) Refresh(ctx context.Context) error {
	for number := m.next(); ; {
		if done, err := m.advance(ctx, number); done || err != nil {
			return err
		}
	}
}

// learn looks until something is found or a question was answered that was put after the call.
func (m *Dynamic) learn(ctx context.Context, look func(*knowledge) (Mapping, error)) (Mapping, error) {
	for number := m.next(); ; {
		done, err := m.advance(ctx, number)
		if err != nil {
			return Mapping{}, err
		}
		k := m.known.Load()
		if k == nil {
			continue // the question that was waited for failed; it was put before the call, so the next one counts
		}
		found, err := look(k)
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

// next returns the number of the next question that will be put.
func (m *Dynamic) next() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put + 1
}

// advance puts a question, or waits for the end of the one under way. It is done once the question
// of the number, or one after it, was answered.
func (m *Dynamic) advance(ctx context.Context, number uint64) (done bool, err error) {
	m.mu.Lock()
	if m.answered >= number {
		defer m.mu.Unlock()
		return true, m.failure
	}
	if ended := m.asking; ended != nil {
		m.mu.Unlock()
		select {
		case <-ended:
			return false, nil
		case <-ctx.Done():
			return false, fmt.Errorf("restmapper: while waiting for the resources of the server: %w",
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
	err = m.ask(ctx)
	answered = err == nil || ctx.Err() == nil // what ends with this caller's context says nothing to others
	return answered, err
}

// ask calls the source and makes its answer known.
func (m *Dynamic) ask(ctx context.Context) error {
	asOf := time.Now()
	answer, err := m.source(ctx)
	if err != nil {
		return fmt.Errorf("restmapper: the resources of the server are not known: %w", err)
	}
	return m.know(answer, asOf)
}

// know makes an answer known.
func (m *Dynamic) know(answer Discovery, asOf time.Time) error {
	resources := slices.Clone(answer.Resources)
	if before := m.known.Load(); before != nil {
		resources = append(resources, before.outside(answer)...)
	}
	static, err := NewStatic(resources, m.groups...)
	if err != nil {
		return err
	}
	m.known.Store(&knowledge{
		Static: static, resources: resources, problems: slices.Clone(answer.Problems),
		asOf: asOf,
	})
	return nil
}

// outside returns what is known of the groups that have problems in an answer, without what the
// answer knows better.
func (k *knowledge) outside(answer Discovery) []Resource {
	said := map[schema.GroupVersion]bool{}
	for _, r := range answer.Resources {
		said[r.Resource.GroupVersion()] = true
	}
	var out []Resource
	for _, r := range k.resources {
		unasked := slices.ContainsFunc(answer.Problems, func(p GroupProblem) bool {
			return p.Group == r.Resource.Group
		})
		if unasked && !said[r.Resource.GroupVersion()] {
			out = append(out, r)
		}
	}
	return out
}

// Learn makes an answer known that the source has given by itself, as if it had just been asked: a
// watch of what the server offers, perhaps. What was known of groups with problems stays known.
func (m *Dynamic) Learn(answer Discovery) error {
	return m.know(answer, time.Now())
}
