package clientconformance_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/askind/askind/httpapi"
	askindcore "github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/meta"
	askindmeta "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// server serves the pods of k8s.io/api, by the functions that were generated for them.
type server struct {
	*httptest.Server
	api  *httpapi.API
	kind *runtime.Kind
	gr   schema.GroupResource

	mu       sync.Mutex
	version  uint64
	oldest   uint64 // the version from which on a watch may go on
	pods     []*corev1.Pod
	changes  []change
	watchers map[chan serializer.Event]string
	requests []string // what was asked for, as method, query and Accept header
}

type change struct {
	version   uint64
	namespace string
	event     serializer.Event
}

func newServer(t *testing.T) *server {
	t.Helper()
	scheme, err := runtime.NewScheme(askindcore.AddTo, askindmeta.AddTo, askindmeta.AddViewsTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		api: httpapi.New(f, httpapi.Settings{Compact: true, Gzip: true}),
		gr:  schema.GroupResource{Resource: "pods"}, watchers: map[chan serializer.Event]string{},
	}
	if s.kind, err = scheme.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/api/v1/pods", "/api/v1/namespaces/{namespace}/pods"} {
		mux.Handle(path, s.api.Handler(s.collection))
	}
	mux.Handle("/api/v1/namespaces/{namespace}/pods/{name}", s.api.Handler(s.object))
	mux.Handle("/", s.api.Handler(func(_ http.ResponseWriter, r *http.Request) error {
		return askindmeta.Failure(askindmeta.StatusReasonNotFound, "nothing is at "+r.URL.Path)
	}))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RawQuery+" "+r.Header.Get("Accept"))
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// asked returns the requests that were sent so far.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *server) collection(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost {
		return s.create(w, r)
	}
	x, err := s.api.Begin(w, r, httpapi.Offer{Kind: s.kind.ListKind().GroupVersionKind()})
	if err != nil {
		return err
	}
	namespace := r.PathValue("namespace")
	switch x.Verb() {
	case "list":
		list := &corev1.PodList{}
		s.mu.Lock()
		list.ResourceVersion = strconv.FormatUint(s.version, 10)
		for _, p := range s.pods {
			if namespace == "" || p.Namespace == namespace {
				list.Items = append(list.Items, *p)
			}
		}
		s.mu.Unlock()
		return x.Respond(http.StatusOK, list)
	case "watch":
		return x.Watch(func(ctx context.Context, from httpapi.WatchStart) (*httpapi.Changes, error) {
			return s.watch(ctx, namespace, from)
		})
	}
	return askindmeta.MethodNotAllowed(s.gr, x.Verb())
}

func (s *server) watch(ctx context.Context, namespace string, from httpapi.WatchStart) (*httpapi.Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := make(chan serializer.Event, 10000)
	out := &httpapi.Changes{ResourceVersion: strconv.FormatUint(s.version, 10), Events: events}
	if from.Initial {
		present := slices.Clone(s.pods)
		out.Initial = func(yield func(runtime.Object, error) bool) {
			for _, p := range present {
				if (namespace == "" || p.Namespace == namespace) && !yield(p, nil) {
					return
				}
			}
		}
	} else if from.ResourceVersion != "" {
		after, err := strconv.ParseUint(from.ResourceVersion, 10, 64)
		if err != nil {
			return nil, askindmeta.BadRequest("resourceVersion: " + err.Error())
		}
		if after < s.oldest {
			return nil, askindmeta.Failure(askindmeta.StatusReasonExpired, "the version is too old")
		}
		for _, c := range s.changes {
			if c.version > after && (namespace == "" || c.namespace == namespace) {
				events <- c.event
			}
		}
	}
	s.watchers[events] = namespace
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, events)
	})
	return out, nil
}

func (s *server) watching() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers)
}

