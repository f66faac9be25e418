package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/wire/jsonwire"
)

// serve starts a server for a test.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

// watch is a client of one watch.
type watch struct {
	*serializer.EventReader
	resp   *http.Response
	cancel context.CancelFunc
}

// Next returns the next event, or [io.EOF].
func (w *watch) Next() (serializer.Event, error) {
	for event, err := range w.All() {
		return event, err
	}
	return serializer.Event{}, io.EOF
}

// open sends a request for a watch, which times out after a while.
func open(t *testing.T, f *serializer.Factory, url, accept string) *watch {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		resp.Body.Close()
	})
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s\n%s", resp.Status, body)
	}
	e, err := serializer.NewEventReader(resp.Body, f,
		serializer.DecodeOptions{MediaType: resp.Header.Get("Content-Type")})
	if err != nil {
		t.Fatal(err)
	}
	return &watch{EventReader: e, resp: resp, cancel: cancel}
}

// describe formats an event in one line.
func describe(e serializer.Event) string {
	s := e.Type + " "
	switch o := e.Object.(type) {
	case *corev1.Pod:
		return s + o.APIVersion + " " + o.Kind + " " + about(&o.ObjectMeta)
	case *metav1.PartialObjectMetadata:
		return s + o.APIVersion + " " + o.Kind + " " + about(&o.ObjectMeta)
	case *corev1.ReplicaSet:
		return s + o.APIVersion + " " + o.Kind + " " + about(&o.ObjectMeta)
	case *metav1.Table:
		s += fmt.Sprintf("%s %s, %d columns:", o.APIVersion, o.Kind, len(o.ColumnDefinitions))
		for i := range o.Rows {
			var m metav1.PartialObjectMetadata
			if r := jsonwire.NewReader(o.Rows[i].Object.Raw, jsonwire.Options{}); len(o.Rows[i].Object.Raw) > 0 {
				metav1.DecodeJSONPartialObjectMetadata(r, &m)
				s += " " + about(&m.ObjectMeta)
			} else {
				s += fmt.Sprintf(" %v", o.Rows[i].Cells[0])
			}
		}
		return s
	case *metav1.Status:
		return s + o.APIVersion + " " + o.Kind + " " + o.Message
	}
	return s + fmt.Sprintf("%T", e.Object)
}

func about(m *metav1.ObjectMeta) string {
	return m.Name + "@" + m.ResourceVersion + strings.Repeat(" marked", min(len(m.Annotations), 1))
}

