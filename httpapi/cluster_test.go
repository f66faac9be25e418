package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	extensions "github.com/askind/askind/internal/seedapi/extensions/v1beta1"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	jsonformat "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// statusV2 is a second version of Status, with fewer fields.
type statusV2 struct {
	metav1.TypeMeta
	Text string `json:"text"`
	Code int32  `json:"code"`
}

// listOptionsV2 is a second version of ListOptions, in which the resource version is called rv.
type listOptionsV2 struct {
	metav1.TypeMeta
	RV    string `json:"rv,omitempty"`
	Limit int64  `json:"limit,omitempty"`
	Watch bool   `json:"watch,omitempty"`
}

var metaV2 = schema.GroupVersion{Group: "meta.k8s.io", Version: "v2"}

// addMetaV2 registers a second version of some kinds of meta.k8s.io.
func addMetaV2(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[statusV2]{GroupVersionKind: metaV2.WithKind("Status")}))
	runtime.AddConversion(b, func(in *metav1.Status, out *statusV2, _ *conversion.Scope) error {
		out.Text, out.Code = in.Message, in.Code
		return nil
	}, conversion.Loss{Path: "reason", Reason: "version 2 has a code and a text"})
	runtime.AddConversion(b, func(in *statusV2, out *metav1.Status, _ *conversion.Scope) error {
		out.Message, out.Code = in.Text, in.Code
		return nil
	})
	runtime.AddKind(
		b, reflectjson.Complete(runtime.KindSpec[listOptionsV2]{GroupVersionKind: metaV2.WithKind("ListOptions")}),
	)
	runtime.AddConversion(b, func(in *listOptionsV2, out *metav1.ListOptions, _ *conversion.Scope) error {
		out.ResourceVersion, out.Limit, out.Watch = in.RV, in.Limit, in.Watch
		return nil
	})
	runtime.AddConversion(b, func(in *metav1.ListOptions, out *listOptionsV2, _ *conversion.Scope) error {
		out.RV, out.Limit, out.Watch = in.ResourceVersion, in.Limit, in.Watch
		return nil
	})
}

// noon is the time that the test clocks show.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func ptr[T any](v T) *T { return &v }

func newFactory(t testing.TB, more ...func(*runtime.Builder)) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(append(more, corev1.AddTo, corev1.AddReplicaSetViewTo, extensions.AddTo,
		extensions.AddScaleTo, metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo, addMetaV2)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := scheme.Check(); err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, jsonformat.Format(), yaml.Format(), protobuf.Format(), csv.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// cluster is a server for the examples of the proposal. It stores objects in their storage version.
type cluster struct {
	api     *httpapi.API
	scheme  *runtime.Scheme
	options any // the options of the last request, if they were of a list

	mu       sync.Mutex
	version  uint64
	objects  []runtime.Object // in order of creation
	watchers map[chan serializer.Event]struct{}
}

func newCluster(t testing.TB, s httpapi.Settings) *cluster {
	t.Helper()
	if s.Now == nil {
		s.Now = clock
	}
	f := newFactory(t)
	c := &cluster{
		api: httpapi.New(f, s), scheme: f.Scheme(), version: 9,
		watchers: map[chan serializer.Event]struct{}{},
	}
	// 10
	c.add(t, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "foo"},
		Spec:       corev1.NamespaceSpec{Finalizers: []string{"kubernetes"}},
	})
	c.add(t, &corev1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "test", Namespace: "example", UID: "u-1"},
		Spec: corev1.ReplicaSetSpec{
			Replicas: ptr(int32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "test"}},
		},
		Status: corev1.ReplicaSetStatus{Replicas: 1, Selector: "app=test"},
	})
	c.add(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", Namespace: "example", Labels: map[string]string{"app": "test"},
			CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour)),
		},
		Spec:   corev1.PodSpec{NodeName: "node-1", RestartPolicy: "Always"},
		Status: corev1.PodStatus{Phase: "Running"},
	})
	c.add(t, &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "old", Namespace: "example"},
		Spec: corev1.ReplicationControllerSpec{
			Replicas: ptr(int32(3)),
			Selector: map[string]string{"app": "old"},
		},
	})
	c.add(t, &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "implicit", Namespace: "example"}})
	return c
}

func (c *cluster) add(t testing.TB, obj runtime.Object) {
	t.Helper()
	if err := c.put(obj); err != nil {
		t.Fatal(err)
	}
}

