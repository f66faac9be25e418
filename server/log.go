package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// trace is what is known about a request outside of its handler.
type trace struct {
	id      string
	began   time.Time
	arrived time.Time // by the clock of the server
	request *Request  // for the log and the metrics; nil unless it is about a resource

	impersonator *auth.User // nil unless the user acts as another one

	// lengthen ends the limits of an ordinary request, its time included, and returns the context
	// of the client. It is nil for a watch and in process.
	lengthen func() context.Context
	writer   *statusWriter
}

type traceKey struct{}

// traceOf returns the trace of a request, an empty one in process.
func traceOf(ctx context.Context) *trace {
	if t, ok := ctx.Value(traceKey{}).(*trace); ok {
		return t
	}
	return &trace{}
}

// requestID returns the ID of a request.
func requestID(ctx context.Context) string { return traceOf(ctx).id }

// statusWriter records the code of a response and sets a deadline for each part of it.
type statusWriter struct {
	http.ResponseWriter
	code int
	time time.Duration // for each answerPart, none if it is not positive
	gone bool          // writing to the client has failed
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(code int) {
	if code >= 200 {
		w.begin(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// begin notes the code of the response. A response whose header does not say otherwise is for its
// user alone, and must not be reused before the server has confirmed it, as in Kubernetes.
func (w *statusWriter) begin(code int) {
	if w.code != 0 {
		return
	}
	w.code = code
	if h := w.Header(); h["Cache-Control"] == nil {
		h.Set("Cache-Control", "no-cache, private")
	}
}

// Write implements [http.ResponseWriter].
func (w *statusWriter) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.writeParts(p)
	w.gone = w.gone || err != nil
	return n, err
}

// ReadFrom implements [io.ReaderFrom]. It lets the connection read a source of at most answerPart
// bytes, which says so by Len, as those of package httpapi and readers of package bytes do, and
// copies others.
func (w *statusWriter) ReadFrom(src io.Reader) (int64, error) {
	inner, ok := w.ResponseWriter.(io.ReaderFrom)
	sized, says := src.(interface{ Len() int })
	if !ok || !says || sized.Len() > answerPart {
		return io.Copy(struct{ io.Writer }{w}, src)
	}
	w.begin(http.StatusOK)
	w.limitPart()
	n, err := inner.ReadFrom(src)
	w.gone = w.gone || err != nil
	return n, err
}

// answerPart is how many bytes of a response a client has to receive before the next deadline. They
// are written at once, because each write wakes the client.
const answerPart = 1 << 20

// writeParts writes p with a deadline for each part of it, so that an answer may take as long as
// its client goes on reading, and no longer.
func (w *statusWriter) writeParts(p []byte) (written int, err error) {
	if w.time <= 0 {
		return w.ResponseWriter.Write(p)
	}
	for {
		part := p[:min(answerPart, len(p))]
		w.limitPart()
		n, err := w.ResponseWriter.Write(part)
		written += n
		if p = p[n:]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}

// limitPart sets the deadline of the next part, if there is one and the connection supports
// deadlines.
func (w *statusWriter) limitPart() {
	if w.time > 0 {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.time))
	}
}

// FlushError implements the interface that [http.ResponseController] uses for flushing. What it
// sends may be the header alone, after the deadline of the beginning.
func (w *statusWriter) FlushError() error {
	w.begin(http.StatusOK)
	w.limitPart()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack implements [http.Hijacker], for a connection that continues in another protocol.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.code = http.StatusSwitchingProtocols
	}
	return c, rw, err
}

// Unwrap returns the writer below, for an [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe counts and logs a request that has been answered.
func (s *Server) observe(w *statusWriter, r *http.Request, t *trace) {
	took := time.Since(t.began)
	key := series{verb: "other", code: w.code}
	if q := t.request; q != nil {
		if served := s.state.Load().resources[q.Resource]; served != nil {
			key = series{q.Verb, q.Resource.Group, q.Resource.Version, q.Resource.Resource, q.Subresource, w.code}
			if !slices.Contains(storedVerbs, q.Verb) { // it is a method that the client made up
				key.verb = "other"
			}
			if served.subresources[q.Subresource] == nil {
				key.subresource = ""
			}
		}
	}
	s.metrics.observe(key, took)
	if !s.config.log.Enabled(r.Context(), slog.LevelDebug) {
		return
	}
	s.config.log.DebugContext(r.Context(), "request", "request", t.id, "method", r.Method, "path", r.URL.Path,
		"code", w.code,
		"took", took, "remote", r.RemoteAddr, "agent", r.UserAgent())
}

// logFailure logs an error of the server itself, once: a masked error has been logged already.
// Requests to a closed server, or for a resource that is being replaced or served by another
// replica, are not failures.
func (s *Server) logFailure(r *http.Request, err error) {
	_, logged := errors.AsType[*maskedError](err)
	if logged || errors.Is(err, errUnavailable) || errors.Is(err, errReplaced) || errors.Is(err, errAtPeer) {
		return
	}
	level := slog.LevelError
	if errors.Is(err, store.ErrFuture) || errors.Is(err, errCanceled) || // the client's choice
		errors.Is(err, dynamic.ErrNoSize) ||
		metav1.ReasonOf(err) == metav1.StatusReasonExpired { // of a watch; the client lists again
		level = slog.LevelDebug
	}
	attributes := append([]slog.Attr{
		slog.String("request", requestID(r.Context())), slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
	}, failure(err)...)
	if u := auth.UserOf(r.Context()); u != nil {
		attributes = append(attributes, slog.String("user", u.Name))
	}
	if e, ok := errors.AsType[*metav1.StatusError](err); ok && e.Err != nil &&
		!strings.Contains(err.Error(), e.Err.Error()) {
		attributes = append(attributes, slog.Any("cause", e.Err)) // not sent to the client
	}
	s.config.log.LogAttrs(r.Context(), level, "request failed", attributes...)
}

// sendWarnings writes the warnings of a request into the headers of its answer.
func (c *call) sendWarnings() {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, text := range c.takeWarnings() {
		c.w.Header().Add("Warning", `299 - "`+escape.Replace(printable(text))+`"`)
	}
}
