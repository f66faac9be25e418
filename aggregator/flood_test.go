package aggregator_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
)

// groupJSON returns a Group with one resource.
func groupJSON(name, version, resource string) string {
	return fmt.Sprintf(`{"kind":"Group","apiVersion":"discovery.k8s.io/v1alpha1",`+
		`"metadata":{"name":%q,"resourceVersion":%q},"status":{"versions":[{"name":"v1","resources":[`+
		`{"name":%q,"singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}],`+
		`"serverAddressByClientCIDRs":[]}}`, name, version, resource)
}

// groupsServer answers requests for Groups with list and watch, and others like a server with the
// older documents.
func groupsServer(t *testing.T, list, watch http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/apis/discovery.k8s.io/v1alpha1/groups":
			answerLegacy(w, r, "/apis/wardle.example.com/v1", `{"kind":"APIResourceList","apiVersion":"v1",`+
				`"groupVersion":"wardle.example.com/v1","resources":[`+
				`{"name":"flunders","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}`)
		case r.URL.Query().Get("watch") == "":
			w.Header().Set("Content-Type", "application/json")
			list(w, r)
		default:
			w.Header().Set("Content-Type", "application/json")
			watch(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TestEndlessGroups checks that a server whose list of Groups does not end is asked for its
// documents.
func TestEndlessGroups(t *testing.T) {
	t.Parallel()
	var pages atomic.Int64
	for _, tt := range []struct {
		name string
		list http.HandlerFunc
	}{
		{"no answer", hang},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1","metadata":{},"items":[`)
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}},
		{"page after page", func(w http.ResponseWriter, _ *http.Request) {
			n := pages.Add(1)
			fmt.Fprintf(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1",`+
				`"metadata":{"resourceVersion":"1","continue":"after%d"},"items":[%s]}`, n,
				groupJSON(fmt.Sprintf("g%d.example.com", n), "1", "flunders"))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			behind := groupsServer(t, tt.list, hang)
			f := newFrontWith(t, aggregator.Config{Period: time.Hour, ProbeTime: time.Second})
			f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
			f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
		})
	}
}

// TestFloodOfGroups checks that the aggregator takes in the changes of a server that reports them
// without end at a bounded rate, and sees the last one.
func TestFloodOfGroups(t *testing.T) {
	t.Parallel()
	const events = 3000
	behind := groupsServer(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1",`+
			`"metadata":{"resourceVersion":"1"},"items":[%s]}`, groupJSON("wardle.example.com", "1", "flunders"))
	}, func(w http.ResponseWriter, r *http.Request) {
		for i := range events {
			resource := "flunders"
			if i == events-1 {
				resource = "lasts"
			}
			fmt.Fprintf(w, "{\"type\":\"MODIFIED\",\"object\":%s}\n", groupJSON("wardle.example.com", fmt.Sprint(i+2), resource))
		}
		_ = http.NewResponseController(w).Flush()
		hang(w, r)
	})
	f := newFrontWith(t, aggregator.Config{Period: time.Hour})
	changes, began := 0, time.Now()
	changed := f.Changed()
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	for {
		if _, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", ""); strings.Contains(body, `"lasts"`) {
			break
		}
		select {
		case <-changed:
			changes++
			changed = f.Changed()
		case <-time.After(time.Minute):
			t.Fatal("the last change is not seen")
		}
	}
	if most := 5 + int(time.Since(began)/(100*time.Millisecond)); changes > most {
		t.Errorf("%d changes for %d events, want at most %d", changes, events, most)
	}
}

// TestHangingServer checks that a server that hangs while it keeps the watch of its Groups open
// counts as unavailable, and as available when it answers again.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	var hanging atomic.Bool
	child := fleet(t)
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hanging.Load() {
			hang(w, r)
			return
		}
		child.ServeHTTP(w, r)
	}))
	t.Cleanup(behind.Close)
	f := newFrontWith(t, aggregator.Config{Period: 50 * time.Millisecond, ProbeTime: 500 * time.Millisecond})
	f.Set(fleetService(behind.URL))
	for range 2 {
		f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
		hanging.Store(true)
		f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
		if _, _, body := f.do(t, "GET", "/apis", "", "Accept",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0"); !strings.Contains(body, "Stale") {
			t.Errorf("the resources of a server that hangs are not stale: %.500s", body)
		}
		hanging.Store(false)
	}
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
}

// TestRemovedServerIsLeft checks that the watch of a server ends when its registration is removed.
func TestRemovedServerIsLeft(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	behind := groupsServer(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1",`+
			`"metadata":{"resourceVersion":"1"},"items":[%s]}`, groupJSON("wardle.example.com", "1", "flunders"))
	}, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		hang(w, r)
		ended <- struct{}{}
	})
	f := newFrontWith(t, aggregator.Config{Period: time.Hour, ProbeTime: time.Minute})
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	wait := func(c chan struct{}, what string) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(2 * time.Minute):
			t.Fatalf("the watch has not %s", what)
		}
	}
	wait(begun, "begun")
	f.Set()
	wait(ended, "ended")
}