// accessor returns the kind and the metadata of an object.
func (c *cluster) accessor(obj runtime.Object) (*runtime.Kind, *metav1.ObjectMeta, error) {
	k, err := c.scheme.KindOf(obj)
	if err != nil {
		return nil, nil, err
	}
	m, err := meta.Accessor(k, obj)
	return k, m, err
}

// put stores an object, replacing one with the same name, and notifies the watchers.
func (c *cluster) put(obj runtime.Object) error {
	k, m, err := c.accessor(obj)
	if err != nil {
		return err
	}
	if err := k.SetType(obj); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	m.ResourceVersion = strconv.FormatUint(c.version, 10)
	event := serializer.Event{Type: metav1.WatchModified, Object: serializer.NewCached(obj)}
	if i := c.find(k, m.Namespace, m.Name); i >= 0 {
		c.objects[i] = obj
	} else {
		event.Type = metav1.WatchAdded
		c.objects = append(c.objects, obj)
	}
	for w := range c.watchers {
		w <- event
	}
	return nil
}

func (c *cluster) find(k *runtime.Kind, namespace, name string) int {
	return slices.IndexFunc(c.objects, func(o runtime.Object) bool {
		other, m, err := c.accessor(o)
		return err == nil && other.GroupVersionKind().GroupKind() == k.GroupVersionKind().GroupKind() &&
			m.Namespace == namespace && m.Name == name
	})
}

func (c *cluster) get(k *runtime.Kind, r *http.Request) (runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(k, r.PathValue("namespace"), r.PathValue("name")); i >= 0 {
		return c.objects[i], nil
	}
	return nil, metav1.NotFound(k.GroupVersionResource().GroupResource(), r.PathValue("name"))
}

// kind returns the kind that a path names, and the kind in which its objects are stored.
func (c *cluster) kind(r *http.Request) (asked, kept *runtime.Kind, err error) {
	group, version := r.PathValue("group"), r.PathValue("version")
	asked, err = c.scheme.Resource(schema.GroupVersionResource{
		Group: group, Version: version,
		Resource: r.PathValue("resource"),
	})
	if err != nil {
		return nil, nil, metav1.Failure(metav1.StatusReasonNotFound, err.Error())
	}
	kept = asked
	if group == "extensions" {
		kept, err = c.scheme.Kind(schema.GroupVersionKind{Version: "v1", Kind: asked.Name()})
	}
	return asked, kept, err
}

// handler serves the paths of the examples, some of which are abbreviated there.
func (c *cluster) handler() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"/api/{version}", "/apis/{group}/{version}"} {
		mux.Handle(prefix+"/{resource}", c.api.Handler(c.list))
		for _, namespaces := range []string{"/namespaces", "/namespace"} {
			mux.Handle(prefix+namespaces+"/{namespace}/{resource}", c.api.Handler(c.list))
			mux.Handle(prefix+namespaces+"/{namespace}/{resource}/{name}", c.api.Handler(c.one))
			mux.Handle(prefix+namespaces+"/{namespace}/{resource}/{name}/scale", c.api.Handler(c.scale))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			r.URL.Path = "/api" + r.URL.Path
		}
		mux.ServeHTTP(w, r)
	})
}

func (c *cluster) list(w http.ResponseWriter, r *http.Request) error {
	asked, kept, err := c.kind(r)
	if err != nil {
		return err
	}
	x, err := c.api.Begin(w, r, httpapi.Offer{Kind: asked.ListKind().GroupVersionKind()})
	if err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.ListOptions](x)
	if err != nil {
		return err
	}
	c.options = o
	if x.Verb() == "watch" {
		return x.Watch(func(ctx context.Context, from httpapi.WatchStart) (*httpapi.Changes, error) {
			return c.watch(ctx, kept, from)
		})
	}
	if x.Verb() != "list" {
		return metav1.MethodNotAllowed(asked.GroupVersionResource().GroupResource(), x.Verb())
	}
	list, err := c.listOf(kept, r.PathValue("namespace"))
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, list)
}

// listOf returns a list of the objects of a kind.
func (c *cluster) listOf(k *runtime.Kind, namespace string) (runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := k.ListKind().New()
	if err := k.ListKind().SetType(list); err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(k.ListKind(), list)
	if err != nil {
		return nil, err
	}
	m.ResourceVersion = strconv.FormatUint(c.version, 10)
	return list, meta.SetItems(k.ListKind(), list, c.present(k, namespace)...)
}