// want reads events and compares them.
func (w *watch) want(t *testing.T, lines ...string) {
	t.Helper()
	for _, want := range lines {
		e, err := w.Next()
		if err != nil {
			t.Fatalf("want %s, got %v", want, err)
		}
		if got := describe(e); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func (w *watch) wantEnd(t *testing.T) {
	t.Helper()
	if e, err := w.Next(); err != io.EOF {
		t.Errorf("after the end: %s, %v", describe(e), err)
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "example",
		CreationTimestamp: metav1.NewTime(noon.Add(-time.Minute)),
	}, Status: corev1.PodStatus{Phase: "Pending"}}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query, accept string
		contentType         string
		first, then         []string
	}{
		{
			"objects that are there, then changes", "", "application/json", "application/json",
			[]string{"ADDED v1 Pod a@12"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"from any version", "&resourceVersion=0", "*/*", "application/json",
			[]string{"ADDED v1 Pod a@12"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"from a version on", "&resourceVersion=14", "application/json", "application/json", nil,
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"changes only", "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "application/json",
			"application/json", nil,
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"initial events", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
			"application/json", "application/json",
			[]string{"ADDED v1 Pod a@12", "BOOKMARK v1 Pod @14 marked"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"yaml", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "application/yaml",
			"application/yaml;stream=watch",
			[]string{"ADDED v1 Pod a@12", "BOOKMARK v1 Pod @14 marked"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"protobuf", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch",
			[]string{"ADDED v1 Pod a@12", "BOOKMARK v1 Pod @14 marked"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"metadata", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
			"application/vnd.kubernetes.protobuf;g=meta.k8s.io;v=v1;as=PartialObjectMetadata;stream=watch",
			[]string{
				"ADDED meta.k8s.io/v1 PartialObjectMetadata a@12",
				"BOOKMARK meta.k8s.io/v1 PartialObjectMetadata @14 marked",
			},
			[]string{"ADDED meta.k8s.io/v1 PartialObjectMetadata b@15"},
		},
		{
			"tables have columns once", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;g=meta.k8s.io;v=v1;as=Table",
			[]string{
				"ADDED meta.k8s.io/v1 Table, 3 columns: a@12",
				"BOOKMARK meta.k8s.io/v1 Table, 0 columns: @14 marked",
			},
			[]string{"ADDED meta.k8s.io/v1 Table, 0 columns: b@15"},
		},
		{
			"tables without objects, but for bookmarks",
			"&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&includeObject=None", "application/json;as=Table",
			"application/json;g=meta.k8s.io;v=v1;as=Table",
			[]string{
				"ADDED meta.k8s.io/v1 Table, 3 columns: a",
				"BOOKMARK meta.k8s.io/v1 Table, 0 columns: @14 marked",
			},
			[]string{"ADDED meta.k8s.io/v1 Table, 0 columns: b"},
		},
		{
			"exports keep the metadata of bookmarks", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"application/json;export=1", "application/json;export=1",
			[]string{
				"ADDED v1 Pod a@",
				"BOOKMARK v1 Pod @14 marked",
			},
			[]string{"ADDED v1 Pod b@"},
		},
		{
			"never for people", "&pretty=1", "application/json;pretty=1", "application/json",
			[]string{"ADDED v1 Pod a@12"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"a format without frames falls to the next", "", "text/csv, application/json;q=0.5", "application/json",
			[]string{"ADDED v1 Pod a@12"},
			[]string{"ADDED v1 Pod b@15"},
		},
		{
			"options of another version", "&apiVersion=meta.k8s.io/v2&rv=14", "application/json",
			"application/json", nil,
			[]string{"ADDED v1 Pod b@15"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, httpapi.Settings{})
			srv := serve(t, c.handler())
			w := open(t, c.api.Factory(), srv.URL+"/api/v1/namespaces/example/pods?watch=true"+tt.query, tt.accept)
			if got := w.resp.Header.Get("Content-Type"); got != tt.contentType {
				t.Errorf("the Content-Type is %s", got)
			}
			if got := w.resp.Header.Get("Vary"); got != "Accept" {
				t.Errorf("Vary is %q", got)
			}
			w.want(t, tt.first...)
			c.add(t, pod("b"))
			w.want(t, tt.then...)
			if n := c.watching(); n != 1 {
				t.Errorf("%d watches", n)
			}
			w.cancel()
			eventually(t, "the watch ends when the client leaves", func() bool { return c.watching() == 0 })
		})
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// TestWatchFramesAreLines checks that the wire format has one object per line, whatever formatting
// the client requests.
func TestWatchFramesAreLines(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	srv := serve(t, c.handler())
	w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1&pretty=1&timeoutSeconds=3", "application/json;pretty=1")
	body, err := io.ReadAll(w.resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(body), "\n")
	if len(lines) != 2 || lines[1] != "" ||
		!strings.HasPrefix(lines[0], `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",`) {
		t.Errorf("got %q", lines)
	}
}

// TestWatchEnds tests every way in which a watch can end.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	t.Run("timeoutSeconds", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, httpapi.Settings{})
		srv := serve(t, c.handler())
		began := time.Now()
		w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1&timeoutSeconds=3", "application/json")
		w.want(t, "ADDED v1 Pod a@12")
		w.wantEnd(t)
		if took := time.Since(began); took < 2900*time.Millisecond || took > time.Minute {
			t.Errorf("the watch took %v", took)
		}
		eventually(t, "the source is told", func() bool { return c.watching() == 0 })
	})
	t.Run("timeoutSeconds of 0, which is no limit", func(t *testing.T) {
		t.Parallel()
		limited := make(chan bool, 1)
		events := make(chan serializer.Event)
		close(events)
		start := func(ctx context.Context, _ httpapi.WatchStart) (*httpapi.Changes, error) {
			_, ok := ctx.Deadline()
			limited <- ok
			return &httpapi.Changes{Events: events}, nil
		}
		srv, f := podServer(t, httpapi.Settings{}, start)
		open(t, f, srv.URL+"?watch=1&resourceVersion=5&timeoutSeconds=0", "application/json").wantEnd(t)
		if <-limited {
			t.Error("the watch has a deadline")
		}
	})
	t.Run("the source", func(t *testing.T) {
		t.Parallel()
		events := make(chan serializer.Event, 1)
		events <- serializer.Event{Type: metav1.WatchAdded, Object: pod("x")}
		close(events)
		srv, f := podServer(t, httpapi.Settings{}, func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
			return &httpapi.Changes{Events: events}, nil
		})
		w := open(t, f, srv.URL+"?watch=1&resourceVersion=5", "application/json")
		w.want(t, "ADDED v1 Pod x@")
		w.wantEnd(t)
	})
	t.Run("an ERROR event", func(t *testing.T) {
		t.Parallel()
		events := make(chan serializer.Event, 3)
		gone := metav1.Failure(metav1.StatusReasonExpired, "too slow").Status
		for _, e := range []serializer.Event{
			{Type: metav1.WatchAdded, Object: pod("x")},
			{Type: metav1.WatchError, Object: &gone},
			{Type: metav1.WatchAdded, Object: pod("y")},
		} {
			events <- e
		}
		srv, f := podServer(t, httpapi.Settings{}, func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
			return &httpapi.Changes{Events: events}, nil
		})
		w := open(t, f, srv.URL+"?watch=1&resourceVersion=5", "application/json;as=PartialObjectMetadata")
		w.want(t, "ADDED meta.k8s.io/v1 PartialObjectMetadata x@", "ERROR v1 Status too slow")
		w.wantEnd(t)
	})
	t.Run("initial objects that cannot be read", func(t *testing.T) {
		t.Parallel()
		var logged atomic.Value
		s := httpapi.Settings{Log: func(_ *http.Request, err error) { logged.Store(err) }}
		srv, f := podServer(t, s, func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
			return &httpapi.Changes{Initial: func(yield func(runtime.Object, error) bool) {
				_ = yield(pod("x"), nil) &&
					yield(nil, errTest)
			}}, nil
		})
		w := open(t, f, srv.URL+"?watch=1", "application/json")
		w.want(t, "ADDED v1 Pod x@")
		e, err := w.Next()
		if err != nil || e.Type != metav1.WatchError {
			t.Fatalf("got %s, %v", describe(e), err)
		}
		message := e.Object.(*metav1.Status).Message
		_, reference, found := strings.Cut(message, "internal error; the reference in the log of the server is ")
		if !found || strings.Contains(message, errTest.Error()) {
			t.Fatalf("the client sees %s", message)
		}
		w.wantEnd(t)
		err, ok := logged.Load().(error)
		if !ok || !errors.Is(err, errTest) || !strings.Contains(err.Error(), reference) {
			t.Errorf("logged: %v, without the reference %s", err, reference)
		}
	})
	t.Run("the server", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, httpapi.Settings{})
		base, stop := context.WithCancel(t.Context())
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(base, cancel)()
			c.handler().ServeHTTP(w, r.WithContext(ctx))
		}))
		srv.Start()
		t.Cleanup(srv.Close)
		w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1", "application/json")
		w.want(t, "ADDED v1 Pod a@12")
		stop()
		w.wantEnd(t)
	})
	t.Run("timeouts of the server do not", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, httpapi.Settings{})
		srv := httptest.NewUnstartedServer(c.handler())
		srv.Config.ReadTimeout, srv.Config.WriteTimeout = 2*time.Second, 2*time.Second
		srv.Start()
		t.Cleanup(srv.Close)
		w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1", "application/json")
		w.want(t, "ADDED v1 Pod a@12")
		time.Sleep(2500 * time.Millisecond)
		c.add(t, pod("b"))
		w.want(t, "ADDED v1 Pod b@15")
	})
	t.Run("a client that does not read", func(t *testing.T) {
		if testing.Short() {
			t.Skip("waits for a deadline of some seconds")
		}
		t.Parallel()
		f := newFactory(t)
		api := httpapi.New(f, httpapi.Settings{})
		returned := make(chan struct{})
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
			if err != nil {
				return err
			}
			defer close(returned)
			return x.Watch(func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
				large := pod(strings.Repeat("x", 1<<20))
				return &httpapi.Changes{Initial: func(yield func(runtime.Object, error) bool) {
					for yield(large, nil) {
					}
				}}, nil
			})
		})
		open(t, f, serve(t, h).URL+"?watch=1&timeoutSeconds=1", "application/json")
		select {
		case <-returned:
		case <-time.After(time.Minute):
			t.Error("the watch is held open")
		}
	})
}

