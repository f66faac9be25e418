package auth

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// FrontProxyOptions say which proxy is trusted, and in which headers it names the user.
type FrontProxyOptions struct {
	_ struct{} // literals name their fields

	// Roots are the authorities that sign the client certificate of the proxy. They must not sign
	// those of users.
	Roots *x509.CertPool
	// Names are the common names that the certificate may have; none means any.
	Names []string
	// UserHeaders, UIDHeaders and GroupHeaders are the headers to look at, the first that is set
	// counts; by default X-Remote-User, X-Remote-Uid and X-Remote-Group. ExtraPrefixes begin the
	// names of headers with further values, by default X-Remote-Extra-.
	UserHeaders, UIDHeaders, GroupHeaders, ExtraPrefixes []string
}

// FrontProxy finds users by the headers of a proxy that has authenticated them. A request with such
// headers is refused unless its connection has a client certificate of the proxy. A request without
// them has no user here.
func FrontProxy(o FrontProxyOptions) (Authenticator, error) {
	if o.Roots == nil {
		return nil, errors.New("auth: FrontProxy requires Roots; without them any client could claim to be the proxy")
	}
	defaults := func(names *[]string, name string) {
		if len(*names) == 0 {
			*names = []string{name}
		}
	}
	defaults(&o.UserHeaders, "X-Remote-User")
	defaults(&o.UIDHeaders, "X-Remote-Uid")
	defaults(&o.GroupHeaders, "X-Remote-Group")
	defaults(&o.ExtraPrefixes, "X-Remote-Extra-")
	return AuthenticatorFunc(o.authenticate), nil
}

func (o FrontProxyOptions) authenticate(r *http.Request) (*User, error) {
	name := first(r.Header, o.UserHeaders)
	if name == "" {
		return nil, nil
	}
	leaf, err := verified(r, o.Roots)
	switch {
	case err != nil:
		return nil, err
	case leaf == nil:
		return nil, fmt.Errorf("%w: headers of a proxy without its client certificate", ErrCredentials)
	case len(o.Names) > 0 && !slices.Contains(o.Names, leaf.Subject.CommonName):
		return nil, fmt.Errorf("%w: %q is not the name of the proxy", ErrCredentials, leaf.Subject.CommonName)
	}
	u := User{Name: name, UID: first(r.Header, o.UIDHeaders), Extra: o.extra(r.Header)}
	for _, header := range o.GroupHeaders {
		if u.Groups = slices.Clone(r.Header.Values(header)); len(u.Groups) > 0 {
			break
		}
	}
	if name == AnonymousName || slices.Contains(u.Groups, Unauthenticated) {
		return &u, nil // the proxy says that it does not know them
	}
	return known(u), nil
}

// extra returns the further values about the user. In header names their keys are escaped as in
// URLs.
func (o FrontProxyOptions) extra(h http.Header) map[string][]string {
	var out map[string][]string
	for name, values := range h {
		for _, prefix := range o.ExtraPrefixes {
			if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
				continue
			}
			key := strings.ToLower(name[len(prefix):])
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			if out == nil {
				out = map[string][]string{}
			}
			out[key] = append(out[key], values...)
		}
	}
	return out
}

// first returns the value of the first header that is set.
func first(h http.Header, names []string) string {
	for _, name := range names {
		if v := h.Get(name); v != "" {
			return v
		}
	}
	return ""
}
