package aggregator

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/askind/askind/server/auth"
)

// The headers that name the user to the other server.
const (
	headerUser   = "X-Remote-User"
	headerUID    = "X-Remote-Uid"
	headerGroup  = "X-Remote-Group"
	headersExtra = "X-Remote-Extra-"
)

// nameUser replaces the headers about users by those of the authenticated user, also those that
// ask a server of Kubernetes to act as another user: the server in front has authorized this one.
// It removes the credentials of the client, and its cookies, which belong to the front because
// those of the server are removed from responses.
func nameUser(h http.Header, user *auth.User) {
	h.Del("Authorization")
	h.Del("Cookie")
	for name := range h {
		// Some servers do not distinguish underscores and hyphens.
		plain := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if strings.HasPrefix(plain, "x-remote-") || strings.HasPrefix(plain, "impersonate-") {
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
			h.Add(headersExtra+escapeKey(key), value)
		}
	}
}

// escapeKey escapes a key for the name of a header. [url.PathEscape] leaves characters that header
// names cannot have, such as a colon.
func escapeKey(key string) string { return strings.ReplaceAll(url.QueryEscape(key), "+", "%20") }

// self is the user of the aggregator's own requests.
var self = &auth.User{Name: "system:aggregator", Groups: []string{auth.Authenticated}}

// asSelf is the transport of the aggregator's own requests.
type asSelf struct {
	http.RoundTripper
	via     string
	allowed *allowance
}

// RoundTrip implements [http.RoundTripper].
func (t asSelf) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	nameUser(r.Header, self)
	r.Header.Add("Via", t.via)
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = limitedBody{resp.Body, t.allowed}
	}
	return resp, err
}