// podServer serves a watch of pods.
func podServer(t *testing.T, s httpapi.Settings, start func(context.Context, httpapi.WatchStart) (*httpapi.Changes,
	error),
) (*httptest.Server, *serializer.Factory) {
	t.Helper()
	f := newFactory(t)
	api := httpapi.New(f, s)
	return serve(t, api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
		if err != nil {
			return err
		}
		return x.Watch(start)
	})), f
}

// TestWatchRefused tests requests that are answered with a Status because nothing has been sent
// yet.
func TestWatchRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	none, f := podServer(t, httpapi.Settings{}, func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
		return &httpapi.Changes{Events: make(chan serializer.Event)}, nil
	})
	nothing, _ := podServer(t, httpapi.Settings{}, func(context.Context, httpapi.WatchStart) (*httpapi.Changes,
		error,
	) {
		return nil, nil
	})
	srv := serve(t, c.handler())
	_ = f
	for _, tt := range []struct {
		name, url string
		code      int
		want      string
	}{
		{
			"a version that is too old", srv.URL + "/api/v1/pods?watch=1&resourceVersion=1", http.StatusGone,
			"version 1 is too old",
		},
		{
			"initial events without a match", srv.URL + "/api/v1/pods?watch=1&sendInitialEvents=true",
			http.StatusUnprocessableEntity, "sendInitialEvents requires NotOlderThan",
		},
		{
			"initial events of an exact version",
			srv.URL + "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5",
			http.StatusUnprocessableEntity, `Unsupported value: \"Exact\"`,
		},
		{
			"initial events of a list", srv.URL + "/api/v1/pods?sendInitialEvents=true", http.StatusUnprocessableEntity,
			"allowed only on watches",
		},
		{
			"a match for nothing", srv.URL + "/api/v1/pods?watch=1&resourceVersionMatch=NotOlderThan",
			http.StatusUnprocessableEntity, "not allowed on a watch without sendInitialEvents",
		},
		{
			"unsupported initial events",
			none.URL + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			http.StatusUnprocessableEntity, "sendInitialEvents: Forbidden: not supported here",
		},
		{
			"the present state where there is none", none.URL + "?watch=1", http.StatusUnprocessableEntity,
			"resourceVersion: Forbidden: a watch here begins at a version",
		},
		{
			"nothing to watch", nothing.URL + "?watch=1&resourceVersion=5", http.StatusInternalServerError,
			"internal error",
		},
		{"no watch at all", none.URL + "?watch=0", http.StatusInternalServerError, "internal error"},
		{"a negative time", srv.URL + "/api/v1/pods?watch=1&timeoutSeconds=-9223372036854775808", http.StatusOK, ""},
		{
			"one object", srv.URL + "/api/v1/namespaces/example/pods/a?watch=1&stream=watch", http.StatusOK,
			`"kind": "Pod"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, body := fetch(t, tt.url, "application/json")
			if resp.StatusCode != tt.code || !strings.Contains(body, tt.want) {
				t.Errorf("%s\n%s", resp.Status, body)
			}
			if tt.code != http.StatusOK && object(t, body)["kind"] != "Status" {
				t.Errorf("no Status: %s", body)
			}
		})
	}
	// Negotiation fails before the watch does.
	if resp, body := fetch(t, srv.URL+"/api/v1/pods?watch=1",
		"text/csv"); resp.StatusCode != http.StatusNotAcceptable ||
		!strings.Contains(body, "application/yaml;stream=watch") && !strings.Contains(body, "application/yaml") {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

// fetch sends a request to a server.
func fetch(t *testing.T, url, accept string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestWatchStart tests each combination of options.
func TestWatchStart(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                     "initial=true marked=false version= bookmarks=false",
		"&resourceVersion=0":   "initial=true marked=false version= bookmarks=false",
		"&resourceVersion=7":   "initial=false marked=false version=7 bookmarks=false",
		"&allowWatchBookmarks": "initial=true marked=false version= bookmarks=true",
		"&sendInitialEvents&resourceVersionMatch=NotOlderThan":                     "initial=true marked=true version= bookmarks=false",
		"&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&resourceVersion=7": "initial=true marked=true version=7 bookmarks=false",
		"&sendInitialEvents=0&resourceVersionMatch=NotOlderThan":                   "initial=false marked=false version= bookmarks=false",
		"&sendInitialEvents=0&resourceVersionMatch=NotOlderThan&resourceVersion=7": "initial=false marked=false version=7 bookmarks=false",
	} {
		var got string
		srv, _ := podServer(t, httpapi.Settings{}, func(_ context.Context, from httpapi.WatchStart) (*httpapi.Changes,
			error,
		) {
			got = fmt.Sprintf("initial=%t marked=%t version=%s bookmarks=%t", from.Initial, from.Marked,
				from.ResourceVersion, from.Bookmarks)
			return nil, metav1.BadRequest("enough")
		})
		fetch(t, srv.URL+"?watch=1"+query, "application/json")
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestWatchersShareEncodings sends one event to many watchers, which encode it once for each form.
func TestWatchersShareEncodings(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	// with the clock of each call, so that ages do not part the forms
	c.api = httpapi.New(c.api.Factory(), httpapi.Settings{})
	srv := serve(t, c.handler())
	accepts := []string{"application/json", "application/json;as=Table", "application/yaml"}
	var all []*watch
	for i := range 9 {
		w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1&resourceVersion=14", accepts[i%3])
		all = append(all, w)
	}
	eventually(t, "all are watching", func() bool { return c.watching() == 9 })
	c.add(t, pod("b"))
	for i, w := range all {
		want := []string{"ADDED v1 Pod b@15", "ADDED meta.k8s.io/v1 Table, 3 columns: b@15", "ADDED v1 Pod b@15"}[i%3]
		w.want(t, want)
	}
}

// TestHeadOfAWatch requests only the headers.
func TestHeadOfAWatch(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	resp, body := ask(t, c.handler(), http.MethodHead, "/api/v1/pods?watch=1", "", "Accept", "application/yaml")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/yaml;stream=watch" ||
		body != "" {
		t.Errorf("%s %s %q", resp.Status, resp.Header, body)
	}
	eventually(t, "it is still watched", func() bool { return c.watching() == 0 })
}

// TestWatchLeavesNoGoroutines opens and closes many watches. It is not parallel because it counts
// the goroutines of the whole process.
func TestWatchLeavesNoGoroutines(t *testing.T) {
	c := newCluster(t, httpapi.Settings{})
	srv := httptest.NewServer(c.handler())
	defer srv.Close()
	before := goruntime.NumGoroutine()
	for range 20 {
		w := open(t, c.api.Factory(), srv.URL+"/api/v1/pods?watch=1", "application/json")
		w.want(t, "ADDED v1 Pod a@12")
		w.cancel()
	}
	eventually(t, "goroutines are left", func() bool {
		http.DefaultClient.CloseIdleConnections()
		return c.watching() == 0 && goruntime.NumGoroutine() <= before+2
	})
}

// TestInitialEventsThenChanges creates objects while watches begin: each watch sees each object
// once, and the bookmark separates existing objects from changes.
func TestInitialEventsThenChanges(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	srv := serve(t, c.handler())
	made := make(chan struct{})
	go func() {
		defer close(made)
		for i := range 50 {
			if err := c.put(pod("p" + strconv.Itoa(i))); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 5 {
		w := open(t, c.api.Factory(), srv.URL+
			"/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "application/json")
		var seen []string
		mark := 0
		for len(seen) < 51 || mark == 0 {
			e, err := w.Next()
			if err != nil {
				t.Fatal(err)
			}
			p, ok := e.Object.(*corev1.Pod)
			if !ok {
				t.Fatal(describe(e))
			}
			version, err := strconv.Atoi(p.ResourceVersion)
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == metav1.WatchBookmark {
				mark = version
				continue
			}
			if slices.Contains(seen, p.Name) || mark != 0 && version <= mark {
				t.Errorf("%s behind the mark %d", describe(e), mark)
			}
			seen = append(seen, p.Name)
		}
		w.cancel()
	}
	<-made
}

// TestWatchThroughAnyWriter checks that a writer without flushing and deadlines is sufficient.
func TestWatchThroughAnyWriter(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	rec := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/pods?watch=1&timeoutSeconds=3", nil)
	c.handler().ServeHTTP(struct{ http.ResponseWriter }{rec}, r)
	lines := bufio.NewScanner(rec.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"type":"ADDED"`) || lines.Scan() {
		t.Errorf("got %s", rec.Body)
	}
}

