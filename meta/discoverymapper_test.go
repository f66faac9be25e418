package meta_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/schema"
)

// server is something to ask. An answer takes a second.
type server struct {
	mu        sync.Mutex
	asked     int
	resources []meta.APIResource
	problems  []meta.GroupProblem
	err       error
}

func (s *server) discover(ctx context.Context) (meta.Discovery, error) {
	s.mu.Lock()
	s.asked++
	d, err := meta.Discovery{Resources: s.resources, Problems: s.problems}, s.err
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return d, err
	case <-ctx.Done():
		return meta.Discovery{}, ctx.Err()
	}
}

func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

var (
	pods  = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	gizmo = schema.GroupVersionResource{Group: "toys.example.com", Version: "v1", Resource: "gizmos"}
)

func TestDiscoveryMapperFindsWhatWasInstalledLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := meta.NewDiscoveryMapper(s.discover)
		for range 3 {
			if _, err := m.MappingFor(t.Context(), pods); err != nil {
				t.Fatal(err)
			}
		}
		if s.asked != 1 {
			t.Errorf("what is known was asked for %d times", s.asked)
		}
		_, err := m.MappingFor(t.Context(), gizmo)
		none, ok := errors.AsType[*meta.NoMatchError](err)
		if !ok || !none.Certain() || none.AsOf.IsZero() || s.asked != 2 {
			t.Errorf("got %v after %d questions", err, s.asked)
		}
		s.set(func() {
			s.resources = append(s.resources, resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))
		})
		start := time.Now()
		if _, err := m.RESTMapping(t.Context(), schema.GroupKind{Group: gizmo.Group, Kind: "Gizmo"}); err != nil || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestDiscoveryMapperSharesQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := meta.NewDiscoveryMapper(s.discover)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := m.MappingFor(t.Context(), pods); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.asked != 1 {
			t.Errorf("the first look-ups asked %d times", s.asked)
		}
		for range 100 {
			wg.Go(func() {
				if _, err := m.MappingFor(t.Context(), gizmo); !errors.Is(err, meta.ErrNoMatch) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// The look-up that asks is done with its own question; those that came while it was under way need one that is younger than they are.
		if s.asked > 3 {
			t.Errorf("a hundred misses asked %d times", s.asked-1)
		}
	})
}

func TestDiscoveryMapperAnswerMustBeYoungerThanTheMiss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := meta.NewDiscoveryMapper(s.discover)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = m.MappingFor(t.Context(), gizmo) }) // puts the second question
		time.Sleep(time.Second / 2)
		s.set(func() {
			s.resources = append(s.resources, resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))
		})
		if _, err := m.MappingFor(t.Context(), gizmo); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

func TestDiscoveryMapperSurvivesBrokenGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: append(resources(), resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))}
		m := meta.NewDiscoveryMapper(s.discover)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		down := errors.New("connection refused")
		s.set(func() {
			s.resources, s.problems = resources(), []meta.GroupProblem{{Group: gizmo.Group, Err: down}}
		})
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, known := range []schema.GroupVersionResource{pods, gizmo} {
			if _, err := m.MappingFor(t.Context(), known); err != nil {
				t.Error(err)
			}
		}
		_, err := m.MappingFor(t.Context(), schema.GroupVersionResource{Resource: "widgets"})
		none, ok := errors.AsType[*meta.NoMatchError](err)
		if !ok || none.Certain() || !errors.Is(err, down) {
			t.Errorf("got %v", err)
		}
		if _, problems, err := m.Current(t.Context()); err != nil || len(problems) != 1 {
			t.Errorf("got %v, %v", problems, err)
		}
	})
}

func TestDiscoveryMapperHealsAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources(), err: errors.New("the server is starting")}
		m := meta.NewDiscoveryMapper(s.discover)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := m.MappingFor(t.Context(), pods); !errors.Is(err, s.err) || errors.Is(err, meta.ErrNoMatch) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.asked > 2 {
			t.Errorf("twenty look-ups asked %d times", s.asked)
		}
		s.set(func() { s.err = nil })
		if _, err := m.MappingFor(t.Context(), pods); err != nil {
			t.Error(err)
		}
	})
}

func TestDiscoveryMapperContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := meta.NewDiscoveryMapper(s.discover)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second/4)
		defer cancel()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := m.MappingFor(impatient, pods); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		time.Sleep(time.Second / 8)
		if _, err := m.MappingFor(t.Context(), pods); err != nil { // asks again once the question of the impatient has ended
			t.Error(err)
		}
		wg.Wait()
	})
}

func ExampleNewDiscoveryMapper() {
	m := meta.NewDiscoveryMapper(func(context.Context) (meta.Discovery, error) {
		return meta.Discovery{Resources: []meta.APIResource{resource("apps", "v1", "Deployment", "deployments", "deployment", "deploy")}}, nil
	})
	mapping, err := m.MappingFor(context.Background(), schema.GroupVersionResource{Resource: "deploy"})
	fmt.Println(mapping.Kind, mapping.Resource, err)
	// Output: apps/v1, Kind=Deployment apps/v1, Resource=deployments <nil>
}
