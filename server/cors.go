package server

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// CORSSettings select the web pages of other sites that may use the server, as the Fetch standard
// defines.
type CORSSettings struct {
	_ struct{} // literals name their fields

	// Origins are the origins of the pages, such as "https://dashboard.example.com". "*" is not
	// supported, because a page acts with the rights of the user who views it.
	Origins []string
	// Credentials lets them send cookies and client certificates.
	Credentials bool
	// MaxAge is how long browsers may remember the answer to a preflight request; 10 minutes if it
	// is zero.
	MaxAge time.Duration
}

// CORS lets web pages of other sites use the server.
func CORS(o CORSSettings) Option { return optionFunc(func(c *config) { c.cors = &o }) }

// allows reports whether pages of an origin may use the server.
func (c *CORSSettings) allows(origin string) bool {
	return c != nil && origin != "" && slices.Contains(c.Origins, origin)
}

// corsMethods are the methods that pages may use, corsHeaders the headers that they may send, and
// corsExposed those that they may read.
const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	corsHeaders = "Accept, Authorization, Content-Type, If-Match, If-None-Match"
	corsExposed = "Etag, Warning, Retry-After, Date"
)

// serveCORS writes the headers for a page of another site. It reports whether the request was a
// preflight request and has been answered.
func (c *CORSSettings) serveCORS(w http.ResponseWriter, r *http.Request) bool {
	if c == nil {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !c.allows(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if c.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return false
	}
	age := c.MaxAge
	if age == 0 {
		age = 10 * time.Minute
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(age/time.Second)))
	h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	w.WriteHeader(http.StatusNoContent)
	return true
}
