package etcd_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// authority signs certificates.
type authority struct {
	*testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, pool: x509.NewCertPool()}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	made := a.issue(template)
	a.cert, a.key = made.Leaf, made.PrivateKey.(*ecdsa.PrivateKey)
	a.pool.AddCert(a.cert)
	return a
}

// issue signs a certificate by the authority, or by itself if there is none yet.
func (a *authority) issue(template *x509.Certificate) *tls.Certificate {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		a.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// server returns the certificate of a server on the loopback interface.
func (a *authority) server() *tls.Certificate {
	return a.issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: "etcd"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// client returns the settings of a client that has a certificate.
func (a *authority) client(name string) *tls.Config {
	c := a.issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return &tls.Config{RootCAs: a.pool, Certificates: []tls.Certificate{*c}, MinVersion: tls.VersionTLS12}
}

// files writes what a member needs, and returns its settings.
func (a *authority) files() transport.TLSInfo {
	a.Helper()
	dir, c := a.TempDir(), a.server()
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		a.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			a.Fatal(err)
		}
		return path
	}
	return transport.TLSInfo{
		CertFile: write("cert", "CERTIFICATE", c.Certificate[0]), KeyFile: write("key", "PRIVATE KEY", key),
		TrustedCAFile: write("ca", "CERTIFICATE", a.cert.Raw), ClientCertAuth: true,
	}
}

