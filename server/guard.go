package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// guard returns the check that keeps web pages away from a server that requires no credentials. A
// page that the user visits could reach it by a host name that its owner has resolve to this
// address (DNS rebinding), or by a cross-site request. Both are refused.
func (s *Server) guard() func(*http.Request) error {
	if s.config.authenticator != nil && s.config.authorizer != nil {
		return s.checkOrigin()
	}
	origin := s.checkOrigin()
	return func(r *http.Request) error {
		if r.Context().Value(inProcessKey{}) == nil && !s.config.knowsHost(r.Host) {
			return metav1.Failure(metav1.StatusReasonForbidden, "the host "+quote(r.Host)+
				" is not one of this server; see the option Hosts")
		}
		return origin(r)
	}
}

// checkOrigin returns the check that refuses cross-site requests.
func (s *Server) checkOrigin() func(*http.Request) error {
	protection := http.NewCrossOriginProtection()
	return func(r *http.Request) error {
		if s.config.cors.allows(r.Header.Get("Origin")) {
			return nil
		}
		if err := protection.Check(r); err != nil {
			return metav1.Failure(metav1.StatusReasonForbidden,
				"a request from another site is refused; see the option CORS")
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" &&
			r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return metav1.Failure(metav1.StatusReasonForbidden,
				"a request from another site is refused; see the option CORS")
		}
		return nil
	}
}

// knowsHost reports whether the Host header names this server: a loopback address or name, or a
// configured host. A server that listens on other addresses without authorization, and has no
// configured hosts, cannot tell. A request over a pipe may have no Host.
func (c *config) knowsHost(host string) bool {
	if c.unguarded && len(c.hosts) == 0 || host == "" {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if slices.ContainsFunc(c.hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.IsLoopback() || c.unguarded || c.authorizer != nil
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
