package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

func metadataOf(in *Car, out *metav1.PartialObjectMetadata, _ *conversion.Scope) error {
	metav1.DeepCopyIntoObjectMeta(&in.ObjectMeta, &out.ObjectMeta)
	return nil
}

func car(namespace, name string, wheels int64) *Car {
	return &Car{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: CarSpec{Wheels: wheels}}
}

func TestTypedAccess(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/json", "application/cbor", "application/vnd.kubernetes.protobuf"} {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			ctx, s := t.Context(), newServer(t)
			cars := client.Of[Car](s.client(client.MediaType(mediaType))).In("default")
			made, err := cars.Create(ctx, car("", "beetle", 4))
			if err != nil || made.ResourceVersion == "" || made.Namespace != "default" || made.Kind != "Car" {
				t.Fatalf("got %+v, %v", made, err)
			}
			if _, err := cars.Create(ctx,
				car("", "beetle", 4)); metav1.ReasonOf(err) != metav1.StatusReasonAlreadyExists {
				t.Errorf("got %v", err)
			}
			got, err := cars.Get(ctx, "beetle")
			if err != nil || got.Spec.Wheels != 4 || got.APIVersion != "cars.example.com/v1" {
				t.Errorf("got %+v, %v", got, err)
			}
			stale := *got
			got.Spec.Owner = "anna"
			if got, err = cars.Update(ctx, got); err != nil || got.Spec.Owner != "anna" {
				t.Errorf("got %+v, %v", got, err)
			}
			if _, err := cars.Update(ctx, &stale); metav1.ReasonOf(err) != metav1.StatusReasonConflict {
				t.Errorf("got %v", err)
			}
			s.put(car("other", "van", 6))
			all, err := client.Of[Car](s.client()).List(ctx)
			if err != nil || len(all.Items) != 2 || all.Items[1].Name != "van" || all.Items[1].Kind != "Car" ||
				all.ResourceVersion == "" {
				t.Errorf("got %+v, %v", all, err)
			}
			if one, err := cars.List(ctx); err != nil || len(one.Items) != 1 {
				t.Errorf("got %+v, %v", one, err)
			}
			if err := cars.Delete(ctx, "beetle", client.IfUID(""),
				client.Propagation(metav1.DeletePropagationForeground)); err != nil {
				t.Error(err)
			}
			_, err = cars.Get(ctx, "beetle")
			if status, ok := errors.AsType[*metav1.StatusError](err); !ok ||
				status.Status.Reason != metav1.StatusReasonNotFound || status.Status.Details.Name != "beetle" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestChangeTriesAgain(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newServer(t)
	s.put(car("default", "beetle", 4))
	cars := client.Of[Car](s.client()).In("default")
	rounds := 0
	got, err := cars.Change(ctx, "beetle", func(c *Car) error {
		if rounds++; rounds == 1 {
			s.put(car("default", "beetle", 5)) // somebody else
		}
		c.Spec.Wheels++
		return nil
	})
	if err != nil || rounds != 2 || got.Spec.Wheels != 6 {
		t.Errorf("got %+v after %d attempts, %v", got, rounds, err)
	}
	stop := errors.New("stop")
	if _, err := cars.Change(ctx, "beetle", func(*Car) error { return stop }); err != stop {
		t.Errorf("got %v", err)
	}
	s.setFault(func(r *http.Request) error {
		if r.Method != http.MethodPut {
			return nil
		}
		return metav1.Failure(metav1.StatusReasonForbidden, "read-only")
	})
	rounds = 0
	_, err = cars.Change(ctx, "beetle", func(*Car) error {
		if rounds++; rounds > 1 {
			return stop
		}
		return nil
	})
	if metav1.ReasonOf(err) != metav1.StatusReasonForbidden || rounds != 1 {
		t.Errorf("a refused update: %v after %d attempts", err, rounds)
	}
}

// conflicting is a backend whose objects somebody else changes before every update.
type conflicting struct {
	client.Backend
	updates int
}

func (c *conflicting) Do(_ context.Context, r *client.Request) (*client.Response, error) {
	if r.Verb == "update" {
		c.updates++
		return nil, metav1.Conflict(r.Resource.GroupResource(), r.Name, errors.New("somebody else changed it"))
	}
	return &client.Response{Code: http.StatusOK, Object: car("default", r.Name, 4)}, nil
}

func TestChangeWaitsLongerAfterEachConflict(t *testing.T) {
	t.Parallel()
	s := newServer(t).client().Scheme()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		backend := &conflicting{}
		cars := client.Of[Car](client.New(backend, s)).In("default")
		_, err := cars.Change(ctx, "beetle", func(*Car) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) || metav1.ReasonOf(err) != metav1.StatusReasonConflict {
			t.Errorf("got %v", err)
		}
		if backend.updates < 10 || backend.updates > 1000 {
			t.Errorf("%d updates in a minute", backend.updates)
		}
	})
}

