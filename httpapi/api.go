package httpapi

import (
	"log"
	"net/http"
	"time"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/query"
)

// API answers HTTP requests with the objects of a factory. It is immutable and safe for concurrent
// use. The zero value is not usable; use [New].
type API struct {
	factory  *serializer.Factory
	settings Settings
	codec    *query.Codec
}

// Settings apply to all responses of an API. The zero value selects the documented defaults.
type Settings struct {
	_ struct{} // literals name their fields

	// Compact makes compact output the default for clients that do not choose with the parameter
	// pretty of the Accept header or the query. By default output is indented. Events of watches
	// are always compact.
	Compact bool
	// MaxBody limits the size of a request body in bytes. 0 means 3 MiB, as in servers of the
	// Kubernetes API; a negative number means no limit.
	MaxBody int64
	// BodyTimeout limits the time in which the body of a request must arrive, so that a slow client
	// does not occupy a connection and a goroutine. 0 means one minute, and a negative duration
	// leaves it to the server. The error has code 408. It replaces the ReadTimeout of an
	// [http.Server] while the body is read.
	BodyTimeout time.Duration
	// Gzip compresses responses larger than 32 KiB for clients that accept it.
	Gzip bool
	// UnversionedStatus omits the apiVersion of errors that occur before the endpoint of a request,
	// and so its version, is known, as the proposal for API groups requires. By default they have
	// apiVersion v1, which clients of the Kubernetes API expect.
	UnversionedStatus bool
	// StrictQuery makes unknown query parameters an error that suggests similar ones. Parameters
	// that the program reads itself must be listed in Parameters.
	StrictQuery bool
	Parameters  []string
	// Now is the clock from which ages in responses are computed, nil for [time.Now]. An event of a
	// watch has the ages of the time when it is written.
	Now func() time.Time
	// Log is called with errors that are not fully reported to the client: errors of the server
	// itself, and errors that occur after a response has begun. The goroutine of the request calls
	// it. If it is nil, they go to the ErrorLog of the [http.Server] or, without one, to the
	// standard logger, because clients get only a reference to what is logged.
	Log func(r *http.Request, err error)
}

// defaultMaxBody is the limit of servers of the Kubernetes API.
const defaultMaxBody = 3 << 20

// defaultBodyTimeout suffices for the largest body over a slow connection.
const defaultBodyTimeout = time.Minute

// New returns an API for a factory, which must not be nil.
func New(f *serializer.Factory, s Settings) *API {
	if f == nil {
		panic("httpapi: New: the factory is nil")
	}
	if s.MaxBody == 0 {
		s.MaxBody = defaultMaxBody
	}
	if s.BodyTimeout == 0 {
		s.BodyTimeout = defaultBodyTimeout
	}
	return &API{factory: f, settings: s, codec: query.New(f.Scheme())}
}

// Factory returns the factory of the API.
func (a *API) Factory() *serializer.Factory { return a.factory }

// Handler returns a handler that calls serve and answers with the Status of its error, if any, as
// [API.Error] does. If serve returns an error it must not have written a response, except through
// an Exchange.
func (a *API) Handler(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := a.own(w)
		if err := serve(own, r); err != nil {
			a.Error(own, r, err)
		}
	})
}

// Respond answers a request with an object of the kind of an endpoint: it calls Begin and then
// [Exchange.Respond] with code 200.
func (a *API) Respond(w http.ResponseWriter, r *http.Request, kind schema.GroupVersionKind, obj runtime.Object) error {
	x, err := a.Begin(w, r, Offer{Kind: kind})
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, obj)
}

// log reports an error.
func (a *API) log(r *http.Request, err error) {
	if a.settings.Log != nil {
		a.settings.Log(r, err)
		return
	}
	logger := log.Default()
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ErrorLog != nil {
		logger = s.ErrorLog
	}
	logger.Printf("httpapi: %s %s: %v", r.Method, schema.Quote(r.URL.Path), err)
}
