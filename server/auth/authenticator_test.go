package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/server/auth"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.issue(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "roots"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

func (a *authority) issue(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// client returns a certificate for a client.
func (a *authority) client(name string, usage x509.ExtKeyUsage, until time.Duration,
	groups ...string,
) *x509.Certificate {
	cert, _ := a.issue(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name, Organization: groups}, NotBefore: time.Now().
				Add(-2 * time.Hour), NotAfter: time.Now().Add(until),
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
	})
	return cert
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// with returns a request with a client certificate, nil for none, and headers.
func with(cert *x509.Certificate, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if cert != nil {
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}}
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestAuthenticators(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	client, server := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	proxy, err := auth.FrontProxy(auth.FrontProxyOptions{Roots: ours.pool(), Names: []string{"proxy"}})
	if err != nil {
		t.Fatal(err)
	}
	certificates := auth.ClientCertificates(ours.pool())
	tokens := auth.Tokens(map[string]auth.User{"t": {Name: "anna", Groups: []string{"g"}}})
	anna := &auth.User{Name: "anna", Groups: []string{"g", auth.Authenticated}}
	for _, c := range []struct {
		name string
		a    auth.Authenticator
		r    *http.Request
		want *auth.User
		bad  bool
	}{
		{"a certificate", certificates, with(ours.client("anna", client, time.Hour, "g")), anna, false},
		{"no certificate", certificates, with(nil), nil, false},
		{"of another authority", certificates, with(theirs.client("anna", client, time.Hour, "g")), nil, true},
		{"that has expired", certificates, with(ours.client("anna", client, -time.Hour, "g")), nil, true},
		{"of a server", certificates, with(ours.client("anna", server, time.Hour, "g")), nil, true},
		{"without a name", certificates, with(ours.client("", client, time.Hour, "g")), nil, true},
		{"without roots", auth.ClientCertificates(nil), with(ours.client("anna", client, time.Hour)), nil, true},

		{"a token", tokens, with(nil, "Authorization", "bearer t"), anna, false},
		{"a wrong token", tokens, with(nil, "Authorization", "Bearer x"), nil, true},
		{"another scheme", tokens, with(nil, "Authorization", "Basic dDp0"), nil, false},
		{"nothing", tokens, with(nil), nil, false},

		{"a proxy", proxy, with(ours.client("proxy", client, time.Hour), "X-Remote-User", "anna", "X-Remote-Group", "g",
			"X-Remote-Extra-a%2fb", "c"), &auth.User{
			Name: "anna", Groups: []string{"g", auth.Authenticated},
			Extra: map[string][]string{"a/b": {"c"}},
		}, false},
		{"no headers", proxy, with(ours.client("proxy", client, time.Hour)), nil, false},
		{"headers alone", proxy, with(nil, "X-Remote-User", "root"), nil, true},
		{"of another client", proxy, with(ours.client("anna", client, time.Hour), "X-Remote-User", "root"), nil, true},
		{"of another authority's proxy", proxy, with(theirs.client("proxy", client, time.Hour), "X-Remote-User",
			"root"), nil, true},
		{"nobody without groups", proxy, with(ours.client("proxy", client, time.Hour), "X-Remote-User",
			auth.AnonymousName), &auth.User{Name: auth.AnonymousName}, false},
		{"nobody, says the proxy", proxy, with(ours.client("proxy", client, time.Hour), "X-Remote-User",
			auth.AnonymousName, "X-Remote-Group", auth.Unauthenticated), &auth.User{
			Name:   auth.AnonymousName,
			Groups: []string{auth.Unauthenticated},
		}, false},

		{
			"the first that knows", auth.FirstOf(certificates, tokens), with(nil, "Authorization", "Bearer t"),
			anna, false,
		},
		{
			"wrong credentials end the search", auth.FirstOf(certificates, tokens),
			with(theirs.client("x", client, time.Hour), "Authorization", "Bearer t"), nil, true,
		},
	} {
		got, err := c.a.Authenticate(c.r)
		if (err != nil) != c.bad || c.bad && !errors.Is(err, auth.ErrCredentials) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	if _, err := auth.FrontProxy(auth.FrontProxyOptions{}); err == nil {
		t.Error("a proxy without roots is trusted")
	}
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil { // nobody reads a part of it
			t.Fatal(err)
		}
	}
	write("# people\nt,anna,1,\"g, h\"\nu,berta,2\n")
	failures := make(chan error, 100)
	a, err := auth.TokenFile(path, func(err error) { failures <- err })
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Authenticate(with(nil, "Authorization", "Bearer t"))
	if want := (&auth.User{Name: "anna", UID: "1", Groups: []string{"g", "h", auth.Authenticated}}); err != nil ||
		!reflect.DeepEqual(u, want) {
		t.Errorf("got %+v, %v", u, err)
	}
	write("v,anna,1\n")
	for range 1000 { // the file is looked at once a second
		if u, _ = a.Authenticate(with(nil, "Authorization", "Bearer v")); u != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if u == nil {
		t.Error("the file is not read again")
	}
	write("v\n")
	for range 1000 {
		u, err = a.Authenticate(with(nil, "Authorization", "Bearer v"))
		if len(failures) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil || u == nil || u.Name != "anna" {
		t.Errorf("the users of before do not remain: %+v, %v", u, err)
	}
	select {
	case err := <-failures:
		if !strings.Contains(err.Error(), path+": line 1") {
			t.Errorf("the failure is %v", err)
		}
	default:
		t.Error("the failure is not reported")
	}
	for name, text := range map[string]string{
		"too little": "t,anna\n", "no token": ",anna,1\n",
		"a token twice": "t,a,1\nt,b,2\n", "a quote": "\"t,a,1\n",
	} {
		write(text)
		if _, err := auth.TokenFile(path, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := auth.TokenFile(path+"x", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
