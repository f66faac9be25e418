package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/schema"
)

// Delegate answers for group versions that the server does not serve itself, such as an aggregator
// that passes requests on to other servers. Its methods are called for every request, by any number
// of goroutines. One that sends requests of its own implements [Sender], too.
type Delegate interface {
	// Handler returns the handler of requests for a group version below /apis, or /api for the core
	// group, or nil if the delegate does not serve it. The request has passed the guard,
	// authentication and authorization of the server; auth.UserOf finds its user. The server's
	// limits on concurrent requests apply to it. Watches, upgraded connections and the streams of
	// subresources such as exec and log count as watches, and have no time limit. A path may
	// continue below a subresource.
	Handler(gv schema.GroupVersion) http.Handler
	// GroupVersions returns the group versions for which Handler returns something.
	GroupVersions() []schema.GroupVersion
	// Documents returns the discovery documents to serve in place of the server's own.
	Documents(local *discovery.Documents) *discovery.Documents
	// OpenAPI returns the document to serve at a path in place of the server's own: that of OpenAPI
	// 2.0 at "/openapi/v2", and the index of those of OpenAPI 3.0 at "/openapi/v3".
	OpenAPI(ctx context.Context, path string, local *openapi.Document) (*openapi.Document, error)
	// Ready reports whether Documents is complete. Until then, stored Groups that the server itself
	// does not serve are left unchanged.
	Ready() bool
	// Changed returns a channel that is closed when the result of Documents or Ready may have
	// changed. The Groups of discovery.k8s.io are then updated.
	Changed() <-chan struct{}
}

// Sender is an optional interface of a [Delegate] that sends requests to other servers.
type Sender interface {
	// Sent reports whether the delegate itself has sent a request, which by mistake has reached the
	// server in front. It is refused with code 508: the answer would repeat what the server knows
	// from the delegate, and a request that is passed on would return again and again.
	Sent(r *http.Request) bool
}

// refuseOwn returns an error for a request that the delegate has sent.
func (s *Server) refuseOwn(r *http.Request) error {
	if d, ok := s.config.delegate.(Sender); !ok || !d.Sent(r) {
		return nil
	}
	e := metav1.Failure(metav1.StatusReasonServiceUnavailable,
		"the URL of the registration leads back to this server; it must be that of the server with the group version")
	e.Status.Code = http.StatusLoopDetected
	return e
}

// DelegateTo passes requests for group versions that the server does not serve to a delegate.
func DelegateTo(d Delegate) Option { return optionFunc(func(c *config) { c.delegate = d }) }

// documentsOf returns the documents that clients see.
func (s *Server) documentsOf(st *state) *discovery.Documents {
	if s.config.delegate == nil {
		return st.docs
	}
	return s.config.delegate.Documents(st.docs)
}

// delegated returns the handler of another group version, nil if the server serves it itself or
// nobody does.
func (s *Server) delegated(st *state, prefix string, gv schema.GroupVersion) http.Handler {
	if s.config.delegate == nil || prefix != discovery.PrefixOf(gv.Group) || st.serves(prefix, gv) {
		return nil
	}
	return s.config.delegate.Handler(gv)
}

// owners returns what finds the group versions of the server and its delegate.
func (s *Server) owners(st *state) owners {
	return owners{
		local: func(prefix string, gv schema.GroupVersion) bool {
			return st.serves(prefix, gv) || s.peersList(prefix, gv.WithResource(""))
		},
		delegated:     func(prefix string, gv schema.GroupVersion) bool { return s.delegated(st, prefix, gv) != nil },
		isSubresource: st.namespaceSubresource,
	}
}

// delegatedOpenAPI returns what answers requests for the OpenAPI document of a group version of the
// delegate, nil for other paths.
func (s *Server) delegatedOpenAPI(st *state, path string) serveFunc {
	if s.config.delegate == nil || !strings.HasPrefix(path, openAPIv3+"/") {
		return nil
	}
	for _, gv := range s.config.delegate.GroupVersions() {
		prefix := discovery.PrefixOf(gv.Group)
		if path != openAPIv3+"/"+rootOf(prefix, gv) {
			continue
		}
		if h := s.delegated(st, prefix, gv); h != nil {
			pass := func(w http.ResponseWriter, r *http.Request) error { h.ServeHTTP(w, r); return nil }
			return func(w http.ResponseWriter, r *http.Request) error {
				if r.Method == http.MethodOptions { // with which an aggregator looks for loops
					return pass(w, r)
				}
				return readOnly(pass)(w, r)
			}
		}
	}
	return nil
}

// joint returns an OpenAPI document of the server, together with its delegate unless the path is
// blank.
func (s *Server) joint(ctx context.Context, path string, own func() (*openapi.Document, error)) (
	*openapi.Document, error,
) {
	doc, err := own()
	if err != nil || s.config.delegate == nil || path == "" {
		return doc, err
	}
	return s.config.delegate.OpenAPI(ctx, path, doc)
}

// serveDelegated answers a request for a resource of another server, whose user may make it.
func (c *call) serveDelegated(h http.Handler) error {
	if !slices.Contains(delegatedMethods, c.r.Method) {
		return metav1.Failure(metav1.StatusReasonMethodNotAllowed, "the method is not supported")
	}
	if !c.isLong() {
		h.ServeHTTP(c.w, c.r)
		return nil
	}
	release, err := c.s.limiter.watch(c.User)
	if err != nil {
		return err
	}
	defer release()
	ctx, t := c.ctx, traceOf(c.ctx)
	if t.lengthen != nil {
		ctx = t.lengthen()
	}
	if t.writer != nil { // a client that does not read is not waited for longer than for other answers
		t.writer.time = c.s.config.limits.RequestTime
		_ = http.NewResponseController(t.writer).SetReadDeadline(time.Time{}) // the body may be a stream, too
	}
	ctx, cancel := context.WithCancel(ctx) // it ends with the server
	defer cancel()
	defer context.AfterFunc(c.s.ctx, cancel)()
	h.ServeHTTP(c.w, c.r.WithContext(ctx))
	return nil
}

// longSubresources are the subresources whose requests last as long as the client wants in
// Kubernetes.
var longSubresources = []string{"attach", "exec", "log", "portforward", "proxy"}

// isLong reports whether a delegated request lasts as long as the client wants: a watch, an
// upgraded connection, or a stream of a subresource.
func (c *call) isLong() bool {
	return isRead(c.r.Method) && asksForWatch(c.r) || c.r.Header.Get("Upgrade") != "" ||
		slices.Contains(longSubresources, c.Subresource)
}

// delegatedMethods are the methods that are passed on.
var delegatedMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions,
}