func TestUpdateStatusKeepsTheOptionsOfItsCaller(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newServer(t)
	s.put(car("default", "beetle", 4))
	cars := client.Of[Car](s.client()).In("default")
	opts := append(make([]client.Option, 0, 2), client.FieldManager("me"))
	beetle, err := cars.Get(ctx, "beetle")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = cars.UpdateStatus(ctx, beetle, opts...)
	if opts[:2][1] != nil {
		t.Errorf("the caller's slice holds %v", opts[:2])
	}
}

func TestAllGoesThroughPages(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newServer(t)
	for i := range 25 {
		s.put(car("default", fmt.Sprintf("car%02d", i), 4))
	}
	s.asked("")
	var names []string
	for c, err := range client.Of[Car](s.client()).All(ctx, client.Limit(10)) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, c.Name)
	}
	if len(names) != 25 || !slices.IsSorted(names) || s.asked("GET /apis/cars.example.com/v1/cars") != 3 {
		t.Errorf("got %q", names)
	}
}

// TestRepeatedToken lists from a server that repeats a continue token, which would never end.
func TestRepeatedToken(t *testing.T) {
	t.Parallel()
	requests := 0
	rt := roundTripper(func(r *http.Request) (*http.Response, error) {
		requests++
		w := newRecorder()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"CarList","apiVersion":"cars.example.com/v1",`+
			`"metadata":{"resourceVersion":"1","continue":"more"},"items":[]}`)
		return w.Result(), nil
	})
	cars := client.Of[Car](newServer(t).client(client.RoundTripper(rt)))
	const want = `the server repeats the continue token "more" in the list of cars.cars.example.com`
	for _, err := range cars.All(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("All: %v", err)
		}
	}
	for _, err := range cars.Follow(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Follow: %v", err)
		}
		break
	}
	if requests != 4 {
		t.Errorf("%d requests were sent", requests)
	}
}

func TestUntypedAndMetadata(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newServer(t)
	s.put(car("default", "beetle", 4))
	c := s.client()
	m := client.Of[Car](c).Mapping()
	cars := c.Untyped(m).In("default")
	obj, err := cars.Get(ctx, "beetle")
	if err != nil {
		t.Fatal(err)
	}
	if wheels, _, err := obj.Int64("spec", "wheels"); wheels != 4 || err != nil {
		t.Errorf("got %v, %v", obj, err)
	}
	if err := obj.Set("anna", "spec", "owner"); err != nil {
		t.Fatal(err)
	}
	if obj, err = cars.Update(ctx, obj); err != nil || obj.ResourceVersion() == "" {
		t.Errorf("got %v, %v", obj, err)
	}
	list, err := cars.List(ctx)
	if err != nil || len(list.Items) != 1 || list.Items[0].Name() != "beetle" || list.ResourceVersion == "" {
		t.Errorf("got %+v, %v", list, err)
	}
	only, err := c.Metadata(m).In("default").Get(ctx, "beetle")
	if err != nil || only.Name != "beetle" || only.Kind != "PartialObjectMetadata" {
		t.Errorf("got %+v, %v", only, err)
	}
	metas, err := c.Metadata(m).List(ctx)
	if err != nil || len(metas.Items) != 1 || metas.Items[0].Name != "beetle" {
		t.Errorf("got %+v, %v", metas, err)
	}
	shown, err := client.Show[metav1.PartialObjectMetadata](ctx, client.Of[Car](c).In("default"), "beetle")
	if err != nil || shown.Name != "beetle" {
		t.Errorf("got %+v, %v", shown, err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/json", "application/cbor", "application/vnd.kubernetes.protobuf"} {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.put(car("default", "beetle", 4))
			groups := client.Of[v1alpha1.Group](s.client(client.MediaType(mediaType)))
			var seen []string
			for e, err := range groups.Watch(t.Context(), client.InitialEvents()) {
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, e.Type+" "+e.Object.Name)
				if e.InitialEnd {
					break
				}
			}
			if want := []string{"ADDED cars.example.com", "ADDED discovery.k8s.io", "BOOKMARK "}; !slices.Equal(seen,
				want) {
				t.Errorf("got %q, want %q", seen, want)
			}
		})
	}
}

func TestWatchFromOldVersion(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put(car("default", "beetle", 4))
	s.forget()
	for _, err := range client.Of[Car](s.client()).Watch(t.Context(), client.AtVersion("1")) {
		if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
			t.Errorf("got %v", err)
		}
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newServer(t)
	c := s.client()
	cars := client.Of[Car](c)
	type unknown struct{ metav1.TypeMeta }
	for _, tt := range []struct {
		name, want string
		call       func() error
	}{
		{"no namespace", "client: cars live in namespaces: call In with one", func() error {
			_,
				err := cars.Get(ctx, "a")
			return err
		}},
		{"no name", "client: get of cars needs a name", func() error {
			_,
				err := cars.In("x").Get(ctx, "")
			return err
		}},
		{"a name with dots", `client: the name ".." is not a valid path segment`, func() error {
			_,
				err := cars.In("x").Get(ctx, "..")
			return err
		}},
		{"a name with a slash", `client: the name "a/b" is not a valid path segment`, func() error {
			return cars.In("x").
				Delete(ctx, "a/b")
		}},
		{"two namespaces", `client: the object is in the namespace "b", but In was called with "a"`, func() error {
			_,
				err := cars.In("a").Create(ctx, car("b", "c", 1))
			return err
		}},
		{"a namespace for a cluster-scoped kind", "client: groups live outside of namespaces: do not call In", func() error {
			_,
				err := client.Of[v1alpha1.Group](c).In("a").List(ctx)
			return err
		}},
		{
			"an option of another verb",
			"client: the option Labels is for list, watch, deletecollection, not for get", func() error {
				_, err := cars.In("a").Get(ctx, "b", client.Labels("a=b"))
				return err
			},
		},
		{"apply without a field manager", "client: Apply of cars needs the option FieldManager", func() error {
			_,
				err := cars.In("a").Apply(ctx, car("a", "b", 1))
			return err
		}},
		{"unregistered type", "client: access to client_test.unknown: runtime: no kind is registered for the type github.com/askind/askind/client_test.unknown; pass the AddTo function of its package to NewScheme, or add it with AddKind", func() error { _, err := client.Of[unknown](c).List(ctx); return err }},
		{"no resource", "client: the kind cars.example.com/v1, Kind=CarList has no resource; register it with one", func() error { _, err := client.Of[CarList](c).List(ctx); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.call(); fmt.Sprint(err) != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := client.HTTP("example.com", s.factory); err == nil {
		t.Error("an address without a scheme is accepted")
	}
}

func TestErrorsOfServers(t *testing.T) {
	t.Parallel()
	var answer func(http.ResponseWriter)
	s := newServer(t)
	rt := roundTripper(func(r *http.Request) (*http.Response, error) {
		w := newRecorder()
		answer(w)
		return w.Result(), nil
	})
	cars := client.Of[Car](s.client(client.RoundTripper(rt), client.Retries(2))).In("default")
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter)
		reason metav1.StatusReason
		text   string
	}{
		{"a proxy's page", func(w http.ResponseWriter) {
			w.WriteHeader(502)
			_,
				_ = w.Write([]byte("<h1>bad gateway</h1>"))
		}, "", "<h1>bad gateway</h1>"},
		{"no body", func(w http.ResponseWriter) { w.WriteHeader(403) }, metav1.StatusReasonForbidden, "Forbidden"},
		{"a redirect", func(w http.ResponseWriter) {
			w.Header().Set(
				"Location", "http://elsewhere/",
			)
			w.WriteHeader(302)
		}, "", `Found: the server redirects to "http://elsewhere/", which is not followed; if that is its address, use it`},
		{"garbage", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_,
				_ = w.Write([]byte("{"))
		}, "", "client: get /apis/cars.example.com/v1/namespaces/default/cars/a: line 1, column 2: unexpected end of text, expected a member name"},
		{"another kind", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"kind":"CarList","apiVersion":"cars.example.com/v1","items":[]}`))
		}, "", "client: the server returned a *client_test.CarList instead of a client_test.Car"},
		{
			"a success without an object", func(w http.ResponseWriter) { w.WriteHeader(204) }, "",
			"client: the server returned a response without a body instead of a client_test.Car",
		},
		{"an unknown kind", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"kind":"Boat","apiVersion":"boats.example.com/v1"}`))
		}, "", "client: get /apis/cars.example.com/v1/namespaces/default/cars/a: line 1, column 29: apiVersion: a boats.example.com/v1, Kind=Boat cannot be converted to cars.example.com/v1, which has no such kind"},
	} {
		answer = tt.answer
		_, err := cars.Get(t.Context(), "a")
		if metav1.ReasonOf(err) != tt.reason || fmt.Sprint(err) != tt.text {
			t.Errorf("%s: got %q, %v\nwant %s", tt.name, metav1.ReasonOf(err), err, tt.text)
		}
	}
	tries := 0
	answer = func(w http.ResponseWriter) {
		if tries++; tries < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(503)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Car","apiVersion":"cars.example.com/v1"}`))
	}
	if _, err := cars.Create(t.Context(), car("default", "a", 1)); err != nil || tries != 3 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}