// TestTLS checks that the engine speaks TLS with a client certificate, and that nothing is said to
// a server of another authority or to a client without a certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	members := startCluster(t, 1, func(c *embed.Config) {
		secure := url.URL{Scheme: "https", Host: c.ListenClientUrls[0].Host}
		c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{secure}, []url.URL{secure}
		c.ClientTLSInfo = a.files()
	})
	open := func(c *tls.Config, timeout time.Duration) (*etcd.Engine, error) {
		return etcd.Dial(etcd.Config{
			Endpoints: endpoints(members), TLS: c, DialTimeout: timeout,
			Compaction: etcd.Compaction{External: true},
		})
	}
	for _, c := range []struct {
		name, want string
		refused    *tls.Config
	}{
		{"no certificate", " (", &tls.Config{RootCAs: a.pool, MinVersion: tls.VersionTLS12}},
		{
			"a client of another authority", " (", // with the alert of TLS, or that the connection has been closed
			&tls.Config{RootCAs: a.pool, Certificates: other.client("x").Certificates},
		},
		{
			"a server of another authority", "signed by unknown authority",
			&tls.Config{RootCAs: other.pool, Certificates: a.client("x").Certificates},
		},
	} {
		e, err := open(c.refused, 300*time.Millisecond)
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			e.Close()
		} else if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	e, err := open(a.client("askind"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	watch := follow(t, e, start(t, e))
	if _, err := e.Put(t.Context(), "k", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	if got := watch.until(t, start(t, e)); got["k"] != "v" {
		t.Errorf("the watch has %v", got)
	}
}

// enableAuthentication gives the user askind the keys below /mine/, and turns authentication on.
func enableAuthentication(t *testing.T, members []*member) (root *clientv3.Client) {
	t.Helper()
	c, ctx := newClient(t, members), t.Context()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.UserAdd(ctx, "root", "rootword"))
	must(c.UserGrantRole(ctx, "root", "root"))
	must(c.RoleAdd(ctx, "askind"))
	must(c.RoleGrantPermission(ctx, "askind", "/mine/", clientv3.GetPrefixRangeEnd("/mine/"),
		clientv3.PermissionType(clientv3.PermReadWrite)))
	must(c.UserAdd(ctx, "askind", "password"))
	must(c.UserGrantRole(ctx, "askind", "askind"))
	must(c.AuthEnable(ctx))
	root, err := clientv3.New(clientv3.Config{Endpoints: endpoints(members), Username: "root", Password: "rootword"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestAuthentication checks what the engine says to users that etcd refuses, and that one that it
// knows goes on writing and watching when etcd has forgotten its token.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, func(c *embed.Config) { c.BcryptCost = 4 }) // the least
	root := enableAuthentication(t, members)
	open := func(user, password, prefix string) (*etcd.Engine, error) {
		return etcd.Dial(etcd.Config{
			Endpoints: endpoints(members), Username: user, Password: password, Prefix: prefix,
			DialTimeout: time.Minute, Compaction: etcd.Compaction{External: true},
		})
	}
	for _, tt := range []struct{ user, password, prefix string }{
		{"", "", "/mine/"},
		{"askind", "wrong", "/mine/"},
		{"nobody", "password", "/mine/"},
		{"askind", "password", "/other/"},
	} {
		if e, err := open(tt.user, tt.password, tt.prefix); !errors.Is(err, etcd.ErrAuthentication) {
			t.Errorf("%+v: %v", tt, err)
			if err == nil {
				e.Close()
			}
		}
	}
	e, err := open("askind", "password", "/mine/")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	watch := follow(t, e, start(t, e))
	w := write(e, "a")
	time.Sleep(100 * time.Millisecond)
	members[0].stop() // tokens are in memory
	members[0].restart()
	watch.atLeast(t, 10) // a busy machine takes its time to connect again
	compareAll(t, e, watch, w.finish(t))
	if _, err := root.RoleRevokePermission(t.Context(), "askind", "/mine/",
		clientv3.GetPrefixRangeEnd("/mine/")); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Put(t.Context(), "b", []byte("v"), 0); !errors.Is(err, etcd.ErrAuthentication) {
		t.Errorf("a write without the permission: %v", err)
	}
}

// TestWatchWithoutPermission checks that a watch ends with the cause if etcd refuses to resume it,
// because the permission has been revoked. It asked ten times a second, and nothing said why it had
// no changes.
func TestWatchWithoutPermission(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, func(c *embed.Config) { c.BcryptCost = 4 })
	root := enableAuthentication(t, members)
	p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
	e, err := etcd.Dial(etcd.Config{
		Endpoints: []string{p.url()}, Username: "askind", Password: "password", Prefix: "/mine/",
		DialTimeout: time.Minute, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	from := start(t, e)
	ready, ended := make(chan struct{}), make(chan error, 1)
	once := sync.OnceFunc(func() { close(ready) })
	go func() { ended <- e.Watch(t.Context(), "", from, func(store.Changes) error { once(); return nil }) }()
	<-ready
	if _, err := root.RoleRevokePermission(t.Context(), "askind", "/mine/",
		clientv3.GetPrefixRangeEnd("/mine/")); err != nil {
		t.Fatal(err)
	}
	p.setCut(true)
	p.setCut(false)
	select {
	case err := <-ended:
		if !errors.Is(err, etcd.ErrAuthentication) {
			t.Errorf("the watch ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the watch goes on")
	}
}

// TestWatchWithOldToken checks that a watch begins although etcd does not accept the token any more
// with which the stream of another watch was opened, and that the other one misses nothing. The new
// watch was refused, again and again, as long as there was another one.
func TestWatchWithOldToken(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, func(c *embed.Config) { c.BcryptCost = 4 })
	root := enableAuthentication(t, members)
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Username: "askind", Password: "password", Prefix: "/mine/",
		DialTimeout: time.Minute, Compaction: etcd.Compaction{External: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	watch := follow(t, e, start(t, e))
	w := write(e, "a")
	watch.atLeast(t, 10)
	if _, err := root.UserChangePassword(t.Context(), "askind", "password"); err != nil { // ends all tokens
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	once := sync.OnceFunc(func() { close(ready) })
	from := start(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { ended <- e.Watch(ctx, "a", from, func(store.Changes) error { once(); return nil }) }()
	select {
	case <-ready:
	case err := <-ended:
		t.Errorf("the watch ends with %v", err)
	case <-time.After(30 * time.Second):
		t.Error("the watch does not begin")
	}
	compareAll(t, e, watch, w.finish(t))
}
