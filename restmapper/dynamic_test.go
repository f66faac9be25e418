package restmapper_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// server is a source of resources. A response takes a second.
type server struct {
	mu        sync.Mutex
	asked     int
	resources []restmapper.Resource
	problems  []restmapper.GroupProblem
	err       error
}

func (s *server) discover(ctx context.Context) (restmapper.Discovery, error) {
	s.mu.Lock()
	s.asked++
	d, err := restmapper.Discovery{Resources: s.resources, Problems: s.problems}, s.err
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return d, err
	case <-ctx.Done():
		return restmapper.Discovery{}, ctx.Err()
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

func TestDynamicFindsWhatWasInstalledLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := restmapper.NewDynamic(s.discover)
		for range 3 {
			if _, err := m.ForResource(t.Context(), pods); err != nil {
				t.Fatal(err)
			}
		}
		if s.asked != 1 {
			t.Errorf("known resources were requested %d times", s.asked)
		}
		_, err := m.ForResource(t.Context(), gizmo)
		none, ok := errors.AsType[*restmapper.NoMatchError](err)
		if !ok || !none.Certain() || none.AsOf.IsZero() || s.asked != 2 {
			t.Errorf("got %v after %d requests", err, s.asked)
		}
		s.set(func() {
			s.resources = append(s.resources, resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))
		})
		start := time.Now()
		if _, err := m.ForKind(t.Context(), schema.GroupKind{Group: gizmo.Group, Kind: "Gizmo"}); err != nil ||
			time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestDynamicSharesQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := restmapper.NewDynamic(s.discover)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := m.ForResource(t.Context(), pods); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.asked != 1 {
			t.Errorf("the first lookups sent %d requests", s.asked)
		}
		for range 100 {
			wg.Go(func() {
				if _, err := m.ForResource(t.Context(), gizmo); !errors.Is(err, restmapper.ErrNoMatch) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// The first lookup needs only its own request; those that began meanwhile need a later one.
		if s.asked > 3 {
			t.Errorf("a hundred misses sent %d requests", s.asked-1)
		}
	})
}

func TestDynamicAnswerMustBeYoungerThanTheMiss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := restmapper.NewDynamic(s.discover)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = m.ForResource(t.Context(), gizmo) }) // sends the second request
		time.Sleep(time.Second / 2)
		s.set(func() {
			s.resources = append(s.resources, resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))
		})
		if _, err := m.ForResource(t.Context(), gizmo); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

// TestDynamicKeepsTheNewerAnswer learns of a removal while a request from before it is in flight.
func TestDynamicKeepsTheNewerAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: append(resources(), resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))}
		m := restmapper.NewDynamic(s.discover)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := m.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second / 2)
		s.set(func() { s.resources = resources() })
		if err := m.Learn(restmapper.Discovery{Resources: resources()}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if found, err := m.ForResource(t.Context(), gizmo); !errors.Is(err, restmapper.ErrNoMatch) {
			t.Errorf("got %v, %v", found, err)
		}
	})
}

// TestDynamicFindsWhatItAskedFor learns of a state from before a request while the request is in
// flight, as from a watch that is late.
func TestDynamicFindsWhatItAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: append(resources(), resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))}
		m := restmapper.NewDynamic(s.discover)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := m.ForResource(t.Context(), gizmo); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second / 2)
		if err := m.Learn(restmapper.Discovery{Resources: resources()}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
	})
}

func TestDynamicSurvivesBrokenGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: append(resources(), resource(gizmo.Group, gizmo.Version, "Gizmo", gizmo.Resource))}
		m := restmapper.NewDynamic(s.discover)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		down := errors.New("connection refused")
		s.set(func() {
			s.resources, s.problems = resources(), []restmapper.GroupProblem{{Group: gizmo.Group, Err: down}}
		})
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, known := range []schema.GroupVersionResource{pods, gizmo} {
			if _, err := m.ForResource(t.Context(), known); err != nil {
				t.Error(err)
			}
		}
		_, err := m.ForResource(t.Context(), schema.GroupVersionResource{Resource: "widgets"})
		none, ok := errors.AsType[*restmapper.NoMatchError](err)
		if !ok || none.Certain() || !errors.Is(err, down) {
			t.Errorf("got %v", err)
		}
		if _, problems, err := m.Current(t.Context()); err != nil || len(problems) != 1 {
			t.Errorf("got %v, %v", problems, err)
		}
	})
}

func TestDynamicHealsAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources(), err: errors.New("the server is starting")}
		m := restmapper.NewDynamic(s.discover)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := m.ForResource(t.Context(), pods); !errors.Is(err, s.err) ||
					errors.Is(err, restmapper.ErrNoMatch) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.asked > 2 {
			t.Errorf("twenty lookups sent %d requests", s.asked)
		}
		s.set(func() { s.err = nil })
		if _, err := m.ForResource(t.Context(), pods); err != nil {
			t.Error(err)
		}
	})
}

func TestDynamicContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{resources: resources()}
		m := restmapper.NewDynamic(s.discover)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second/4)
		defer cancel()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := m.ForResource(impatient, pods); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		time.Sleep(time.Second / 8)
		// sends another request after the canceled one has ended
		if _, err := m.ForResource(t.Context(), pods); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

func ExampleNewDynamic() {
	m := restmapper.NewDynamic(func(context.Context) (restmapper.Discovery, error) {
		return restmapper.Discovery{Resources: []restmapper.Resource{resource("apps", "v1", "Deployment", "deployments",
			"deployment", "deploy")}}, nil
	})
	mapping, err := m.ForResource(context.Background(), schema.GroupVersionResource{Resource: "deploy"})
	fmt.Println(mapping.Kind, mapping.Resource, err)
	// Output: apps/v1, Kind=Deployment apps/v1, Resource=deployments <nil>
}
