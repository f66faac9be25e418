package client_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/protobuf"
)

// Car is the kind in these tests.
type Car struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CarSpec `json:"spec"`
}

type CarSpec struct {
	Wheels int64  `json:"wheels,omitempty"`
	Owner  string `json:"owner,omitempty"`
}

type CarList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Car `json:"items"`
}

var carVersion = schema.GroupVersion{Group: "cars.example.com", Version: "v1"}

func addCars(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Car]{
		GroupVersionKind: carVersion.WithKind("Car"), Resource: "cars", Singular: "car",
		ShortNames: []string{"c"}, Categories: []string{"all"}, List: "CarList",
		TypeMeta: func(c *Car) (*string, *string) { return &c.APIVersion, &c.Kind },
		Metadata: func(c *Car) any { return &c.ObjectMeta },
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[CarList]{
		GroupVersionKind: carVersion.WithKind("CarList"), Item: "Car",
		TypeMeta: func(c *CarList) (*string, *string) { return &c.APIVersion, &c.Kind },
		Metadata: func(c *CarList) any { return &c.ListMeta },
		Items:    func(c *CarList) runtime.Items { return (*runtime.Slice[Car])(&c.Items) },
	}))
	runtime.AddAs(b, metadataOf, runtime.MetadataOnly())
}

func newFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, discovery.AddTo, addCars)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// server is a server in memory for all kinds of its scheme. Tests inject faults into it.
type server struct {
	t       testing.TB
	factory *serializer.Factory
	api     *httpapi.API
	url     string
	// unversioned makes the server omit the apiVersion from the older documents.
	unversioned bool

	mu       sync.Mutex
	docs     *discovery.Documents
	version  int64
	forgot   int64 // versions before this one have expired
	objects  map[string]runtime.Object
	log      []logged
	changed  chan struct{} // closed at each change
	cut      context.Context
	cutNow   context.CancelFunc
	requests []string
	// fault is called for each request; its error, if any, is the response.
	fault func(r *http.Request) error
}

// logged is one change.
type logged struct {
	key     string
	version int64
	event   serializer.Event
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{
		t: t, factory: newFactory(t), version: 100, objects: map[string]runtime.Object{},
		changed: make(chan struct{}),
	}
	s.cut, s.cutNow = context.WithCancel(context.Background())
	s.api = httpapi.New(s.factory, httpapi.Settings{Compact: true})
	s.offer(discovery.ResourcesOf(s.factory.Scheme(), []string{"get", "list", "watch", "create", "update", "delete"},
		"meta.k8s.io", "", "autoscaling")...)
	h := httptest.NewServer(s.api.Handler(s.serve))
	t.Cleanup(func() {
		s.disconnect()
		h.Close()
	})
	s.url = h.URL
	return s
}

// client returns a client of the server.
func (s *server) client(opts ...client.HTTPOption) *client.Client {
	s.t.Helper()
	tr, err := client.HTTP(s.url, s.factory, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return client.New(tr, s.factory.Scheme())
}

// offer sets the resources in the documents and the Groups.
func (s *server) offer(resources ...discovery.Resource) {
	s.t.Helper()
	d, err := discovery.New(discovery.Config{Resources: resources, Unversioned: s.unversioned})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.docs = d
	s.mu.Unlock()
	names := map[string]bool{}
	for _, g := range d.Groups() {
		names[g.Name] = true
		s.put(g)
	}
	s.mu.Lock()
	var gone []runtime.Object
	for _, obj := range s.objects {
		if g, ok := obj.(*v1alpha1.Group); ok && !names[g.Name] {
			gone = append(gone, obj)
		}
	}
	s.mu.Unlock()
	for _, obj := range gone {
		s.remove(obj)
	}
}

// disconnect ends all watches.
func (s *server) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutNow()
	s.cut, s.cutNow = context.WithCancel(context.Background())
}

// forget expires all versions before the current one.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgot = s.version
}

