package aggregator

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"

	"github.com/askind/askind/schema"
)

// route leads the requests for a group version to a server. Watches end with it, so that their
// clients do not stay with a server that the group version has left.
type route struct {
	*backend
	ended context.Context
	end   context.CancelFunc
}

// routeOf returns the route of a group version to a server: the one before, if it leads there.
func (a *Aggregator) routeOf(gv schema.GroupVersion, b *backend) *route {
	if before := a.view.Load().routes[gv]; before != nil && before.backend == b {
		return before
	}
	ended, end := context.WithCancel(context.Background())
	return &route{b, ended, end}
}

// endOthers ends the routes of a view that another one does not have.
func (v *view) endOthers(next *view) {
	for gv, r := range v.routes {
		if next.routes[gv] != r {
			r.end()
		}
	}
}

// endedKey is the context key of the end of the route of a watch.
type endedKey struct{}

// ServeHTTP implements [http.Handler].
func (r *route) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if isWatch(req) {
		req = req.WithContext(context.WithValue(req.Context(), endedKey{}, r.ended))
	}
	r.backend.ServeHTTP(w, req)
}

// watchBody is the body of a watch. When its route or its request ends, it ends as if the server
// had ended the watch.
type watchBody struct {
	io.ReadCloser
	route, request context.Context
	stop           func() bool
}

// routed is the transport of requests that are passed on to a server.
type routed struct{ *backend }

// RoundTrip implements [http.RoundTripper]. The response to a watch ends with the route. Trailers
// are omitted, because they arrive after the headers have been confined.
func (t routed) RoundTrip(r *http.Request) (*http.Response, error) {
	transport := t.transport
	if r.Header.Get("Upgrade") != "" {
		transport = t.upgrades
	}
	resp, err := transport.RoundTrip(r.WithContext(untraced{r.Context()}))
	if err != nil {
		return nil, err
	}
	passed := *resp // a transport adds trailers to its own response
	passed.Trailer = nil
	if passed.Request == nil { // from a transport of the program
		passed.Request = r
	}
	ended, ok := r.Context().Value(endedKey{}).(context.Context)
	if ok && resp.StatusCode == http.StatusOK {
		stop := context.AfterFunc(ended, func() { _ = resp.Body.Close() })
		passed.Body = &watchBody{resp.Body, ended, r.Context(), stop}
	}
	return &passed, nil
}

// untraced is a context without a trace of the request. The reverse proxy has one to pass interim
// responses, such as 103, on: with headers that have not been confined, and it then clears those
// that the server in front has set.
type untraced struct{ context.Context }

// Value implements [context.Context].
func (c untraced) Value(key any) any {
	value := c.Context.Value(key)
	if _, ok := value.(*httptrace.ClientTrace); ok {
		return nil
	}
	return value
}

// Read implements [io.Reader].
func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && (b.route.Err() != nil || b.request.Err() != nil) {
		err = io.EOF
	}
	return n, err
}

// Close implements [io.Closer].
func (b *watchBody) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}
