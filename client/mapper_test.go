package client_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
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

// TestStaleGroupsAreProblems has a group whose server does not answer, so that the aggregated
// document marks it as stale. The mapper keeps what it knew, and does not take a name for unknown.
func TestStaleGroupsAreProblems(t *testing.T) {
	t.Parallel()
	const document = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[` +
		`{"metadata":{"name":"boats.example.com"},"versions":[{"version":"v1","freshness":"%s","resources":[%s]}]}]}`
	const resource = `{"resource":"boats","responseKind":{"group":"boats.example.com","version":"v1","kind":"Boat"},` +
		`"scope":"Namespaced","verbs":["get"]}`
	var stale atomic.Bool
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/apis":
			w.WriteHeader(http.StatusNotFound)
		case stale.Load():
			fmt.Fprintf(w, document, "Stale", "")
		default:
			fmt.Fprintf(w, document, "Current", resource)
		}
	})
	m := c.Mapper(client.MapperOptions{})
	boats, trains := schema.GroupVersionResource{Resource: "boats"}, schema.GroupVersionResource{Resource: "trains"}
	if _, err := m.ForResource(t.Context(), boats); err != nil {
		t.Fatal(err)
	}
	stale.Store(true)
	_, err := m.ForResource(t.Context(), trains)
	if e, ok := errors.AsType[*restmapper.NoMatchError](err); !ok || e.Certain() ||
		e.Problems[0].Group != "boats.example.com" {
		t.Errorf("got %v", err)
	}
	if _, err := m.ForResource(t.Context(), boats); err != nil {
		t.Errorf("got %v", err)
	}
}

// groupsBackend has as many Groups as a test wants, and sends as many changes of them in a watch.
type groupsBackend struct {
	script
	groups, changes int
}

// group returns the Group with a number.
func group(n, version int) *unstructured.Object {
	o := unstructured.New(v1alpha1.GroupVersion.WithKind("Group"))
	o.SetName(fmt.Sprintf("boats%d.example.com", n))
	o.SetResourceVersion(fmt.Sprint(version))
	resource := map[string]any{"name": "boats", "kind": fmt.Sprint("Boat", version), "namespaced": true}
	versions := []any{map[string]any{"name": "v1", "resources": []any{resource}}}
	if err := o.Set(versions, "status", "versions"); err != nil {
		panic(err)
	}
	return o
}

// Do implements [client.Backend].
func (b *groupsBackend) Do(context.Context, *client.Request) (*client.Response, error) {
	list := unstructured.New(v1alpha1.GroupVersion.WithKind("GroupList"))
	items := make([]any, b.groups)
	for i := range items {
		items[i] = group(i, 1).Map()
	}
	if err := errors.Join(list.Set("1", "metadata", "resourceVersion"), list.Set(items, "items")); err != nil {
		return nil, err
	}
	out, err := list.List()
	return &client.Response{Code: http.StatusOK, Object: out}, err
}

// Watch implements [client.Backend].
func (b *groupsBackend) Watch(ctx context.Context, _ *client.Request) iter.Seq2[serializer.Event, error] {
	return func(yield func(serializer.Event, error) bool) {
		for i := range b.changes {
			if !yield(serializer.Event{Type: metav1.WatchModified, Object: group(0, 2+i)}, nil) {
				return
			}
		}
		<-ctx.Done()
	}
}

// TestMapperTakesInManyChanges checks that a server that changes one of many Groups over and over
// does not make a mapper take in all of them each time, and that the last change is known.
func TestMapperTakesInManyChanges(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	const groups, changes = 2000, 3000
	c := client.New(&groupsBackend{groups: groups, changes: changes}, newFactory(t).Scheme())
	m := c.Mapper(client.MapperOptions{OnError: func(err error) { t.Error(err) }})
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	last := schema.GroupKind{Group: "boats0.example.com", Kind: fmt.Sprint("Boat", 1+changes)}
	if found, err := m.Wait(ctx, last); err != nil || found.Resource.Resource != "boats" {
		t.Errorf("got %+v, %v", found, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