// cancelling is a response that cancels the request when the first event has been written.
type cancelling struct {
	*httptest.ResponseRecorder
	cancel func()
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel()
	return c.ResponseRecorder.Write(p)
}

// busy is a source that has so many events left.
type busy int

func (b *busy) Next(buf []serializer.Event) ([]serializer.Event, error) {
	for ; len(buf) < cap(buf) && *b > 0; *b-- {
		buf = append(buf, serializer.Event{Type: metav1.WatchAdded, Object: pod("a")})
	}
	if *b == 0 {
		return buf, io.EOF
	}
	return buf, nil
}

func (*busy) Wait(context.Context) error { return nil }

// TestWatchEndsAmongEvents checks that a watch whose client is gone ends also if there is always
// another event to send.
func TestWatchEndsAmongEvents(t *testing.T) {
	t.Parallel()
	const many = 1000
	source, events := busy(many), make(chan serializer.Event, many)
	for range many {
		events <- serializer.Event{Type: metav1.WatchAdded, Object: pod("a")}
	}
	for name, changes := range map[string]*httpapi.Changes{
		"objects that are there": {Initial: func(yield func(runtime.Object, error) bool) {
			for range many {
				if !yield(pod("a"), nil) {
					return
				}
			}
		}, Events: make(chan serializer.Event)},
		"a channel": {Initial: func(func(runtime.Object, error) bool) {}, Events: events},
		"a source":  {Initial: func(func(runtime.Object, error) bool) {}, Source: &source},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := httpapi.New(newFactory(t), httpapi.Settings{})
			h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
				x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
				if err != nil {
					return err
				}
				return x.Watch(func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
					return changes, nil
				})
			})
			ctx, cancel := context.WithCancel(t.Context())
			w := &cancelling{httptest.NewRecorder(), cancel}
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?watch=1", nil))
			if n := strings.Count(w.Body.String(), "\n"); n == 0 || n > 100 {
				t.Errorf("%d events are written", n)
			}
		})
	}
}

