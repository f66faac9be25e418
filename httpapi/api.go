package httpapi

import (
	"net/http"
	"time"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/query"
)

// API answers HTTP requests with the objects of a factory. It never changes and is safe for any
// number of goroutines.
type API struct {
	factory  *serializer.Factory
	settings Settings
	codec    *query.Codec
}

// Settings are what the answers of an [API] have in common. The zero value has the defaults that
// the fields state.
type Settings struct {
	_ struct{} // literals name their fields

	// Compact is the form for clients that state none, by the parameter pretty of the Accept header
	// or of the query. By default they get the form for people. Frames of watches are always
	// compact.
	Compact bool
	// MaxBody bounds the bytes of a request's body; 0 means 3 MiB, as in servers of the Kubernetes
	// API, and a negative number no bound.
	MaxBody int64
	// BodyTimeout bounds the time in which the body of a request comes, so that a client that sends
	// it slowly does not hold a connection and a goroutine; 0 means one minute, and a negative
	// duration leaves it to the server. The error has the code 408. It replaces the ReadTimeout of
	// an http.Server while the body is read.
	BodyTimeout time.Duration
	// Gzip compresses answers that are larger than 32 KiB for clients that accept it.
	Gzip bool
	// UnversionedStatus has errors that come before it is known which endpoint is asked, and so in
	// which version, state no apiVersion, as the proposal for API groups has it. By default they
	// are of apiVersion v1, because clients of the Kubernetes API expect that.
	UnversionedStatus bool
	// StrictQuery makes parameters of the query that nobody reads an error that names what is near.
	// The ones that the program reads on its own must be named in Parameters.
	StrictQuery bool
	Parameters  []string
	// Query are the settings for reading options from queries.
	Query query.Options
	// Now is the clock that ages in answers are counted from, for tests: a watch counts from the
	// time of its request then. Nil means the time at which an object is written.
	Now func() time.Time
	// Log is informed of errors that the client cannot be told in full: those of the server itself,
	// and those that come when the answer is under way. It may be nil. It is called by the
	// goroutine of the request.
	Log func(r *http.Request, err error)
}

// defaultMaxBody is the bound of servers of the Kubernetes API.
const defaultMaxBody = 3 << 20

// defaultBodyTimeout is enough for the largest body over a slow line.
const defaultBodyTimeout = time.Minute

// New returns an API over a factory.
func New(f *serializer.Factory, s Settings) *API {
	if s.MaxBody == 0 {
		s.MaxBody = defaultMaxBody
	}
	if s.BodyTimeout == 0 {
		s.BodyTimeout = defaultBodyTimeout
	}
	return &API{factory: f, settings: s, codec: query.New(f.Scheme(), s.Query)}
}

// Factory returns the factory of the API.
func (a *API) Factory() *serializer.Factory { return a.factory }

// Handler returns a handler that calls a function and answers with the Status of the error that it
// returns, if any, as [API.Error] does. The function must not answer if it returns an error, except
// through an [Exchange].
func (a *API) Handler(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := a.own(w)
		if err := serve(own, r); err != nil {
			a.Error(own, r, err)
		}
	})
}

// Respond answers a request with an object of an endpoint's kind: Begin, then [Exchange.Respond]
// with the code 200.
func (a *API) Respond(w http.ResponseWriter, r *http.Request, kind schema.GroupVersionKind, obj runtime.Object) error {
	x, err := a.Begin(w, r, Offer{Kind: kind})
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, obj)
}

// log reports an error, if anybody wants to know.
func (a *API) log(r *http.Request, err error) {
	if a.settings.Log != nil {
		a.settings.Log(r, err)
	}
}
