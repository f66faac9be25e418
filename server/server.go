package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/store"
)

// Server serves the kinds of a scheme as resources. It is an [http.Handler] for the paths of its
// resources, of discovery and of its health; mount it at the root of a mux, because clients expect
// these paths. It is safe for concurrent use. The zero value is not usable; use [New].
type Server struct {
	config  *config
	formats []*format.Format
	engine  store.Engine
	stores  *shards
	handler http.Handler
	metrics *metrics
	health  *health
	limiter *limiter

	collector  *collector
	groups     *discovery.Controller // nil if the group discovery.k8s.io is disabled
	groupsStay sync.Once             // see logGroups
	published  atomic.Bool           // the Groups are those of a delegate that was ready
	started    time.Time

	ctx    context.Context // ends when the server is closed
	stop   context.CancelFunc
	work   sync.WaitGroup // background work
	adding sync.Mutex     // held while work is added, and while the server begins to close
	closed sync.Once
	begun  chan struct{} // closed when the server begins to serve requests of others
	begin  func()        // closes it

	first      *runtime.Scheme // of New, which has the kinds of all options
	installing sync.Mutex      // held while what is served changes
	publishing sync.Mutex      // held while Groups are written
	state      atomic.Pointer[state]
}

// New returns a server for the kinds of a scheme, with the objects in an engine, in the standard
// formats: JSON, YAML, protobuf, CBOR, and CSV and plain text for tables. Every kind that has a
// resource name, metadata and a list is served, in every version that is not marked as unserved.
// The engine belongs to the caller, who closes it after the server.
func New(scheme *runtime.Scheme, engine store.Engine, options ...Option) (*Server, error) {
	return NewWithFormats(scheme, engine, Formats(), options...)
}

// Formats returns the formats of [New], for a program that adds one:
//
//	srv, err := server.NewWithFormats(scheme, engine, append(server.Formats(), html.Format()))
func Formats() []*format.Format {
	return []*format.Format{
		json.Format(), yaml.Format(), protobuf.Format(), cbor.Format(), csv.Format(csv.Options{FormulaSafe: true}),
		text.Format(),
	}
}

// NewWithFormats is [New] with other formats, the default one first. Of the formats of this module,
// a program links only those that it names. One of them must be JSON.
func NewWithFormats(scheme *runtime.Scheme, engine store.Engine, formats []*format.Format,
	options ...Option,
) (*Server, error) {
	if scheme == nil || engine == nil {
		return nil, errors.New("server: the scheme and the engine must not be nil; memory.New() is an engine")
	}
	c, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, formats: formats, engine: engine, metrics: &metrics{}, started: c.now()}
	s.begun = make(chan struct{})
	s.begin = sync.OnceFunc(func() { close(s.begun) })
	s.ctx, s.stop = context.WithCancel(context.Background())
	if s.stores, err = openShards(s.ctx, engine, c); err != nil {
		s.stop()
		return nil, err
	}
	if err := s.start(scheme); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// start makes everything that serves requests.
func (s *Server) start(scheme *runtime.Scheme) error {
	st, err := s.newState(nil, schema.GroupKind{}, scheme)
	if err != nil {
		return err
	}
	s.state.Store(st)
	if names := unserved(st, s.config.shards); len(names) > 0 {
		s.config.log.Warn("the option StoreFor names resources that are not served", "resources", names)
	}
	if names := unserved(st, s.config.storageFormats); len(names) > 0 {
		s.config.log.Warn("the option StorageFormat names resources that are not served", "resources", names)
	}
	if kinds := s.idleHooks(st); len(kinds) > 0 {
		s.config.log.Warn("the option For has hooks for kinds whose objects are not stored; they are never called",
			"kinds", kinds)
	}
	s.documentsOf(st) // lets a delegate know
	s.limiter = newLimiter(s.config.limits)
	s.health = s.newHealth()
	s.handler = s.chain()
	s.collector = newCollector(s)
	s.collector.follow(st)
	s.work.Go(func() { s.collector.run(s.ctx) })
	if err := s.startGroups(); err != nil {
		return err
	}
	err = s.publish(s.ctx)
	if errors.Is(err, store.ErrReadOnly) {
		s.logGroups(err)
		err = nil
	}
	errs := []error{err}
	for _, seed := range s.config.seeds {
		errs = append(errs, seed(s, st))
	}
	return errors.Join(errs...)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Context().Value(processUserKey{}) == nil {
		s.begin()
	}
	s.handler.ServeHTTP(w, r)
}

// Scheme returns the current scheme: the kinds of [New], those installed since, and the server's
// own.
func (s *Server) Scheme() *runtime.Scheme { return s.state.Load().scheme }

// Factory returns the current factory of requests and answers.
func (s *Server) Factory() *serializer.Factory { return s.state.Load().factory }

// RuleCompiler returns the compiler of the option [Rules], nil without it.
func (s *Server) RuleCompiler() dynamic.RuleCompiler { return s.config.rules }

// Logger returns the logger of the option [Log].
func (s *Server) Logger() *slog.Logger { return s.config.log }

// Go runs a function in a goroutine, with a context that ends when the server is closed. It is for
// background work of a program that must not outlive the server, such as a controller:
// [Server.Close] waits until the function has returned. On a closed server its context has ended.
func (s *Server) Go(f func(ctx context.Context)) {
	s.adding.Lock()
	defer s.adding.Unlock()
	if s.ctx.Err() != nil {
		go f(s.ctx)
		return
	}
	s.work.Go(func() { f(s.ctx) })
}

// Close ends all watches and the background work, functions of [Server.Go] included, and closes the
// store but not its engine. It must not be called by such a function. Later requests are answered
// with 503, which is not logged as a failure. Requests in process, such as those of hooks, are
// answered until the store is closed. [Server.ListenAndServe] calls Close when it returns.
func (s *Server) Close() error {
	var err error
	s.closed.Do(func() {
		s.adding.Lock()
		s.stop()
		s.adding.Unlock()
		s.work.Wait()
		err = s.stores.close()
	})
	return err
}
