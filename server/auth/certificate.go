package auth

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
)

// ErrCredentials reports that the credentials of a request are not valid. Errors of the
// authenticators of this package wrap it.
var ErrCredentials = errors.New("invalid credentials")

// ClientCertificates finds users by the certificate of a TLS connection: its common name is the
// name of the user, its organizations are the groups. The certificate must be valid for client
// authentication and lead to one of the roots, whatever the TLS server has checked. A connection
// without one has no user here.
func ClientCertificates(roots *x509.CertPool) Authenticator {
	return AuthenticatorFunc(func(r *http.Request) (*User, error) {
		leaf, err := verified(r, roots)
		switch {
		case err != nil || leaf == nil:
			return nil, err
		case leaf.Subject.CommonName == "":
			return nil, fmt.Errorf("%w: the client certificate has no common name", ErrCredentials)
		}
		return known(User{Name: leaf.Subject.CommonName, Groups: leaf.Subject.Organization}), nil
	})
}

// verified returns the client certificate of a request, or nil if it has none.
func verified(r *http.Request, roots *x509.CertPool) (*x509.Certificate, error) {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return nil, nil
	}
	o := x509.VerifyOptions{
		Roots: roots, Intermediates: x509.NewCertPool(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if roots == nil {
		o.Roots = x509.NewCertPool() // never the roots of the system
	}
	for _, c := range r.TLS.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	leaf := r.TLS.PeerCertificates[0]
	if _, err := leaf.Verify(o); err != nil {
		return nil, fmt.Errorf("%w: the client certificate: %w", ErrCredentials, err)
	}
	return leaf, nil
}