func TestRequestPath(t *testing.T) {
	t.Parallel()
	apps := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	for want, r := range map[string]client.Request{
		"/apis/apps/v1/deployments":                {Resource: apps},
		"/apis/apps/v1/namespaces/a/deployments/b": {Resource: apps, Namespace: "a", Name: "b"},
		"/apis/apps/v1/namespaces/a%20%3F/deployments/b%2525/scale": {
			Resource: apps, Namespace: "a ?", Name: "b%25",
			Subresource: "scale",
		},
		"/api/v1/nodes":   {Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}},
		"/oapi/v1/routes": {Prefix: "oapi", Resource: schema.GroupVersionResource{Version: "v1", Resource: "routes"}},
	} {
		if got := r.Path(); got != want || r.Check() != nil {
			t.Errorf("got %s, want %s; %v", got, want, r.Check())
		}
	}
	r := client.Request{Resource: apps, Name: "b", Subresource: "proxy/../../c"}
	if err := r.Check(); err == nil {
		t.Errorf("%s is the path of something else, which a proxy may follow", r.Path())
	}
	r = client.Request{Verb: "deletecollection", Resource: apps, Name: "b"}
	if err := r.Check(); err == nil {
		t.Error("rules for one name would allow what is done to all")
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.client()
	resp, err := c.Backend().Do(t.Context(), &client.Request{
		Verb: "create", Resource: carVersion.WithResource("cars"), Namespace: "a", Kind: carVersion.WithKind("Car"),
		Body: car("a", "b", 1),
	})
	if err != nil || !slices.Equal(resp.Warnings, []string{`cars are "deprecated"`}) || resp.Code != 201 {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// next takes changes from a channel until one has a type and a name.
func next(t *testing.T, changes <-chan client.Change[Car], want client.ChangeType, name string) client.Change[Car] {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case c := <-changes:
			if c.Type == want && c.Key.Name == name {
				return c
			}
			t.Fatalf("got %s of %s, want %s of %s", c.Type, c.Key, want, name)
		case <-deadline:
			t.Fatalf("no %s of %s came", want, name)
		}
	}
}

