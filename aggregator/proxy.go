package aggregator

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
)

// The headers that name the user to the other server.
const (
	headerUser   = "X-Remote-User"
	headerUID    = "X-Remote-Uid"
	headerGroup  = "X-Remote-Group"
	headersExtra = "X-Remote-Extra-"
)

// newProxy returns the handler that passes requests on to the server.
func (b *backend) newProxy() http.Handler {
	return &httputil.ReverseProxy{
		Transport:     b.transport,
		FlushInterval: -1, // events of a watch go out as they come
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(b.url)
			r.Out.Host = "" // the host of the URL
			r.SetXForwarded()
			nameUser(r.Out.Header, auth.UserOf(r.In.Context()))
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				b.aggregator.config.Log.WarnContext(r.Context(), "aggregator: a request failed",
					"url", b.url.Redacted(), "path", r.URL.Path, "error", err)
			}
			b.aggregator.api.Error(w, r, unreachable(r, err))
		},
	}
}

// nameUser replaces what a client says about users by who it is. The credentials of the client stay
// here.
func nameUser(h http.Header, user *auth.User) {
	h.Del("Authorization")
	for name := range h {
		if len(name) >= len("X-Remote-") && strings.EqualFold(name[:len("X-Remote-")], "X-Remote-") {
			delete(h, name)
		}
	}
	if user == nil {
		user = auth.Anonymous()
	}
	h.Set(headerUser, user.Name)
	if user.UID != "" {
		h.Set(headerUID, user.UID)
	}
	for _, group := range user.Groups {
		h.Add(headerGroup, group)
	}
	for key, values := range user.Extra {
		for _, value := range values {
			h.Add(headersExtra+url.PathEscape(key), value)
		}
	}
}

// unreachable is the answer to a request whose server does not answer. Clients repeat what is
// answered with Retry-After, so that is left out where the server may have carried out a write.
func unreachable(r *http.Request, err error) error {
	reason, message := metav1.StatusReasonServiceUnavailable, "the server for this group version does not answer"
	if errors.Is(err, context.DeadlineExceeded) {
		reason, message = metav1.StatusReasonTimeout, "the server for this group version took too long"
	}
	if !isRead(r) && !isUnsent(err) {
		return metav1.Failure(reason, message+"; the request may or may not have taken effect")
	}
	e := metav1.Failure(reason, message)
	e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	return e
}

// isRead reports whether a request changes nothing.
func isRead(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// isUnsent reports whether there was no connection to send a request on.
func isUnsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// ServeHTTP passes a request on within the limits of the server.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tokens := b.requests
	if isLong(r) {
		tokens = b.watches
	}
	select {
	case tokens <- struct{}{}:
		defer func() { <-tokens }()
	default:
		e := metav1.Failure(metav1.StatusReasonTooManyRequests,
			"too many requests are with the server for this group version")
		e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		b.aggregator.api.Error(w, r, e)
		return
	}
	b.proxy.ServeHTTP(w, r)
}

// isLong reports whether a request is a watch or an upgraded connection, which last.
func isLong(r *http.Request) bool {
	if r.Header.Get("Upgrade") != "" {
		return true
	}
	value := r.URL.Query()["watch"]
	return len(value) > 0 && value[0] != "0" && !strings.EqualFold(value[0], "false")
}
