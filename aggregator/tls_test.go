package aggregator_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	made := a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	})
	a.cert, a.key = made.Leaf, made.PrivateKey.(*ecdsa.PrivateKey)
	return a
}

// issue signs a certificate with the authority's key. The first certificate is self-signed.
func (a *authority) issue(t *testing.T, template *x509.Certificate) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// client returns a certificate of a client.
func (a *authority) client(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	return a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// serveTLS serves a handler over HTTPS as fleet.internal until the test ends, and returns its URL.
// HTTP/2 is optional. Whatever holds connections to it must be created later, so that it is closed
// first.
func (a *authority) serveTLS(t *testing.T, h http.Handler, http2 bool) string {
	t.Helper()
	return a.serveAs(t, h, http2, serverTemplate())
}

// serveAs is serveTLS with a certificate from a template.
func (a *authority) serveAs(t *testing.T, h http.Handler, http2 bool, template *x509.Certificate) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert,
		Certificates: []tls.Certificate{*a.issue(t, template)},
	}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of handshakes that fail
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// serverTemplate is the template of the certificate of a server.
func serverTemplate() *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: "fleet"}, DNSNames: []string{"fleet.internal"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// users records the requests to a server and their users.
type users struct {
	mu   sync.Mutex
	seen []string
}

func (u *users) authorize(_ context.Context, a *auth.Attributes) (auth.Decision, string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, a.User.Name+" "+a.Verb+" "+a.Resource)
	if a.User.Name == auth.AnonymousName {
		return auth.Deny, "", nil
	}
	return auth.Allow, "", nil
}

func (u *users) has(what string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Contains(u.seen, what)
}

// tokens is the user of the front.
var tokens = auth.Tokens(map[string]auth.User{"secret": {Name: "alice", Groups: []string{"dev"}}})

// TestFrontProxy puts a server that authenticates every request behind an aggregator with a client
// certificate: the server learns the user of the front, and the aggregator the server's resources.
// With a certificate of another authority, both fail.
func TestFrontProxy(t *testing.T) {
	t.Parallel()
	proxies, servers, others := newAuthority(t), newAuthority(t), newAuthority(t)
	trusted, err := auth.FrontProxy(auth.FrontProxyOptions{Roots: proxies.pool(), Names: []string{"front"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		shown *tls.Certificate
		want  int
	}{
		{"its certificate", proxies.client(t, "front"), http.StatusCreated},
		{"another name", proxies.client(t, "back"), http.StatusUnauthorized},
		{"another authority", others.client(t, "front"), http.StatusUnauthorized},
		{"none", nil, http.StatusUnauthorized},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := &users{}
			behind := serve(t, []func(*runtime.Builder){fleetv1.AddTo}, server.Authenticate(trusted),
				server.Authorize(auth.AuthorizerFunc(asked.authorize)), server.Hosts("fleet.internal"))
			s := fleetService(servers.serveTLS(t, behind, true))
			s.Spec.CABundle, s.Spec.ServerName = servers.pem(), "fleet.internal"
			agg, err := aggregator.New(aggregator.Config{Period: 50 * time.Millisecond, Certificate: tt.shown})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { agg.Close() })
			srv := serve(t, []func(*runtime.Builder){v1alpha1.AddTo, inventoryv1.AddTo}, server.DelegateTo(agg),
				server.Authenticate(tokens), server.Authorize(auth.AuthorizerFunc((&users{}).authorize)))
			f := &front{agg, srv, &http.Client{Transport: srv.Transport()}}
			f.Set(s)
			available := "True Answers"
			if tt.want != http.StatusCreated {
				available = "False DoesNotAnswer"
			}
			f.waitFor(t, s.Name, v1alpha1.ConditionAvailable, available)
			code, _, body := f.do(t, "POST", machines, machine("a"), "Authorization", "Bearer secret")
			if code != tt.want {
				t.Errorf("create: %d %s", code, body)
			}
			if got := asked.has("alice create machines"); got != (tt.want == http.StatusCreated) {
				t.Errorf("the server behind has been asked: %q", asked.seen)
			}
		})
	}
}

// TestSlowAnswer checks that a request whose server takes too long gets 504, over HTTP/1.1 and
// HTTP/2.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	servers := newAuthority(t)
	for _, http2 := range []bool{false, true} {
		s := service("w", servers.serveTLS(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/flunders/") {
				<-r.Context().Done()
			}
		}), http2), "wardle.example.com", "v1")
		agg, err := aggregator.New(aggregator.Config{ResponseTime: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { agg.Close() })
		srv := serve(t, []func(*runtime.Builder){v1alpha1.AddTo}, server.DelegateTo(agg))
		f := &front{agg, srv, &http.Client{Transport: srv.Transport()}}
		s.Spec.CABundle = servers.pem()
		f.Set(s)
		for method, again := range map[string]bool{"GET": true, "DELETE": false} {
			code, header, body := f.do(t, method, "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "")
			if code != http.StatusGatewayTimeout || (header.Get("Retry-After") != "") != again {
				t.Errorf("HTTP/2: %t, %s: %d, Retry-After %q: %s", http2, method, code, header.Get("Retry-After"), body)
			}
		}
	}
}

// TestServerCertificates registers servers whose certificates do not prove who they are. Nothing is
// sent to them, so clients may repeat writes.
func TestServerCertificates(t *testing.T) {
	t.Parallel()
	servers, others := newAuthority(t), newAuthority(t)
	named, expired := serverTemplate(), serverTemplate()
	named.DNSNames, named.IPAddresses = []string{"other.internal"}, nil
	expired.NotBefore, expired.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	early := serverTemplate()
	early.NotBefore, early.NotAfter = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	purpose := serverTemplate()
	purpose.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for _, tt := range []struct {
		name     string
		signs    *authority
		template *x509.Certificate
		want     string
	}{
		{"its own", servers, serverTemplate(), "True Answers"},
		{"another name", servers, named, "False DoesNotAnswer"},
		{"expired", servers, expired, "False DoesNotAnswer"},
		{"not valid yet", servers, early, "False DoesNotAnswer"},
		{"of a client", servers, purpose, "False DoesNotAnswer"},
		{"another authority", others, serverTemplate(), "False DoesNotAnswer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := service("w", tt.signs.serveAs(t, withDiscovery(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				_, _ = w.Write([]byte("{}"))
			}), true, tt.template), "wardle.example.com", "v1")
			s.Spec.CABundle, s.Spec.ServerName = servers.pem(), "fleet.internal"
			f := newFrontWith(t, aggregator.Config{Period: time.Hour})
			f.Set(s)
			f.waitFor(t, "w", v1alpha1.ConditionAvailable, tt.want)
			trusted := tt.want == "True Answers"
			for _, method := range []string{"GET", "POST"} {
				code, header, body := f.do(t, method, flunders, "{}")
				if (code == http.StatusOK) != trusted || !trusted && (code != http.StatusServiceUnavailable ||
					header.Get("Retry-After") == "") {
					t.Errorf("%s: %d, Retry-After %q: %s", method, code, header.Get("Retry-After"), body)
				}
			}
			if got := asked.Load(); (got == 2) != trusted || !trusted && got != 0 {
				t.Errorf("the server got %d requests", got)
			}
		})
	}
}