// present returns the objects of a kind.
func (c *cluster) present(k *runtime.Kind, namespace string) (out []runtime.Object) {
	for _, o := range c.objects {
		if other, m, err := c.accessor(o); err == nil && other == k && (namespace == "" || m.Namespace == namespace) {
			out = append(out, o)
		}
	}
	return out
}

// watch starts a watch. It ends, with an error, if the watcher is too slow.
func (c *cluster) watch(ctx context.Context, k *runtime.Kind, from httpapi.WatchStart) (*httpapi.Changes, error) {
	if from.ResourceVersion == "1" {
		return nil, metav1.Failure(metav1.StatusReasonExpired, "version 1 is too old")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	present := c.present(k, "")
	events := make(chan serializer.Event, 100)
	c.watchers[events] = struct{}{}
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, events)
	})
	return &httpapi.Changes{
		ResourceVersion: strconv.FormatUint(c.version, 10),
		Initial: func(yield func(runtime.Object, error) bool) {
			for _, o := range present {
				if !yield(o, nil) {
					return
				}
			}
		},
		Events: events,
	}, nil
}

// watching returns the number of open watches.
func (c *cluster) watching() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watchers)
}

func (c *cluster) one(w http.ResponseWriter, r *http.Request) error {
	asked, kept, err := c.kind(r)
	if err != nil {
		return err
	}
	x, err := c.api.Begin(w, r, httpapi.Offer{Kind: asked.GroupVersionKind()})
	if err != nil {
		return err
	}
	obj, err := c.get(kept, r)
	if err != nil {
		return err
	}
	_, m, err := c.accessor(obj)
	if err != nil {
		return err
	}
	switch x.Verb() {
	case "get":
		if x.NotModified(m.ResourceVersion) {
			return nil
		}
		return x.Respond(http.StatusOK, obj)
	case "delete":
		o, err := httpapi.ReadOptions[metav1.DeleteOptions](x)
		if err != nil {
			return err
		}
		c.options = o
		return x.Respond(http.StatusOK, metav1.Success())
	case "update":
		if err := x.Match(m.ResourceVersion); err != nil {
			return err
		}
		got, err := x.ReadBody(serializer.DecodeOptions{Default: true, Version: kept.GroupVersion()})
		if err != nil {
			return err
		}
		if err := c.put(got); err != nil {
			return err
		}
		return x.Respond(http.StatusOK, got)
	}
	return metav1.MethodNotAllowed(asked.GroupVersionResource().GroupResource(), x.Verb())
}

// scale serves the subresource scale. The group extensions has its own kind for it.
func (c *cluster) scale(w http.ResponseWriter, r *http.Request) error {
	_, kept, err := c.kind(r)
	if err != nil {
		return err
	}
	endpoint := httpapi.Offer{Kind: metav1.GroupVersion.WithKind("Scale")}
	if r.PathValue("group") == "extensions" {
		endpoint.Kind = extensions.GroupVersion.WithKind("Scale")
	}
	x, err := c.api.Begin(w, r, endpoint)
	if err != nil {
		return err
	}
	obj, err := c.get(kept, r)
	if err != nil {
		return err
	}
	if x.Verb() == "update" {
		view, err := x.ReadBody(serializer.DecodeOptions{})
		if err != nil {
			return err
		}
		if obj, err = c.scheme.UpdateFrom(obj, view); err != nil {
			return err
		}
		if err := c.put(obj); err != nil {
			return err
		}
	}
	view, err := c.scheme.As(obj, metav1.GroupVersion.WithKind("Scale"))
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, view)
}

// ask sends a request to a handler.
func ask(t *testing.T, h http.Handler, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

// object parses a response body as JSON.
func object(t *testing.T, body string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	return out
}

// within reports whether got contains want: all members of its objects, and the elements of its
// lists as a prefix.
func within(want, got any, path string) error {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is not an object", path)
		}
		for name, v := range want {
			if _, ok := got[name]; !ok {
				return fmt.Errorf("%s.%s is missing", path, name)
			}
			if err := within(v, got[name], path+"."+name); err != nil {
				return err
			}
		}
		return nil
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) < len(want) {
			return fmt.Errorf("%s has not %d elements", path, len(want))
		}
		for i, v := range want {
			if err := within(v, got[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if want != got {
		return fmt.Errorf("%s is %v, not %v", path, got, want)
	}
	return nil
}

// errTest is an error without a special kind.
var errTest = errors.New("something is broken")