// TestBrokenWatchOfGroups breaks the watch of Groups of a server that goes on to answer. The server
// stays available, and what it has changed meanwhile is seen. A watch that breaks again and again
// does not make the aggregator list without pause.
func TestBrokenWatchOfGroups(t *testing.T) {
	t.Parallel()
	var lists atomic.Int32
	var breaks atomic.Bool
	broken := make(chan struct{})
	behind := groupsServer(t, func(w http.ResponseWriter, _ *http.Request) {
		resource := "flunders"
		if lists.Add(1) > 1 {
			resource = "others"
		}
		fmt.Fprintf(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1",`+
			`"metadata":{"resourceVersion":"1"},"items":[%s]}`, groupJSON("wardle.example.com", "1", resource))
	}, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		if !breaks.Load() {
			select {
			case <-broken:
			case <-r.Context().Done():
			}
		}
		panic(http.ErrAbortHandler)
	})
	f := newFrontWith(t, aggregator.Config{Period: time.Hour})
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	began := time.Now()
	breaks.Store(true)
	close(broken)
	eventually(t, "the change shows", func() bool {
		_, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", "")
		return strings.Contains(body, `"others"`)
	})
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	time.Sleep(700 * time.Millisecond)
	if n, most := int(lists.Load()), 4+int(time.Since(began)/(300*time.Millisecond)); n > most {
		t.Errorf("%d lists in %v, want at most %d", n, time.Since(began), most)
	}
}

// TestServerThatStartsLater registers a server that does not accept connections yet. It is found
// soon after it does, without waiting for a period.
func TestServerThatStartsLater(t *testing.T) {
	t.Parallel()
	var started atomic.Bool
	child := fleet(t).Transport()
	f := newFrontWith(t, aggregator.Config{
		Period: time.Hour, Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper {
			return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
				if !started.Load() {
					return nil, errors.New("connection refused")
				}
				return child.RoundTrip(r)
			})
		},
	})
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	started.Store(true)
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
}

// roundTripperFunc is a function as an [http.RoundTripper].
type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestProbes checks which answers to the probes of a server with Groups mean that it is available:
// all but server errors, because it may refuse what the aggregator asks for.
func TestProbes(t *testing.T) {
	t.Parallel()
	var code, probes atomic.Int32
	code.Store(http.StatusForbidden)
	child := fleet(t)
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/apis" {
			w.WriteHeader(int(code.Load()))
			probes.Add(1)
			return
		}
		child.ServeHTTP(w, r)
	}))
	t.Cleanup(behind.Close)
	f := newFrontWith(t, aggregator.Config{Period: 20 * time.Millisecond})
	f.Set(fleetService(behind.URL))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	eventually(t, "the server has been probed", func() bool {
		if got := f.condition("v1.fleet.example.com", v1alpha1.ConditionAvailable); got != "True Answers" {
			t.Fatalf("after %d refusals: %s", probes.Load(), got)
		}
		return probes.Load() > 5
	})
	code.Store(http.StatusInternalServerError)
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	code.Store(http.StatusForbidden)
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
}

// TestChangeBesideFailure changes the core group of a server at a moment when its other groups
// cannot be read. The change is learned, although neither document changes afterwards.
func TestChangeBesideFailure(t *testing.T) {
	t.Parallel()
	const document = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{` +
		`"metadata":{"name":%q},"versions":[{"version":"v1","resources":[{"resource":%q,"scope":"Namespaced",` +
		`"verbs":["get"],"responseKind":{"group":"","version":"","kind":"Part"}}]}]}]}`
	var changed, seen, failed atomic.Bool
	server := handler(func(w http.ResponseWriter, r *http.Request) {
		group, resource := "", "nuts"
		switch {
		case r.URL.Path == "/api" && changed.Load():
			resource = "bolts"
			seen.Store(true)
		case r.URL.Path == "/api":
		case r.URL.Path != "/apis":
			answerLegacy(w, r, "", "")
			return
		case seen.Load() && failed.CompareAndSwap(false, true):
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		default:
			group, resource = "tools.example.com", "hammers"
		}
		tag := `"` + resource + `"`
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Etag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, document, group, resource)
	})
	f := newFront(t, map[string]http.RoundTripper{"kube": server})
	f.Set(service("v1", "http://kube", "", "v1"), service("tools", "http://kube", "tools.example.com", "v1"))
	f.waitFor(t, "v1", v1alpha1.ConditionAvailable, "True Answers")
	changed.Store(true)
	eventually(t, "the changed resource is shown", func() bool {
		_, _, body := f.do(t, "GET", "/api/v1", "")
		return strings.Contains(body, `"bolts"`)
	})
	if !failed.Load() {
		t.Error("the other groups could be read")
	}
}

// TestUnchangedDocument checks that nothing is rebuilt while a server answers that its document has
// not changed.
func TestUnchangedDocument(t *testing.T) {
	t.Parallel()
	var unchanged atomic.Int32
	kube := coreGroup(true)
	counted := roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		resp, err := kube.RoundTrip(r)
		if err == nil && resp.StatusCode == http.StatusNotModified {
			unchanged.Add(1)
		}
		return resp, err
	})
	f := newFront(t, map[string]http.RoundTripper{"kube": counted})
	f.Set(service("v1", "http://kube", "", "v1"))
	f.waitFor(t, "v1", v1alpha1.ConditionAvailable, "True Answers")
	eventually(t, "the document is unchanged", func() bool { return unchanged.Load() > 0 })
	f.do(t, "GET", "/apis", "") // until then the documents of the front may be missing
	changed := f.Changed()
	eventually(t, "the document is still unchanged", func() bool { return unchanged.Load() > 4 })
	select {
	case <-changed:
		t.Error("the registrations or the resources have changed")
	default:
	}
}