func (s *server) setFault(f func(r *http.Request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// asked returns the number of requests whose method and path begin with prefix, and resets the log.
func (s *server) asked(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	s.requests = nil
	return n
}

// meta returns the kind, the metadata and the key of an object.
func (s *server) meta(obj runtime.Object) (*runtime.Kind, *metav1.ObjectMeta, string) {
	k, err := s.factory.Scheme().KindOf(obj)
	if err != nil {
		panic(err)
	}
	m, err := meta.Accessor(k, obj)
	if err != nil {
		panic(err)
	}
	return k, m, k.Info().Resource + "/" + m.Namespace + "/" + m.Name
}

// put stores a copy of an object.
func (s *server) put(obj runtime.Object) runtime.Object {
	out, err := s.factory.Scheme().DeepCopy(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	_, m, key := s.meta(out)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	m.ResourceVersion = strconv.FormatInt(s.version, 10)
	event := metav1.WatchModified
	if s.objects[key] == nil {
		event = metav1.WatchAdded
	}
	s.objects[key] = out
	s.change(key, event, out)
	return out
}

func (s *server) remove(obj runtime.Object) {
	out, err := s.factory.Scheme().DeepCopy(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	_, m, key := s.meta(out)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	m.ResourceVersion = strconv.FormatInt(s.version, 10)
	delete(s.objects, key)
	s.change(key, metav1.WatchDeleted, out)
}

func (s *server) change(key, event string, obj runtime.Object) {
	s.log = append(s.log, logged{key, s.version, serializer.Event{Type: event, Object: obj}})
	close(s.changed)
	s.changed = make(chan struct{})
}

// serve answers a request.
func (s *server) serve(w http.ResponseWriter, r *http.Request) error {
	s.mu.Lock()
	docs, fault := s.docs, s.fault
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	s.mu.Unlock()
	if fault != nil {
		if err := fault(r); err != nil {
			return err
		}
	}
	if doc, ok := docs.Find(r.URL.Path); ok {
		x, err := s.api.Begin(w, r, httpapi.Offer{Kind: doc.Kind()})
		if err != nil {
			return err
		}
		form := doc.Form(x.Representation().Target())
		if x.NotModified(form.Version) {
			return nil
		}
		return x.Respond(http.StatusOK, form.Object)
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 {
		return metav1.NotFound(schema.GroupResource{}, r.URL.Path)
	}
	gv := schema.GroupVersion{Version: parts[1]}
	parts = parts[2:]
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		gv = schema.GroupVersion{Group: gv.Version, Version: parts[0]}
		parts = parts[1:]
	}
	var namespace, name string
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 1 {
		name = parts[1]
	}
	k, err := s.factory.Scheme().Resource(gv.WithResource(parts[0]))
	if err != nil || !slices.Contains(docs.GroupVersions(), gv) {
		return metav1.NotFound(schema.GroupResource{Group: gv.Group, Resource: parts[0]}, name)
	}
	return s.resource(w, r, k, namespace, name)
}

// resource answers a request about a resource.
func (s *server) resource(w http.ResponseWriter, r *http.Request, k *runtime.Kind, namespace, name string) error {
	kind := k.GroupVersionKind()
	if name == "" && r.Method == http.MethodGet {
		kind = k.ListKind().GroupVersionKind()
	}
	x, err := s.api.Begin(w, r, httpapi.Offer{Kind: kind})
	if err != nil {
		return err
	}
	gr := k.GroupVersionResource().GroupResource()
	key := k.Info().Resource + "/" + namespace + "/" + name
	s.mu.Lock()
	present := s.objects[key]
	s.mu.Unlock()
	switch verb := x.Verb(); verb {
	case "list":
		return s.list(x, k, namespace)
	case "watch":
		return s.watch(x, k, namespace)
	case "create", "update":
		obj, err := x.ReadBody(serializer.DecodeOptions{DefaultKind: k.GroupVersionKind()})
		if err != nil {
			return err
		}
		_, m, _ := s.meta(obj)
		m.Namespace = cmp.Or(m.Namespace, namespace)
		_, _, key := s.meta(obj)
		s.mu.Lock()
		present := s.objects[key]
		s.mu.Unlock()
		if present != nil && verb == "create" {
			return metav1.AlreadyExists(gr, m.Name)
		}
		if present != nil {
			if _, pm, _ := s.meta(present); m.ResourceVersion != "" && m.ResourceVersion != pm.ResourceVersion {
				return metav1.Conflict(gr, m.Name, fmt.Errorf("the object has been modified"))
			}
		}
		x.Header().Add("Warning", `299 - "cars are \"deprecated\""`)
		return x.Respond(map[string]int{"create": http.StatusCreated, "update": http.StatusOK}[verb], s.put(obj))
	case "get", "delete":
		if present == nil {
			return metav1.NotFound(gr, name)
		}
		if verb == "delete" {
			s.remove(present)
			return x.Respond(http.StatusOK, metav1.Success())
		}
		return x.Respond(http.StatusOK, present)
	}
	return metav1.MethodNotAllowed(gr, x.Verb())
}

// selected yields the objects of a namespace by name.
func (s *server) selected(k *runtime.Kind, namespace string) []runtime.Object {
	prefix := k.Info().Resource + "/"
	if namespace != "" {
		prefix += namespace + "/"
	}
	var keys []string
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	out := make([]runtime.Object, len(keys))
	for i, key := range keys {
		out[i] = s.objects[key]
	}
	return out
}

func (s *server) list(x *httpapi.Exchange, k *runtime.Kind, namespace string) error {
	o, err := httpapi.ReadOptions[metav1.ListOptions](x)
	if err != nil {
		return err
	}
	s.mu.Lock()
	items, version := s.selected(k, namespace), s.version
	s.mu.Unlock()
	from := 0
	if o.Continue != "" {
		if from, err = strconv.Atoi(o.Continue); err != nil {
			return metav1.BadRequest("what a token")
		}
	}
	items = items[min(from, len(items)):]
	list := k.ListKind().New()
	m, err := meta.ListAccessor(k.ListKind(), list)
	if err != nil {
		return err
	}
	m.ResourceVersion = strconv.FormatInt(version, 10)
	if o.Limit > 0 && int64(len(items)) > o.Limit {
		rest := int64(len(items)) - o.Limit
		items, m.Continue, m.RemainingItemCount = items[:o.Limit], strconv.Itoa(from+int(o.Limit)), &rest
	}
	return x.RespondItems(http.StatusOK, list, func(yield func(runtime.Object, error) bool) {
		for _, obj := range items {
			if !yield(obj, nil) {
				return
			}
		}
	})
}

func (s *server) watch(x *httpapi.Exchange, k *runtime.Kind, namespace string) error {
	return x.Watch(func(ctx context.Context, from httpapi.WatchStart) (*httpapi.Changes, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		cursor := &cursor{s: s, prefix: k.Info().Resource + "/" + namespace, version: s.version, cut: s.cut}
		c := &httpapi.Changes{ResourceVersion: strconv.FormatInt(s.version, 10), Source: cursor}
		if from.Initial {
			c.Initial = values(s.selected(k, namespace))
			return c, nil
		}
		if from.ResourceVersion != "" {
			version, err := strconv.ParseInt(from.ResourceVersion, 10, 64)
			if err != nil || version < s.forgot {
				return nil, metav1.Failure(metav1.StatusReasonExpired, "too old resource version")
			}
			cursor.version = version
		}
		return c, nil
	})
}

func values(objects []runtime.Object) iter.Seq2[runtime.Object, error] {
	return func(yield func(runtime.Object, error) bool) {
		for _, obj := range objects {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// cursor is one watch.
type cursor struct {
	s       *server
	prefix  string
	version int64
	cut     context.Context
}

func (c *cursor) Next(buf []serializer.Event) ([]serializer.Event, error) {
	if c.cut.Err() != nil {
		return buf, io.EOF
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.version < c.s.forgot {
		return buf, metav1.Failure(metav1.StatusReasonExpired, "the watch has fallen behind")
	}
	for _, l := range c.s.log {
		if l.version > c.version && len(buf) < cap(buf) {
			c.version = l.version
			if strings.HasPrefix(l.key, c.prefix) {
				buf = append(buf, l.event)
			}
		}
	}
	return buf, nil
}

func (c *cursor) Wait(ctx context.Context) error {
	c.s.mu.Lock()
	changed, behind := c.s.changed, c.version < c.s.version
	c.s.mu.Unlock()
	if behind {
		return nil
	}
	select {
	case <-changed:
	case <-c.cut.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