// TestFollowThroughEverything checks that Follow continues after broken connections, expired
// versions and rejected requests.
func TestFollowThroughEverything(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newServer(t)
	s.put(car("default", "beetle", 4))
	changes := make(chan client.Change[Car], 100)
	failed := make(chan error, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for c, err := range client.Of[Car](s.client()).Follow(ctx) {
			if err != nil {
				failed <- err
				continue
			}
			changes <- c
		}
	}()
	next(t, changes, client.Added, "beetle")
	next(t, changes, client.Synced, "")
	s.put(car("default", "van", 4))
	next(t, changes, client.Added, "van")

	s.disconnect()
	s.put(car("default", "van", 6))
	if c := next(t, changes, client.Modified, "van"); c.Before.Spec.Wheels != 4 || c.Object.Spec.Wheels != 6 {
		t.Errorf("got %+v", c)
	}
	// A change while the server refuses, with a version that has expired afterwards, is yielded as
	// a difference.
	s.setFault(func(*http.Request) error { return metav1.Failure(metav1.StatusReasonServiceUnavailable, "starting") })
	s.disconnect()
	if err := <-failed; metav1.ReasonOf(err) != metav1.StatusReasonServiceUnavailable {
		t.Errorf("got %v", err)
	}
	s.remove(car("default", "beetle", 4))
	s.put(car("default", "van", 8))
	s.put(car("default", "bus", 8))
	s.forget()
	s.setFault(nil)
	next(t, changes, client.Deleted, "beetle")
	next(t, changes, client.Added, "bus")
	next(t, changes, client.Modified, "van")
	next(t, changes, client.Synced, "")
	s.remove(car("default", "bus", 8))
	next(t, changes, client.Deleted, "bus")
	cancel()
	<-done
}

