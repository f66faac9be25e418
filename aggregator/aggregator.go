package aggregator

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// Config is the settings of an [Aggregator]. The zero value is usable.
type Config struct {
	_ struct{} // forces keyed literals

	// Certificate is the client certificate that identifies the aggregator to other servers.
	// Without it they have no reason to trust the headers that name the user.
	Certificate *tls.Certificate
	// Transport returns the transport for the server of a registration, for servers in the same
	// process and for tests. Nil, or a nil result, means HTTP to its URL.
	Transport func(*v1alpha1.APIServiceSpec) http.RoundTripper
	// Period is the interval at which a server is asked what it serves; the default is 30 seconds.
	// Servers with the group discovery.k8s.io report changes at once. A server that fails is asked
	// again sooner, at growing intervals up to Period.
	Period time.Duration
	// ProbeTime limits the duration of such a request, and of a list of Groups; the default is 10
	// seconds.
	ProbeTime time.Duration
	// ResponseTime limits the time until a server sends response headers; the default is 60
	// seconds.
	ResponseTime time.Duration
	// Requests and Watches limit the concurrent requests and watches for one server; the defaults
	// are 100 and 5,000. Further ones get 429 with Retry-After. Requests must be lower than the
	// limits of the server in front, or a slow server uses all of them and holds up the others.
	Requests, Watches int
	// Log receives problems with servers. The default discards them.
	Log *slog.Logger
}

func (c Config) filled() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&c.Period, 30*time.Second)
	set(&c.ProbeTime, 10*time.Second)
	set(&c.ResponseTime, time.Minute)
	if c.Requests <= 0 {
		c.Requests = 100
	}
	if c.Watches <= 0 {
		c.Watches = 5_000
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Aggregator forwards requests to other servers. It is safe for concurrent use.
type Aggregator struct {
	config  Config
	factory *serializer.Factory
	api     *httpapi.API
	via     string // names the aggregator in the Via header of requests
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	view   atomic.Pointer[view]
	joints joints

	mu       sync.Mutex
	services []*v1alpha1.APIService // in order of precedence; nil before Set
	backends map[backendKey]*backend
	local    *discovery.Documents
	changed  chan struct{} // closed and replaced when conditions may have changed
}

// view is the state that requests use. It is immutable.
type view struct {
	local      *discovery.Documents // the local documents of the view
	registered bool                 // the registrations are known
	docs       *discovery.Documents // of everything; nil without local documents
	routes     map[schema.GroupVersion]*route
	versions   []schema.GroupVersion         // the keys of routes
	conditions map[string][]metav1.Condition // by the names of registrations
}

// New returns an aggregator without registrations. Close it to end its connections.
func New(c Config) (*Aggregator, error) {
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, discovery.AddTo)
	if err != nil {
		return nil, err
	}
	factory, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		return nil, err
	}
	a := &Aggregator{
		config: c.filled(), factory: factory, api: httpapi.New(factory, httpapi.Settings{}),
		joints:   joints{last: map[string]joint{}},
		backends: map[backendKey]*backend{}, changed: make(chan struct{}), via: "1.1 " + rand.Text(),
	}
	a.life, a.end = context.WithCancel(context.Background())
	a.view.Store(&view{})
	return a, nil
}

// Close ends the watches of other servers. It does not end requests in flight.
func (a *Aggregator) Close() error {
	a.mu.Lock()
	a.end() // no backend is added from here on
	a.mu.Unlock()
	a.running.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.backends {
		b.close()
	}
	return nil
}

// Set replaces the registrations. It does not modify the objects, and the caller must not modify
// them afterwards. Requests in flight continue, except for watches of group versions that leave
// their server. On a closed aggregator Set has no effect.
func (a *Aggregator) Set(services ...*v1alpha1.APIService) {
	ordered := append([]*v1alpha1.APIService{}, services...)
	slices.SortStableFunc(ordered, func(x, y *v1alpha1.APIService) int {
		if c := x.CreationTimestamp.Compare(y.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(x.Name, y.Name)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Err() != nil {
		return
	}
	a.services = ordered
	a.connect()
	a.rebuild()
}

// Conditions returns the conditions of a registration, nil for a name that is not registered.
func (a *Aggregator) Conditions(name string) []metav1.Condition {
	return slices.Clone(a.view.Load().conditions[name])
}

// connect creates and closes backends to match the registrations. The caller holds the lock.
func (a *Aggregator) connect() {
	wanted := map[backendKey][]schema.GroupVersion{}
	specs := map[backendKey]*v1alpha1.APIServiceSpec{}
	for _, s := range a.services {
		if s.Spec.URL != "" {
			key := keyOf(&s.Spec)
			wanted[key] = append(wanted[key], groupVersion(s))
			specs[key] = &s.Spec
		}
	}
	for key, b := range a.backends {
		if len(wanted[key]) == 0 {
			b.close()
			delete(a.backends, key)
		}
	}
	for key, versions := range wanted {
		if b := a.backends[key]; b != nil {
			b.setVersions(versions)
		} else if b = a.newBackend(specs[key], versions); b != nil {
			a.backends[key] = b
		} // else it is unusable, and its registrations say so
	}
}

// refresh rebuilds the view after a backend has learned something.
func (a *Aggregator) refresh() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rebuild()
}

func groupVersion(s *v1alpha1.APIService) schema.GroupVersion {
	return schema.GroupVersion{Group: s.Spec.Group, Version: s.Spec.Version}
}
