// Package front puts k8s.io/sample-apiserver behind an aggregator, over TLS, as a cluster does: it
// trusts the headers about users that come with the client certificate of the front, and refuses
// requests of its own clients.
package front

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
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

// Front is a server whose aggregator has the group of sample-apiserver registered.
type Front struct {
	// Server has no kinds of its own but that of registrations. A request is made by the user that
	// its bearer token names, by default "alice".
	Server *server.Server
	// Address is that of sample-apiserver.
	Address string

	aggregator *aggregator.Aggregator
	engine     *memory.Engine
	stop       context.CancelFunc
	stopped    chan error
	binary     string
	dir        string
	original   *exec.Cmd
}

// Registrations are the names of the registered versions.
var Registrations = []string{"v1alpha1.wardle.example.com", "v1beta1.wardle.example.com"}

// Start runs a binary of testdata/original, which keeps its certificates in a directory, and a
// front. sample-apiserver takes some seconds until it answers.
func Start(binary, dir string) (*Front, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	f := &Front{Address: address, binary: binary, dir: dir, stopped: make(chan error, 1)}
	shown, authority, err := f.writeCertificates()
	if err != nil {
		return nil, err
	}
	f.aggregator, err = aggregator.New(aggregator.Config{Certificate: shown, Period: 200 * time.Millisecond})
	if err != nil {
		return nil, err
	}
	scheme, err := runtime.NewScheme(v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		return nil, err
	}
	f.engine = memory.New()
	f.Server, err = server.New(scheme, f.engine, server.DelegateTo(f.aggregator),
		server.Authenticate(auth.AuthenticatorFunc(byToken)))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	go func() { f.stopped <- f.aggregator.Run(ctx, f.Server.Client()) }()
	for _, name := range Registrations {
		version, group, _ := strings.Cut(name, ".")
		_, err := client.Of[v1alpha1.APIService](f.Server.Client()).Create(ctx, &v1alpha1.APIService{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha1.APIServiceSpec{
				Group: group, Version: version, URL: "https://" + address, CABundle: authority,
				ServerName: "wardle.internal",
			},
		})
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, f.StartOriginal()
}

// byToken authenticates a request by the name in its bearer token.
func byToken(r *http.Request) (*auth.User, error) {
	name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if name == "" {
		name = "alice"
	}
	return &auth.User{Name: name, Groups: []string{auth.Authenticated}}, nil
}

// StartOriginal runs sample-apiserver, after StopOriginal.
func (f *Front) StartOriginal() error {
	f.original = exec.Command(f.binary, f.Address, "proxied", f.dir)
	f.original.Env = append(os.Environ(), "TMPDIR="+f.dir) // for its etcd, which it cannot remove
	return f.original.Start()
}

// StopOriginal kills sample-apiserver, which otherwise waits a minute for its watches.
func (f *Front) StopOriginal() {
	if f.original != nil {
		_ = f.original.Process.Kill()
		_ = f.original.Wait() // that it was killed
		f.original = nil
	}
}

// Available returns the condition Available of a registration, such as "True Answers".
func (f *Front) Available(name string) string {
	for _, c := range f.aggregator.Conditions(name) {
		if c.Type == v1alpha1.ConditionAvailable {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// Close ends both servers.
func (f *Front) Close() error {
	f.stop()
	<-f.stopped
	f.StopOriginal()
	return errors.Join(f.Server.Close(), f.aggregator.Close(), f.engine.Close())
}

// writeCertificates writes the certificates of sample-apiserver, and that of the authority for the
// certificate of the front, which it returns with the authority of sample-apiserver in PEM.
func (f *Front) writeCertificates() (shown *tls.Certificate, authority []byte, err error) {
	proxies, err := issue("proxies", nil, x509.ExtKeyUsageAny)
	if err != nil {
		return nil, nil, err
	}
	servers, err := issue("servers", nil, x509.ExtKeyUsageAny)
	if err != nil {
		return nil, nil, err
	}
	if shown, err = issue("front", proxies, x509.ExtKeyUsageClientAuth); err != nil {
		return nil, nil, err
	}
	serving, err := issue("wardle.internal", servers, x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(serving.PrivateKey)
	if err != nil {
		return nil, nil, err
	}
	authority = pemOf("CERTIFICATE", servers.Leaf.Raw)
	for name, text := range map[string][]byte{
		"proxies.pem": pemOf("CERTIFICATE", proxies.Leaf.Raw), "serving.key": pemOf("PRIVATE KEY", key),
		"serving.pem": pemOf("CERTIFICATE", serving.Leaf.Raw),
	} {
		if err := os.WriteFile(filepath.Join(f.dir, name), text, 0o600); err != nil {
			return nil, nil, err
		}
	}
	return shown, authority, nil
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// issue returns a certificate that another one signs, or one of an authority.
func issue(name string, by *tls.Certificate, usage x509.ExtKeyUsage) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}
	parent, signer := template, any(key)
	if by == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	} else {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// freeAddress returns an address that a server can listen on again and again. It is below those
// that connections are given.
func freeAddress() (string, error) {
	for port := 18473; ; port++ {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err == nil {
			return l.Addr().String(), l.Close()
		}
		if port == 18573 {
			return "", err
		}
	}
}
