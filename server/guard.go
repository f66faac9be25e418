package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// guard returns the check that keeps web pages away from the server. A page that the user visits
// could reach one that requires no credentials by a host name that its owner has resolve to this
// address (DNS rebinding), or any by a cross-site request. Both are refused.
func (s *Server) guard() func(*http.Request) error {
	anyHost := s.config.authenticator != nil && s.config.authorizer != nil
	protection := http.NewCrossOriginProtection()
	return func(r *http.Request) error {
		if !anyHost && r.Context().Value(inProcessKey{}) == nil && !s.config.knowsHost(r.Host) {
			return metav1.Failure(metav1.StatusReasonForbidden, "the host "+quote(r.Host)+
				" is not one of this server; see the option Hosts")
		}
		crossSite := r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate"
		if !s.config.cors.allows(r.Header.Get("Origin")) && (crossSite || protection.Check(r) != nil) {
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
