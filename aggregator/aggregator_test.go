package aggregator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

// serve returns a server for some groups in memory, closed when the test ends.
func serve(t *testing.T, groups []func(*runtime.Builder), options ...server.Option) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(append(groups, metav1.AddTo)...)
	if err != nil {
		t.Fatal(err)
	}
	engine := memory.New()
	srv, err := server.New(scheme, engine, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close(); engine.Close() })
	return srv
}

// fleet is a server of the group fleet.example.com.
func fleet(t *testing.T) *server.Server { return serve(t, []func(*runtime.Builder){fleetv1.AddTo}) }

// front is an aggregator behind a server of its own that serves registrations and the inventory.
type front struct {
	*aggregator.Aggregator
	server *server.Server
	http   *http.Client
}

// newFront returns an aggregator whose transports are found by the host of the URL.
func newFront(t *testing.T, backends map[string]http.RoundTripper, options ...server.Option) *front {
	t.Helper()
	agg, err := aggregator.New(aggregator.Config{
		Period: 50 * time.Millisecond, ProbeTime: 2 * time.Second, Requests: 2,
		Transport: func(s *v1alpha1.APIServiceSpec) http.RoundTripper {
			return backends[strings.TrimPrefix(s.URL, "http://")]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agg.Close() })
	srv := serve(t, []func(*runtime.Builder){v1alpha1.AddTo, inventoryv1.AddTo},
		append(options, server.DelegateTo(agg))...)
	return &front{agg, srv, &http.Client{Transport: srv.Transport()}}
}

// service is a registration.
func service(name, url, group, version string) *v1alpha1.APIService {
	return &v1alpha1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.APIServiceSpec{Group: group, Version: version, URL: url},
	}
}

// fleetService is the registration of the group of the fleet at a server.
func fleetService(url string) *v1alpha1.APIService {
	return service("v1.fleet.example.com", url, "fleet.example.com", "v1")
}

// get returns the answer to a request.
func (f *front) do(t *testing.T, method, path, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://front"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := f.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// eventually waits until a function returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still waiting until " + what)
		}
	}
}

