package aggregator

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/query"
	"github.com/askind/askind/server/auth"
)

// newProxy returns the handler that forwards requests to the server.
func (b *backend) newProxy() http.Handler {
	return &httputil.ReverseProxy{
		Transport:     routed{b},
		ErrorLog:      slog.NewLogLogger(b.aggregator.config.Log.Handler(), slog.LevelWarn),
		FlushInterval: -1, // sends events of a watch at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(b.url)
			r.Out.Host = "" // the host of the URL
			r.SetXForwarded()
			r.Out.Trailer = nil // trailers could name a user; see [routed] for those of responses
			r.Out.Header.Add("Via", b.aggregator.via)
			nameUser(r.Out.Header, auth.UserOf(r.In.Context()))
		},
		ModifyResponse: b.confine,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				b.aggregator.config.Log.WarnContext(r.Context(), "aggregator: a request failed",
					"url", b.url.Redacted(), "path", r.URL.Path, "error", err)
			}
			b.aggregator.api.Error(w, r, unreachable(r, err))
		},
	}
}

// errRedirect reports that a server redirects a client.
var errRedirect = errors.New("the server answers with a redirect")

// confine removes cookies and CORS headers from the response of a server, and rejects redirects,
// because clients hold credentials for the front. A redirect to the same path with another query
// is passed on: servers of Kubernetes redirect to the present hash of an OpenAPI document.
func (b *backend) confine(resp *http.Response) error {
	if resp.StatusCode/100 == 3 && resp.StatusCode != http.StatusNotModified && !b.staysAt(resp) {
		return errRedirect
	}
	for name := range resp.Header {
		if name == "Set-Cookie" || name == "Clear-Site-Data" || name == "Strict-Transport-Security" ||
			strings.HasPrefix(name, "Access-Control-") {
			delete(resp.Header, name)
		}
	}
	return nil
}

// staysAt reports whether a redirect leads to the path of its request, as the client knows it.
func (b *backend) staysAt(resp *http.Response) bool {
	to, err := url.Parse(resp.Header.Get("Location"))
	return err == nil && to.Scheme == "" && to.Host == "" && to.User == nil && to.Opaque == "" &&
		to.Path == resp.Request.URL.Path && strings.Trim(b.url.Path, "/") == ""
}

// unreachable returns the error for a request whose server does not respond. It omits Retry-After
// if the server may have carried out a write, because clients retry after a response with it.
func unreachable(r *http.Request, err error) error {
	reason, message := metav1.StatusReasonServiceUnavailable, "the server for this group version does not answer"
	if errors.Is(err, errRedirect) {
		return metav1.Failure(reason, "the server for this group version answers with a redirect, which is not allowed")
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		reason, message = metav1.StatusReasonTimeout, "the server for this group version took too long"
	}
	if !isRead(r) && !isUnsent(err) {
		return metav1.Failure(reason, message+"; the request may or may not have taken effect")
	}
	return retryable(reason, message)
}

// retryable returns an error after which clients try again.
func retryable(reason metav1.StatusReason, message string) error {
	e := metav1.Failure(reason, message)
	e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	return e
}

// isRead reports whether a request changes nothing.
func isRead(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// isUnsent reports whether a request failed before it was sent.
func isUnsent(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// ServeHTTP forwards a request within the limits of the server. A request that this aggregator has
// forwarded before is refused, because it would go round until a limit is reached.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.aggregator.Sent(r) {
		e := metav1.Failure(metav1.StatusReasonServiceUnavailable, "the URL "+b.url.Redacted()+
			" of the registration leads back to this server; it must be that of the server with the group version")
		e.Status.Code = http.StatusLoopDetected
		b.aggregator.api.Error(w, r, e)
		return
	}
	if upgradesToHTTP(r) {
		r = r.Clone(r.Context())
		r.Header.Del("Upgrade") // which a server may ignore
	}
	tokens := b.requests
	if isLong(r) {
		tokens = b.watches
	}
	select {
	case tokens <- struct{}{}:
		defer func() { <-tokens }()
	default:
		b.aggregator.api.Error(w, r,
			metav1.TooManyRequests("too many concurrent requests for the server of this group version", 1))
		return
	}
	if r.Context().Value(http.ServerContextKey) == nil {
		// In process. Without this key the reverse proxy ends a response that it could not copy as
		// if it were complete; with it, it aborts the response.
		r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, &http.Server{}))
	}
	b.proxy.ServeHTTP(w, r)
}

// upgradesToHTTP reports whether a request asks for a connection that carries HTTP. Requests on it
// would not be authorized by the front, and could name any user.
func upgradesToHTTP(r *http.Request) bool {
	for protocol := range strings.SplitSeq(strings.ToLower(r.Header.Get("Upgrade")), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(protocol), "/")
		if slices.Contains([]string{"h2c", "h2", "http", "tls"}, name) {
			return true
		}
	}
	return false
}

// longPath matches the paths of subresources whose requests last as long as the client wants, and
// those below them.
var longPath = regexp.MustCompile(
	`^/(api|apis/[^/]+)/[^/]+/(namespaces/[^/]+/)?[^/]+/[^/]+/(attach|exec|log|portforward|proxy)(/|$)`)

// isLong reports whether a request is long-running: a watch, an upgraded connection, or a stream of
// a subresource. The server in front has the same rules.
func isLong(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || longPath.MatchString(r.URL.Path) || isWatch(r)
}

// isWatch reports whether a request is a watch.
func isWatch(r *http.Request) bool {
	value := r.URL.Query()["watch"]
	return isRead(r) && len(value) > 0 && query.ParseBool(value[0])
}
