package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// chain returns the handler of all requests. It gives each request an ID, counts it, refuses it if
// a page of another site sent it, authenticates it, applies the limits, and answers it.
func (s *Server) chain() http.Handler {
	guard := s.guard()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &trace{id: newUID(), began: time.Now(), arrived: s.config.now()}
		r = r.WithContext(context.WithValue(r.Context(), traceKey{}, t))
		counted := s.limitTransfer(w, r)
		t.writer = counted
		counted.Header().Set("Audit-Id", t.id)
		counted.Header().Set("X-Content-Type-Options", "nosniff")
		defer s.observe(counted, r, t)
		if s.config.cors.serveCORS(counted, r) {
			return
		}
		api := s.state.Load().apiFor(r)
		api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			err := s.protected(guard, w, r)
			if p, ok := errors.AsType[*panicError](err); ok && p.value == http.ErrAbortHandler {
				panic(p.value) // net/http ends the connection
			}
			if counted.gone {
				return err // the client has left, which is not a failure of the server
			}
			return s.masked(r, err)
		}).ServeHTTP(counted, r)
		counted.begin(http.StatusOK) // unless something has been written
	})
}

// protected answers a request that passes the guard, has a user and is within the limits.
func (s *Server) protected(guard func(*http.Request) error, w http.ResponseWriter, r *http.Request) (err error) {
	defer recovered(&err)
	if err := cmp.Or(guard(r), s.refuseOwn(r)); err != nil {
		return err
	}
	if s.over(r.Context().Value(inProcessKey{}) != nil) {
		return unavailable(errUnavailable)
	}
	user, err := s.authenticate(r)
	if err != nil {
		// RFC 9110 requires a challenge, although Kubernetes sends none.
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.auditRefused(r, auth.Anonymous(), err)
		return err
	}
	if impersonates(r.Header) {
		as, err := s.asImpersonated(r, user)
		if err != nil {
			s.auditRefused(r, user, err)
			return err
		}
		user = as
	}
	ctx := auth.WithUser(r.Context(), user)
	serve, watch := s.route(r)
	if watch { // it has limits of its own, and ends with the server
		if s.over(false) {
			return unavailable(errUnavailable)
		}
		traceOf(ctx).writer.time = 0
		bounded, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		return serve(w, r.WithContext(bounded))
	}
	release := func() {}
	if !isLiveness(r.URL.Path) {
		if release, err = s.limiter.request(!isRead(r.Method)); err != nil {
			return err
		}
		release = sync.OnceFunc(release)
	}
	defer release()
	if limit := s.config.limits.RequestTime; limit > 0 {
		whole := ctx
		traceOf(ctx).lengthen = func() context.Context { release(); return whole }
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = bounded
	}
	return serve(w, r.WithContext(ctx))
}

// over reports whether a request comes too late, because the server is closing. One in process may
// be made by a hook of a request that is under way, so it is answered until the store is closed.
func (s *Server) over(inProcess bool) bool {
	return s.ctx.Err() != nil && (!inProcess || s.stores.main.Err() != nil)
}

// limitTransfer bounds how long a client may take to send its body, and to receive each part of the
// answer. A watch lifts the deadline of its answer when it begins. A connection that has no
// deadlines is bounded by the context of the request alone.
func (s *Server) limitTransfer(w http.ResponseWriter, r *http.Request) *statusWriter {
	out := &statusWriter{ResponseWriter: w}
	limit := s.config.limits.RequestTime
	if limit <= 0 {
		return out
	}
	out.time = limit
	out.limitPart() // the connection may have the deadline of an earlier answer
	if r.Body != nil && r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	}
	return out
}

// isRead reports whether a method changes nothing.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// isLiveness reports whether a path is that of /livez, which has no limit: a supervisor would
// restart a server that is merely busy.
func isLiveness(path string) bool {
	root, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
	return root == "livez"
}

// The causes of responses that tell clients to try again: the request has reached a closed server,
// or a resource whose definition changed meanwhile or has not reached this replica.
var (
	errUnavailable = errors.New("the server is shutting down")
	errReplaced    = errors.New("the definition of the resource has just changed; try again")
	errAtPeer      = errors.New("another replica serves the resource, and this one does not yet; try again")
)

// errCanceled is the cause of the response to requests that their client has canceled.
var errCanceled = errors.New("the client has canceled the request")

// unavailable refuses a request and lets the client try again.
func unavailable(cause error) error {
	e := metav1.Failure(metav1.StatusReasonServiceUnavailable, cause.Error())
	e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	e.Err = cause
	return e
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = &panicError{value: p, stack: debug.Stack()}
	}
}

// panicError is a panic of a hook or function as an error.
type panicError struct {
	value any
	stack []byte
}

// Error returns the value of the panic.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// failure returns the attributes of an error in the log: its text and, of a panic, the stack.
func failure(err error) []slog.Attr {
	out := []slog.Attr{slog.Any("error", err)}
	if p, ok := errors.AsType[*panicError](err); ok {
		out = append(out, slog.String("stack", string(p.stack)))
	}
	return out
}

// masked returns the error that is sent to the client. Internal errors are logged, and the client
// gets the ID of the request instead.
func (s *Server) masked(r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	err = s.ended(ifRemoved(err))
	status := asStatus(err)
	if status.Status.Code != http.StatusInternalServerError && status.Status.Code >= 400 ||
		errors.Is(err, dynamic.ErrNoSize) { // Kubernetes answers 500, but clients can see and fix the cause
		return err
	}
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		e := metav1.Failure(metav1.StatusReasonTimeout, "the request was canceled")
		e.Err = errCanceled
		return e
	}
	s.logFailure(r, err)
	if _, undecodable := errors.AsType[*store.UndecodableError](err); undecodable {
		return &maskedError{*metav1.Failure(metav1.StatusReasonStoreReadError,
			"the stored object cannot be decoded, perhaps because a newer release has written it; the server has "+
				"logged the cause with the request ID "+requestID(r.Context())+
				"; the option ignoreStoreReadErrorWithClusterBreakingPotential deletes it for good")}
	}
	return &maskedError{*metav1.Failure(metav1.StatusReasonInternalError,
		"internal error; the server has logged it with the request ID "+requestID(r.Context()))}
}

// ifRemoved returns the error of a resource that is not served any more as 404, or as 503 if
// another definition has replaced it. Other errors are returned as they are.
func ifRemoved(err error) error {
	switch {
	case errors.Is(err, store.ErrReplaced):
		return unavailable(errReplaced)
	case errors.Is(err, store.ErrRemoved):
		return notFound("the resource has just been removed")
	}
	return err
}

// ended returns the error of a request that met the closing of the server as 503. Other errors are
// returned as they are, such as that of a write by which the engine ended, which may have taken
// effect.
func (s *Server) ended(err error) error {
	if s.ctx.Err() != nil && errors.Is(err, store.ErrClosed) && !s.stores.failed() {
		return unavailable(errUnavailable)
	}
	return err
}

// maskedError is an internal error that has been logged.
type maskedError struct{ metav1.StatusError }

// Unwrap returns the status that is sent to the client.
func (e *maskedError) Unwrap() error { return &e.StatusError }