func (s *server) create(w http.ResponseWriter, r *http.Request) error {
	x, err := s.api.Begin(w, r, httpapi.Offer{Kind: s.kind.GroupVersionKind()})
	if err != nil {
		return err
	}
	pod, err := httpapi.ReadBody[corev1.Pod](x, serializer.DecodeOptions{})
	if err != nil {
		return err
	}
	if pod.Name == "" {
		return askindmeta.Invalid(s.kind.GroupVersionKind().GroupKind(), "",
			runtime.FieldErrors{runtime.Required(schema.NewPath("metadata", "name"), "a pod has a name")})
	}
	pod.Namespace = r.PathValue("namespace")
	if _, ok := s.find(pod.Namespace, pod.Name); ok {
		return askindmeta.AlreadyExists(s.gr, pod.Name)
	}
	s.store(pod, askindmeta.WatchAdded)
	return x.Respond(http.StatusCreated, pod)
}

func (s *server) object(w http.ResponseWriter, r *http.Request) error {
	x, err := s.api.Begin(w, r, httpapi.Offer{Kind: s.kind.GroupVersionKind()})
	if err != nil {
		return err
	}
	pod, ok := s.find(r.PathValue("namespace"), r.PathValue("name"))
	if !ok {
		return askindmeta.NotFound(s.gr, r.PathValue("name"))
	}
	switch x.Verb() {
	case "get":
		return x.Respond(http.StatusOK, pod)
	case "update":
		next, err := httpapi.ReadBody[corev1.Pod](x, serializer.DecodeOptions{})
		if err != nil {
			return err
		}
		if next.ResourceVersion != "" && next.ResourceVersion != pod.ResourceVersion {
			return askindmeta.Conflict(s.gr, pod.Name, &askindmeta.PreconditionError{
				Field: "resourceVersion",
				Want:  next.ResourceVersion, Got: pod.ResourceVersion,
			})
		}
		s.store(next, askindmeta.WatchModified)
		return x.Respond(http.StatusOK, next)
	case "delete":
		o, err := httpapi.ReadOptions[askindmeta.DeleteOptions](x)
		if err != nil {
			return err
		}
		if p := o.Preconditions; p != nil && p.ResourceVersion != nil && *p.ResourceVersion != pod.ResourceVersion {
			return askindmeta.Conflict(s.gr, pod.Name, nil)
		}
		s.store(pod.DeepCopy(), askindmeta.WatchDeleted)
		return x.Respond(http.StatusOK, askindmeta.Success())
	}
	return askindmeta.MethodNotAllowed(s.gr, x.Verb())
}

func (s *server) find(namespace, name string) (*corev1.Pod, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(namespace, name)
	if i < 0 {
		return nil, false
	}
	return s.pods[i], true
}

func (s *server) index(namespace, name string) int {
	return slices.IndexFunc(s.pods, func(p *corev1.Pod) bool { return p.Namespace == namespace && p.Name == name })
}

// store makes a change.
func (s *server) store(pod *corev1.Pod, eventType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.ResourceVersion = strconv.FormatUint(s.version, 10)
	i := s.index(pod.Namespace, pod.Name)
	switch {
	case eventType == askindmeta.WatchDeleted:
		s.pods = slices.Delete(slices.Clone(s.pods), i, i+1)
	case i < 0:
		s.pods = append(slices.Clone(s.pods), pod)
	default:
		s.pods = slices.Clone(s.pods)
		s.pods[i] = pod
	}
	s.tell(change{s.version, pod.Namespace, serializer.Event{Type: eventType, Object: serializer.NewCached(pod)}})
}

// tell sends a change to all watchers. The lock is held.
func (s *server) tell(c change) {
	s.changes = append(s.changes, c)
	for w, namespace := range s.watchers {
		if namespace == "" || namespace == c.namespace {
			w <- c.event
		}
	}
}

// bookmark tells all watchers the version.
func (s *server) bookmark(t *testing.T) {
	t.Helper()
	obj := s.kind.New()
	m, err := meta.Accessor(s.kind, obj)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	m.ResourceVersion = strconv.FormatUint(s.version, 10)
	s.tell(change{s.version, "", serializer.Event{Type: askindmeta.WatchBookmark, Object: obj}})
}

// forget ends all watches and makes all versions too old to go on from.
func (s *server) forget() {
	s.mu.Lock()
	s.version++
	s.oldest = s.version
	s.changes = nil
	s.mu.Unlock()
	s.CloseClientConnections()
}

// eventually waits for something that is to come by itself.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}