// TestFollowResumes checks that Follow resumes at the version of the last event that has one.
func TestFollowResumes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newServer(t)
	from := make(chan string, 100)
	s.setFault(func(r *http.Request) error {
		if q := r.URL.Query(); q.Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/cars") {
			from <- q.Get("resourceVersion")
		}
		return nil
	})
	changes := make(chan client.Change[Car], 100)
	go func() {
		for c, err := range client.Of[Car](s.client()).Follow(ctx) {
			if err == nil {
				changes <- c
			}
		}
	}()
	listed := next(t, changes, client.Synced, "").ResourceVersion
	if got := <-from; got != listed {
		t.Errorf("watched from %s, and the list has version %s", got, listed)
	}
	s.put(car("default", "van", 4))
	last := next(t, changes, client.Added, "van").ResourceVersion
	s.disconnect()
	if got := <-from; got != last {
		t.Errorf("resumed at %s, want %s", got, last)
	}
	s.mu.Lock()
	s.version++
	s.change("cars/default/bus", metav1.WatchAdded, car("default", "bus", 6)) // an event without a version
	s.mu.Unlock()
	next(t, changes, client.Added, "bus")
	s.disconnect()
	if got := <-from; got != last {
		t.Errorf("resumed at %q after an event without a version, want %s", got, last)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newServer(t)
	for _, c := range []*Car{car("a", "beetle", 4), car("b", "beetle", 4), car("a", "van", 6)} {
		s.put(c)
	}
	changes := make(chan client.Change[Car], 100)
	cache := client.NewCache(client.Of[Car](s.client()), client.CacheOptions[Car]{
		Indexes: []client.Index[Car]{
			{Name: "wheels", Values: func(c *Car) []string { return []string{fmt.Sprint(c.Spec.Wheels)} }},
		},
		OnChange: func(c client.Change[Car]) { changes <- c },
	})
	done := make(chan error)
	go func() { done <- cache.Run(ctx) }()
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	names := func(cars []*Car) (out []string) {
		for _, c := range cars {
			out = append(out, c.Namespace+"/"+c.Name)
		}
		return out
	}
	if got := names(cache.List("")); !slices.Equal(got, []string{"a/beetle", "a/van", "b/beetle"}) {
		t.Errorf("got %q", got)
	}
	if got := names(cache.List("a")); !slices.Equal(got, []string{"a/beetle", "a/van"}) {
		t.Errorf("got %q", got)
	}
	if got := names(cache.By("wheels", "4")); !slices.Equal(got, []string{"a/beetle", "b/beetle"}) {
		t.Errorf("got %q", got)
	}
	for range 4 {
		<-changes
	}
	s.put(car("a", "beetle", 3))
	next(t, changes, client.Modified, "beetle")
	if got := names(cache.By("wheels", "4")); !slices.Equal(got, []string{"b/beetle"}) {
		t.Errorf("got %q", got)
	}
	s.remove(car("a", "van", 6))
	next(t, changes, client.Deleted, "van")
	if _, ok := cache.Get(client.Key{Namespace: "a", Name: "van"}); ok || cache.Len() != 2 ||
		len(cache.By("wheels", "6")) != 0 || len(cache.By("nothing", "")) != 0 {
		t.Errorf("got %q", names(cache.List("")))
	}
	if cache.ResourceVersion() == "" {
		t.Error("the cache has no version")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := client.NewCache(client.Of[Car](s.client()), client.CacheOptions[Car]{}).Wait(ctx); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}
