package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

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
		{name: "a page of the server that reads", method: "GET", headers: []string{
			"Sec-Fetch-Site: same-origin",
			"Sec-Fetch-Mode: cors",
		}, code: http.StatusOK},
		{name: "a page that says nothing of the mode", method: "GET", headers: []string{
			"Sec-Fetch-Site: cross-site",
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

// TestCORSSettings checks what pages may send, and for how long browsers remember it.
func TestCORSSettings(t *testing.T) {
	t.Parallel()
	const origin = "https://dashboard.example.com"
	for _, tt := range []struct {
		name             string
		settings         server.CORSSettings
		credentials, age string
	}{
		{"the defaults", server.CORSSettings{}, "", "600"},
		{"credentials", server.CORSSettings{Credentials: true}, "true", "600"},
		{"an age", server.CORSSettings{MaxAge: 90 * time.Second}, "", "90"},
	} {
		tt.settings.Origins = []string{origin}
		s := newServer(t, server.CORS(tt.settings))
		for _, from := range []string{origin, "https://other.example.com"} {
			h := request(s, "OPTIONS", sites, "", "Origin: "+from, "Access-Control-Request-Method: PUT").Header()
			credentials, age := tt.credentials, tt.age
			if from != origin {
				credentials, age = "", ""
			}
			if got := h.Get("Access-Control-Allow-Credentials"); got != credentials {
				t.Errorf("%s, %s: credentials %q, want %q", tt.name, from, got, credentials)
			}
			if got := h.Get("Access-Control-Max-Age"); got != age {
				t.Errorf("%s, %s: age %q, want %q", tt.name, from, got, age)
			}
		}
	}
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

// TestGuardNeedsBoth checks that a server which has only one of an authenticator and an authorizer
// is kept from pages of other sites, because either alone lets anonymous users in.
func TestGuardNeedsBoth(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]server.Option{
		"authorizer":    server.Authorize(auth.AllowAll()),
		"authenticator": server.Authenticate(auth.Tokens(map[string]auth.User{"a": {Name: "anna"}})),
	} {
		run(t, newServer(t, option), sites, []step{{
			name: "only an " + name, method: "GET", headers: []string{"Host: evil.example.com", "Authorization: Bearer a"},
			code: http.StatusForbidden,
		}})
	}
}

// TestUnguardedServersHaveNoNames checks that a server which serves everybody, and knows no name of
// its own, answers whatever name it is called by.
func TestUnguardedServersHaveNoNames(t *testing.T) {
	t.Parallel()
	run(t, newServer(t, server.ServeUnauthorized()), sites, []step{
		{name: "any name", method: "GET", headers: []string{"Host: garage.example.com"}, code: http.StatusOK},
		{name: "any address", method: "GET", headers: []string{"Host: 192.0.2.1:80"}, code: http.StatusOK},
	})
	run(t, newServer(t, server.ServeUnauthorized(), server.Hosts("garage.example.com")), sites, []step{
		{name: "its name", method: "GET", headers: []string{"Host: garage.example.com"}, code: http.StatusOK},
		{name: "another name", method: "GET", headers: []string{"Host: evil.example.com"}, code: http.StatusForbidden},
	})
}

// TestHosts checks which hosts are served, for each way in which a server can be reached.
func TestHosts(t *testing.T) {
	t.Parallel()
	tokens := server.Authenticate(auth.Tokens(map[string]auth.User{"a": {Name: "anna"}}))
	for _, tt := range []struct {
		name    string
		options []server.Option
		known   []string
		unknown []string
	}{
		{
			"loopback", nil,
			[]string{"", "localhost", "app.localhost:80", "[::1]", "127.9.9.9", "LOCALHOST:1"},
			[]string{
				"evil.example.com", "evil.example.com:80", "mylocalhost", "localhost.example.com", "192.0.2.1:80",
				"[2001:db8::1]", "[2001:db8::1]:80", "0.0.0.0", "in-process.invalid",
			},
		},
		{
			"with hosts",
			[]server.Option{server.Hosts("Garage.local", "192.0.2.1")},
			[]string{"", "garage.LOCAL.", "garage.local:80", "192.0.2.1:80", "localhost"},
			[]string{"local", "www.garage.local", "192.0.2.2"},
		},
		{
			"for everybody",
			[]server.Option{server.ServeUnauthorized()},
			[]string{"", "evil.example.com", "192.0.2.1"},
			nil,
		},
		{
			"for everybody, with hosts",
			[]server.Option{server.ServeUnauthorized(), server.Hosts("garage.local")},
			[]string{"", "garage.local", "192.0.2.1", "localhost"},
			[]string{"evil.example.com"},
		},
		{
			"with an authorizer",
			[]server.Option{server.Authorize(auth.AllowAll())},
			[]string{"", "192.0.2.1", "localhost"},
			[]string{"evil.example.com"},
		},
		{
			"with an authenticator",
			[]server.Option{tokens},
			[]string{"", "localhost"},
			[]string{"evil.example.com", "192.0.2.1"},
		},
		{
			"with both",
			[]server.Option{tokens, server.Authorize(auth.AllowAll())},
			[]string{"", "evil.example.com", "192.0.2.1"},
			nil,
		},
	} {
		s := newServer(t, tt.options...)
		for code, hosts := range map[int][]string{http.StatusOK: tt.known, http.StatusForbidden: tt.unknown} {
			for _, host := range hosts {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, sites, nil)
				r.Host = host
				r.Header.Set("Authorization", "Bearer a")
				w := httptest.NewRecorder()
				if s.ServeHTTP(w, r); w.Code != code {
					t.Errorf("%s: %q: code %d, want %d: %s", tt.name, host, w.Code, code, w.Body)
				}
			}
		}
	}
}