// condition returns the status and reason of a condition of a registration.
func (f *front) condition(name, kind string) string {
	for _, c := range f.Conditions(name) {
		if c.Type == kind {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// waitFor waits until a condition of a registration has a status and a reason.
func (f *front) waitFor(t *testing.T, name, kind, want string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		got := f.condition(name, kind)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s of %s is %q, want %q", kind, name, got, want)
		}
	}
}

// machine is a machine in JSON.
func machine(name string) string {
	return `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"` + name +
		`","namespace":"default"},"spec":{"zone":"north","hardware":{"cores":4,"memory":"8Gi"},"boot":{"type":"Image","image":{"name":"debian"}}}}`
}

const machines = "/apis/fleet.example.com/v1/namespaces/default/machines"

// TestRequestsArePassedOn creates, reads, watches and deletes through the aggregator.
func TestRequestsArePassedOn(t *testing.T) {
	t.Parallel()
	behind := fleet(t)
	f := newFront(t, map[string]http.RoundTripper{"fleet": behind.Transport()})
	f.Set()
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusNotFound {
		t.Fatalf("before the registration: %d %s", code, body)
	}
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")

	if code, _, body := f.do(t, "POST", machines, machine("a")); code != http.StatusCreated {
		t.Fatalf("create: %d %s", code, body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://front"+machines+"?watch=1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := f.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	events := json.NewDecoder(watch.Body)
	for _, want := range []string{"ADDED", "DELETED"} {
		var event struct {
			Type   string
			Object struct{ Metadata struct{ Name string } }
		}
		if err := events.Decode(&event); err != nil || event.Type != want || event.Object.Metadata.Name != "a" {
			t.Fatalf("got %+v, %v; want %s of a", event, err, want)
		}
		if want == "ADDED" {
			if code, _, body := f.do(t, "DELETE", machines+"/a", ""); code != http.StatusOK {
				t.Fatalf("delete: %d %s", code, body)
			}
		}
	}
	f.Set()
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusNotFound {
		t.Errorf("after the registration: %d %s", code, body)
	}
}

// TestDiscoveryShowsEverything reads the documents of the front server.
func TestDiscoveryShowsEverything(t *testing.T) {
	t.Parallel()
	f := newFront(t, map[string]http.RoundTripper{"fleet": fleet(t).Transport()})
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	aggregated := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, tt := range []struct {
		path, accept string
		want         []string
	}{
		{"/apis", "application/json", []string{"fleet.example.com/v1", "inventory.example.com/v1"}},
		{"/apis", aggregated, []string{`"machines"`, `"sites"`, `"freshness":"Current"`}},
		{"/apis/fleet.example.com", "application/json", []string{`"fleet.example.com/v1"`}},
		{"/apis/fleet.example.com/v1", "application/json", []string{`"machines"`, `"machines/status"`}},
		{"/openapi/v3", "application/json", []string{`"apis/fleet.example.com/v1"`, `"apis/inventory.example.com/v1"`}},
		{"/openapi/v3/apis/fleet.example.com/v1", "application/json", []string{"com.example.fleet.v1.Machine"}},
	} {
		code, header, body := f.do(t, "GET", tt.path, "", "Accept", tt.accept)
		if code != http.StatusOK {
			t.Errorf("%s: %d %s", tt.path, code, body)
		}
		for _, want := range tt.want {
			if !strings.Contains(strings.ReplaceAll(body, `": "`, `":"`), want) {
				t.Errorf("%s, %s, does not have %s: %.300s", tt.path, header.Get("Content-Type"), want, body)
			}
		}
	}
}

// TestRegistrationsThatConflict holds which of several registrations are accepted.
func TestRegistrationsThatConflict(t *testing.T) {
	t.Parallel()
	lying := handler(func(w http.ResponseWriter, r *http.Request) {
		list := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"fleet.example.com/v2","resources":[` +
			`{"name":"machines","singularName":"","namespaced":true,"kind":"Toaster","verbs":["get"]}]}`
		answerLegacy(w, r, "/apis/fleet.example.com/v2", list)
	})
	f := newFront(t, map[string]http.RoundTripper{
		"fleet": fleet(t).Transport(), "other": fleet(t).Transport(),
		"lying": lying,
	})
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	older := fleetService("http://fleet")
	older.CreationTimestamp = metav1.NewTime(time.Unix(1_700_000_000, 0))
	newer := service("z-again", "http://other", "fleet.example.com", "v1")
	newer.CreationTimestamp = metav1.NewTime(time.Unix(1_800_000_000, 0))
	toaster := service("v2.fleet.example.com", "http://lying", "fleet.example.com", "v2")
	toaster.CreationTimestamp = newer.CreationTimestamp
	f.Set(newer, older, toaster,
		service("v1.inventory.example.com", "http://other", "inventory.example.com", "v1"),
		service("here", "", "inventory.example.com", "v1"),
		service("nothing", "", "nothing.example.com", "v1"),
		service("bad", "ftp://other", "bad.example.com", "v1"),
		service("blank", "http://other", "", "v1"))
	for name, want := range map[string]string{
		"v1.fleet.example.com": "True Accepted", "z-again": "False DuplicateRegistration",
		"v2.fleet.example.com": "False NamesConflict", "v1.inventory.example.com": "False ServedLocally",
		"here": "True Accepted", "bad": "False InvalidRegistration", "blank": "False InvalidRegistration",
	} {
		f.waitFor(t, name, v1alpha1.ConditionAccepted, want)
	}
	f.waitFor(t, "here", v1alpha1.ConditionAvailable, "True Answers")
	f.waitFor(t, "nothing", v1alpha1.ConditionAvailable, "False NotServed")
	if _, _, body := f.do(t, "GET", "/apis", ""); strings.Contains(body, "fleet.example.com/v2") {
		t.Errorf("a version that is not accepted is shown: %s", body)
	}
}

// handler is a function as a transport in the same process.
func handler(f http.HandlerFunc) http.RoundTripper { return roundTripper(f) }

type roundTripper http.HandlerFunc

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f(w, r)
	return w.Result(), nil
}

// answerLegacy answers as a server that knows the older documents only.
func answerLegacy(w http.ResponseWriter, r *http.Request, path, list string) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/apis":
		fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case path:
		fmt.Fprint(w, list)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// TestOtherServers reads what servers serve that have no Groups.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	resources := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[` +
		`{"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","verbs":["get","list"]}]}`
	aggregated := `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{` +
		`"metadata":{"name":"wardle.example.com"},"versions":[{"version":"v1","freshness":"Current","resources":[{` +
		`"resource":"flunders","responseKind":{"group":"wardle.example.com","version":"v1","kind":"Flunder"},` +
		`"scope":"Namespaced","singularResource":"flunder","verbs":["get"]}]}]}]}`
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
	}{
		{"older documents", func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/wardle.example.com/v1", resources)
		}, "True Answers"},
		{"aggregated documents", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/apis" {
				answerLegacy(w, r, "", "")
				return
			}
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			w.Header().Set("Etag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, aggregated)
		}, "True Answers"},
		{"another group", func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/other.example.com/v1", resources)
		}, "False NotServed"},
		{"garbage", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"Surprise","items":[[[`)
		}, "False DoesNotAnswer"},
		{"an error page", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>502</h1>", http.StatusBadGateway)
		}, "False DoesNotAnswer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFront(t, map[string]http.RoundTripper{"wardle": handler(tt.serve)})
			f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
			f.waitFor(t, "w", v1alpha1.ConditionAvailable, tt.want)
			code, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", "")
			if shown := strings.Contains(body, "flunders"); shown != (tt.want == "True Answers") {
				t.Errorf("shown: %t, %d %s", shown, code, body)
			}
		})
	}
}

// failing is a transport that can be turned off.
type failing struct {
	http.RoundTripper
	dead chan struct{}
}

func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-f.dead:
		return nil, fmt.Errorf("dial tcp: connection refused")
	default:
		return f.RoundTripper.RoundTrip(r)
	}
}

// TestDeadServer holds that a server that has died keeps its place in discovery, marked as stale,
// and that requests for it are answered with 503.
func TestDeadServer(t *testing.T) {
	t.Parallel()
	wire := &failing{
		handler(func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/wardle.example.com/v1",
				`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[`+
					`{"name":"flunders","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}`)
		}),
		make(chan struct{}),
	}
	f := newFront(t, map[string]http.RoundTripper{"wardle": wire})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	close(wire.dead)
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	code, header, body := f.do(t, "GET", "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "")
	if code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || strings.Contains(body, "refused") {
		t.Errorf("%d %s %s", code, header, body)
	}
	_, _, body = f.do(t, "GET", "/apis", "", "Accept",
		"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0")
	if !strings.Contains(body, "flunders") || !strings.Contains(body, "Stale") {
		t.Errorf("discovery: %s", body)
	}
	if code, _, _ := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d", code)
	}
}

// TestBeforeRegistrations holds that an aggregator which has just started does not say that what
// others serve is not there.
func TestBeforeRegistrations(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	const path = "/apis/wardle.example.com/v1/namespaces/n/flunders/a"
	if code, header, body := f.do(t, "GET", path, ""); code != http.StatusServiceUnavailable ||
		header.Get("Retry-After") == "" {
		t.Errorf("before: %d %s", code, body)
	}
	if code, _, body := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d %s", code, body)
	}
	f.Set()
	if code, _, body := f.do(t, "GET", path, ""); code != http.StatusNotFound {
		t.Errorf("after: %d %s", code, body)
	}
}

// broken is a transport whose requests all fail.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// TestBrokenWrites holds that clients are asked to repeat a write only if the server does not have
// it.
func TestBrokenWrites(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method string
		err    error
		again  bool
	}{
		{"GET", errors.New("connection reset"), true},
		{"POST", errors.New("connection reset"), false},
		{"PUT", context.DeadlineExceeded, false},
		{"DELETE", &net.OpError{Op: "read", Err: errors.New("connection reset")}, false},
		{"POST", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
	} {
		f := newFront(t, map[string]http.RoundTripper{"wardle": broken{tt.err}})
		f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
		code, header, body := f.do(t, tt.method, "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "{}")
		if code < 500 || (header.Get("Retry-After") != "") != tt.again {
			t.Errorf("%s after %v: %d, Retry-After %q, %s", tt.method, tt.err, code, header.Get("Retry-After"), body)
		}
	}
}

// TestSlowServer holds that a slow server has a bound on the requests that wait for it.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	release, waiting := make(chan struct{}), make(chan struct{}, 10)
	slow := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders/") {
			waiting <- struct{}{}
			<-release
		}
		answerLegacy(w, r, "/apis/wardle.example.com/v1",
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[]}`)
	})
	f := newFront(t, map[string]http.RoundTripper{"wardle": slow})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	const path = "/apis/wardle.example.com/v1/namespaces/n/flunders/a"
	done := make(chan int, 2)
	for range 2 {
		go func() { code, _, _ := f.do(t, "GET", path, ""); done <- code }()
		<-waiting
	}
	if code, header, body := f.do(t, "GET", path, ""); code != http.StatusTooManyRequests ||
		header.Get("Retry-After") == "" {
		t.Errorf("%d %s", code, body)
	}
	if code, _, _ := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d", code)
	}
	close(release)
	for range 2 {
		if code := <-done; code != http.StatusNotFound {
			t.Errorf("a request that was passed on: %d", code)
		}
	}
}

// TestIdentity holds what the other server gets to know about the user.
func TestIdentity(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 10)
	echo := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders") {
			seen <- r.Header.Clone()
		}
		answerLegacy(w, r, "", "")
	})
	token := auth.AuthenticatorFunc(func(r *http.Request) (*auth.User, error) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			return nil, nil
		}
		return &auth.User{
			Name: "alice", UID: "7", Groups: []string{"system:authenticated", "dev"},
			Extra: map[string][]string{"example.com/scope": {"a", "b"}},
		}, nil
	})
	rule := auth.AuthorizerFunc(func(_ context.Context, a *auth.Attributes) (auth.Decision, string, error) {
		if a.Verb == "delete" {
			return auth.Deny, "nobody deletes", nil
		}
		return auth.Allow, "", nil
	})
	f := newFront(t, map[string]http.RoundTripper{"wardle": echo}, server.Authenticate(token), server.Authorize(rule))
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	const path = "/apis/wardle.example.com/v1/flunders/a"
	if code, _, _ := f.do(t, "GET", path, "", "X-Remote-User", "root"); code != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", code)
	}
	if code, _, _ := f.do(t, "DELETE", path, "", "Authorization", "Bearer secret"); code != http.StatusForbidden {
		t.Errorf("without permission: %d", code)
	}
	f.do(t, "GET", path, "", "Authorization", "Bearer secret", "X-Remote-User", "root", "x-remote-extra-k", "v",
		"X-Remote-Group", "system:masters")
	h := <-seen
	groups := h.Values("X-Remote-Group")
	extra := h.Values("X-Remote-Extra-example.com%2Fscope")
	switch {
	case len(seen) != 0:
		t.Error("a refused request was passed on")
	case h.Get("X-Remote-User") != "alice", h.Get("X-Remote-Uid") != "7", h.Get("Authorization") != "",
		!slices.Equal(groups, []string{"system:authenticated", "dev"}), !slices.Equal(extra, []string{"a", "b"}),
		h.Get("X-Remote-Extra-K") != "":
		t.Errorf("the other server gets %v", h)
	}
}

// TestRun follows registrations in a store and writes their conditions.
func TestRun(t *testing.T) {
	t.Parallel()
	f := newFront(t, map[string]http.RoundTripper{"fleet": fleet(t).Transport()})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx, f.server.Client()) }()
	registrations := client.Of[v1alpha1.APIService](f.server.Client())
	if _, err := registrations.Create(t.Context(), fleetService("http://fleet")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the conditions are written", func() bool {
		s, err := registrations.Get(t.Context(), "v1.fleet.example.com")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Status.Conditions {
			if c.Type == v1alpha1.ConditionAvailable && c.Status == metav1.ConditionTrue &&
				!c.LastTransitionTime.IsZero() {
				return len(s.Status.Conditions) == 2
			}
		}
		return false
	})
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	if err := registrations.Delete(t.Context(), "v1.fleet.example.com"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the group is gone", func() bool {
		code, _, _ := f.do(t, "GET", machines, "")
		return code == http.StatusNotFound
	})
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Run ended with %v", err)
	}
}
