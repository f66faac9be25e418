package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// boats returns a resource that tests install later.
func boats(prefix string) discovery.Resource {
	gvr := schema.GroupVersionResource{Group: "boats.example.com", Version: "v1", Resource: "boats"}
	if prefix != "" {
		gvr.Group = ""
	}
	return discovery.Resource{
		Prefix: prefix, GroupVersionResource: gvr, Kind: schema.GroupVersionKind{Kind: "Boat"}, Singular: "boat",
		Verbs: []string{"get", "list", "watch"},
	}
}

// without returns a fault by which a server lacks some paths, or some forms of them.
func without(part string) func(*http.Request) error {
	return func(r *http.Request) error {
		switch {
		case strings.Contains(part, "groups") && strings.HasSuffix(r.URL.Path, "/groups"):
			return metav1.NotFound(schema.GroupResource{Resource: "groups"}, "")
		case strings.Contains(part, "v2") && strings.Contains(r.Header.Get("Accept"), "v=v2"):
			r.Header.Set("Accept", "application/json")
		}
		return nil
	}
}

// TestMapperOnAllServers finds kinds on servers that have Groups, aggregated documents, or neither.
func TestMapperOnAllServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, lacks string }{
		{"groups", ""},
		{"aggregated", "groups"},
		{"legacy", "groups v2"},
		{"legacy without apiVersion", "groups v2 versions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, s := t.Context(), newServer(t)
			present := s.docs.Resources()
			s.unversioned = strings.Contains(c.lacks, "versions")
			s.offer(append(present, boats("oapi"))...)
			s.setFault(without(c.lacks))
			m := s.client().Mapper(client.MapperOptions{Prefixes: []string{"oapi"}})
			found, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "c"})
			if err != nil || found.Kind != carVersion.WithKind("Car") || found.Prefix != "" {
				t.Errorf("got %+v, %v", found, err)
			}
			if found, err = m.ForKind(ctx, schema.GroupKind{Kind: "Boat"}); err != nil || found.Prefix != "oapi" {
				t.Errorf("got %+v, %v", found, err)
			}
			s.asked("")
			if _, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "planes"}); !errors.Is(err,
				restmapper.ErrNoMatch) {
				t.Errorf("got %v", err)
			}
			plane := boats("")
			plane.Resource, plane.Singular, plane.Kind.Kind = "planes", "plane", "Plane"
			s.offer(append(present, plane)...)
			if found, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "planes"}); err != nil ||
				found.Kind.Kind != "Plane" {
				t.Errorf("a new kind is not found by the next lookup: %v, %v", found, err)
			}
			// Known resources stay known while the server is down or sends invalid documents.
			s.setFault(func(*http.Request) error {
				return metav1.Failure(metav1.StatusReasonInternalError,
					"nonsense")
			})
			if _, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "planes"}); err != nil {
				t.Error(err)
			}
			if _, err := m.ForResource(ctx, schema.GroupVersionResource{Resource: "trains"}); err == nil ||
				errors.Is(err, restmapper.ErrNoMatch) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMapperFollowsGroups waits for a kind that is installed meanwhile.
func TestMapperFollowsGroups(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := newServer(t)
	present := s.docs.Resources()
	m := s.client().Mapper(client.MapperOptions{})
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	if _, err := m.Wait(ctx, schema.GroupKind{Group: carVersion.Group, Kind: "Car"}); err != nil {
		t.Fatal(err)
	}
	found := make(chan error, 1)
	go func() {
		_, err := m.Wait(ctx, schema.GroupKind{Group: "boats.example.com", Kind: "Boat"}, "v1")
		found <- err
	}()
	time.Sleep(10 * time.Millisecond)
	s.offer(append(present, boats(""))...)
	if err := <-found; err != nil {
		t.Fatal(err)
	}
	// A removal is noticed without a request.
	s.offer(present...)
	for {
		static, _, err := m.Current(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(static.AllForResource(schema.GroupVersionResource{Resource: "boats"})) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Wait(ctx, schema.GroupKind{Kind: "Train"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestDiscoveryProblems has one group whose resources the server cannot report.
func TestDiscoveryProblems(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.offer(append(s.docs.Resources(), boats(""))...)
	lacking := without("groups v2")
	s.setFault(func(r *http.Request) error {
		if r.URL.Path == "/apis/boats.example.com/v1" {
			return metav1.Failure(metav1.StatusReasonServiceUnavailable, "its server is down")
		}
		return lacking(r)
	})
	found, problems, err := s.client().Discover(t.Context())
	if err != nil || len(problems) != 1 || problems[0].Group != "boats.example.com" {
		t.Errorf("got %v, %v", problems, err)
	}
	hasCars := slices.ContainsFunc(found.Resources, func(r discovery.Resource) bool { return r.Resource == "cars" })
	if !hasCars {
		t.Errorf("got %v", found.Resources)
	}
	s.setFault(func(*http.Request) error { return metav1.NotFound(schema.GroupResource{}, "") })
	const want = "client: the server has none of the paths /api, /apis; check that it serves a Kubernetes-style API"
	if _, _, err := s.client().Discover(t.Context()); fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
}