// TestLongTimeoutOfAWatch checks that a watch that is to last longer than there is a duration for
// does not end at once.
func TestLongTimeoutOfAWatch(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
		if err != nil {
			return err
		}
		return x.Watch(func(ctx context.Context, _ httpapi.WatchStart) (*httpapi.Changes, error) {
			if end, ok := ctx.Deadline(); ok && time.Until(end) < 1000*time.Hour {
				t.Errorf("the watch ends at %v", end)
			}
			return nil, metav1.BadRequest("enough")
		})
	})
	for _, seconds := range []string{"9223372036854775807", "9223372037", "9223372036", ""} {
		ask(t, h, http.MethodGet, "/?watch=1&timeoutSeconds="+seconds, "")
	}
}

// TestBookmarkOfUntypedItems checks that a watch of a list with items of any kind, which has no
// kind for the bookmark, fails before the stream begins.
func TestBookmarkOfUntypedItems(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	api := httpapi.New(f, httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: schema.GroupVersionKind{Version: "v1", Kind: "List"}})
		if err != nil {
			return err
		}
		return x.Watch(func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
			return &httpapi.Changes{Initial: func(func(runtime.Object, error) bool) {}}, nil
		})
	})
	resp, body := ask(t, h, http.MethodGet, "/?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan", "")
	if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "internal error") {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

// script is an event source that returns its events one batch at a time.
type script struct {
	batches [][]serializer.Event
	err     error // after the events; nil to wait for the client to disconnect
	waited  int
}

func (s *script) Next(buf []serializer.Event) ([]serializer.Event, error) {
	if s.waited == 0 || len(s.batches) == 0 {
		if len(s.batches) == 0 {
			return buf, s.err
		}
		return buf, nil
	}
	buf = append(buf, s.batches[0]...)
	s.batches = s.batches[1:]
	return buf, nil
}

func (s *script) Wait(ctx context.Context) error {
	if s.waited++; s.waited == 1 {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestWatchPullsFromASource(t *testing.T) {
	t.Parallel()
	added := func(name, version string) serializer.Event {
		p := pod(name)
		p.ResourceVersion = version
		return serializer.Event{Type: metav1.WatchAdded, Object: p}
	}
	failure := metav1.Failure(metav1.StatusReasonExpired, "too old")
	for _, tt := range []struct {
		name   string
		source script
		want   []string
		leaves bool
	}{
		{"batches, then the end", script{
			batches: [][]serializer.Event{{added("a", "1"), added("b", "2")}, {added("c", "3")}}, err: io.EOF,
		}, []string{"ADDED v1 Pod a@1", "ADDED v1 Pod b@2", "ADDED v1 Pod c@3"}, false},
		{
			"an error becomes an event",
			script{batches: [][]serializer.Event{{added("a", "1")}}, err: failure},
			[]string{"ADDED v1 Pod a@1", "ERROR v1 Status too old"},
			false,
		},
		{
			"an event of the type ERROR is the last",
			script{
				batches: [][]serializer.Event{{{Type: metav1.WatchError, Object: &failure.Status}, added("a", "1")}},
			},
			[]string{"ERROR v1 Status too old"},
			false,
		},
		{
			"the client leaves",
			script{batches: [][]serializer.Event{{added("a", "1")}}},
			[]string{"ADDED v1 Pod a@1"},
			true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			over := make(chan struct{})
			srv, f := podServer(t, httpapi.Settings{}, func(ctx context.Context,
				_ httpapi.WatchStart,
			) (*httpapi.Changes, error) {
				context.AfterFunc(ctx, func() { close(over) })
				return &httpapi.Changes{ResourceVersion: "1", Source: &tt.source}, nil
			})
			w := open(t, f, srv.URL+"?watch=true&resourceVersion=1", "application/json")
			w.want(t, tt.want...)
			if tt.leaves {
				w.cancel()
			} else {
				w.wantEnd(t)
			}
			select {
			case <-over:
			case <-time.After(time.Minute):
				t.Error("the watch goes on")
			}
		})
	}
}
