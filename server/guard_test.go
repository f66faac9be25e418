package server_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Hosts("garage.local"),
		server.CORS(server.CORSSettings{Origins: []string{"https://dashboard.example.com"}}))
	const dashboard = "Origin: https://dashboard.example.com"
	run(t, s, sites, []step{
		{name: "loopback", method: "GET", headers: []string{"Host: 127.0.0.1:8080"}, code: http.StatusOK},
		{name: "in version 6", method: "GET", headers: []string{"Host: [::1]:8080"}, code: http.StatusOK},
		{name: "by name", method: "GET", headers: []string{"Host: LocalHost."}, code: http.StatusOK},
		{
			name: "a name that is configured", method: "GET", headers: []string{"Host: garage.local:80"},
			code: http.StatusOK,
		},
		{
			name: "a name that somebody made lead here", method: "GET", headers: []string{"Host: evil.example.com"},
			code: http.StatusForbidden,
		},
		{
			name: "an address that is not loopback", method: "GET", headers: []string{"Host: 192.0.2.1"},
			code: http.StatusForbidden,
		},
		{
			name: "a name that begins well", method: "GET", headers: []string{"Host: localhost.evil.example.com"},
			code: http.StatusForbidden,
		},
		{name: "a page that writes", method: "POST", headers: []string{
			"Sec-Fetch-Site: cross-site",
			"Origin: https://evil.example.com",
		}, body: site("a"), code: http.StatusForbidden},
		{
			name: "a page in an old browser that writes", method: "POST",
			headers: []string{"Origin: https://evil.example.com", "Content-Type: text/plain"}, body: site("a"),
			code: http.StatusForbidden,
		},
		{name: "a page that reads", method: "GET", headers: []string{
			"Sec-Fetch-Site: cross-site",
			"Sec-Fetch-Mode: cors",
		}, code: http.StatusForbidden},
		{
			name: "a link", method: "GET", headers: []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"},
			code: http.StatusOK,
		},
		{
			name: "a page that may", method: "POST", headers: []string{"Sec-Fetch-Site: cross-site", dashboard},
			body: site("a"), code: http.StatusCreated,
			want: []string{"Access-Control-Allow-Origin: https://dashboard.example.com", "Vary: Origin"},
		},
		{
			name: "what it asks first", method: "OPTIONS",
			headers: []string{dashboard, "Access-Control-Request-Method: PATCH"}, code: http.StatusNoContent,
			want: []string{"Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH", "Access-Control-Max-Age: 600"},
		},
		{name: "another page asks in vain", method: "OPTIONS", headers: []string{
			"Origin: https://evil.example.com",
			"Access-Control-Request-Method: PATCH",
		}, code: http.StatusNoContent, not: []string{"Access-Control-Allow"}},
	})
}

func TestListenRefusesEverybody(t *testing.T) {
	t.Parallel()
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0"} {
		if err := newServer(t).ListenAndServe(t.Context(), address); !errors.Is(err, server.ErrUnauthorizedAddress) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := newServer(t, server.Authorize(auth.AllowAll())).ListenAndServe(t.Context(), "192.0.2.1:0"); errors.Is(err,
		server.ErrUnauthorizedAddress) || err == nil {
		t.Errorf("with an authorizer: %v", err)
	}
}
