package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// CertificateFiles serves TLS with a certificate and a key from files in PEM. They are read again
// when they change, at most once a second; if that fails, it is logged, and the last valid
// certificate is used.
func CertificateFiles(certificate, key string) Option {
	return optionFunc(func(c *config) {
		c.tlsFiles = &certificateFiles{certificate: certificate, key: key}
		c.serveTLS = serveTLS
	})
}

// TLS sets the configuration of TLS connections. Without it and without [CertificateFiles], the
// server speaks plain HTTP.
func TLS(t *tls.Config) Option {
	return optionFunc(func(c *config) { c.tls, c.serveTLS = t.Clone(), serveTLS })
}

// serveTLS enables TLS in h, and returns the function that serves a listener. [Server.Serve] calls
// it through the configuration, so that a program without the options for TLS links neither the
// handshake of servers nor the parsers of keys, which are 0.6 MB.
func serveTLS(s *Server, h *http.Server) (func(net.Listener) error, error) {
	config, err := s.tlsConfig()
	if err != nil {
		return nil, err
	}
	h.TLSConfig = config
	h.Protocols.SetHTTP2(true)
	return func(l net.Listener) error { return h.ServeTLS(l, "", "") }, nil
}

// certificateFiles are a certificate and its key.
type certificateFiles struct {
	certificate, key string

	log *slog.Logger // set before the first connection

	mu      sync.Mutex
	failure string // of the last reading, or blank
	current *tls.Certificate
	stamps  [2]time.Time
	checked time.Time
}

// get returns the certificate for a connection.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current != nil && time.Since(f.checked) < time.Second {
		return f.current, nil
	}
	f.checked = time.Now()
	err := f.read()
	switch {
	case err == nil:
		f.failure = ""
	case f.current == nil:
		return nil, err
	case err.Error() != f.failure:
		f.failure = err.Error()
		f.log.Warn("the certificate cannot be read again, so the last one stays in use", "error", err)
	}
	return f.current, nil
}

// read reads the files if they have changed. The lock is held.
func (f *certificateFiles) read() error {
	var stamps [2]time.Time
	for i, path := range []string{f.certificate, f.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		stamps[i] = info.ModTime()
	}
	if f.current != nil && stamps == f.stamps {
		return nil
	}
	c, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		return err
	}
	f.current, f.stamps = &c, stamps
	return nil
}

// tlsConfig returns the configuration of TLS. Client certificates are requested, and checked by the
// authenticators that use them.
func (s *Server) tlsConfig() (*tls.Config, error) {
	c := s.config.tls.Clone()
	if c == nil {
		c = &tls.Config{}
	}
	if c.MinVersion == 0 {
		c.MinVersion = tls.VersionTLS12
	}
	if c.ClientAuth == tls.NoClientCert && s.config.authenticator != nil {
		c.ClientAuth = tls.RequestClientCert
	}
	if f := s.config.tlsFiles; f != nil {
		f.log = s.config.log
		if _, err := f.get(nil); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
		c.GetCertificate = f.get
	}
	return c, nil
}
