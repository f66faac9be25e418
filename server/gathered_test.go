package server_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/server"
)

// TestListsOverConnections checks that a long list is the same over every sort of connection. A
// TCP connection sends the bytes of stored objects from where they are, and knows the length.
func TestListsOverConnections(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	pool := writeCertificate(t, certificate, key, 1)
	s := newServer(t, server.CertificateFiles(certificate, key))
	for i := range 120 {
		body := strings.Replace(site(fmt.Sprintf("s-%d", i)), `"metadata":{`,
			`"metadata":{"annotations":{"a":"`+strings.Repeat("x", i*i)+`"},`, 1)
		if w := request(s, "POST", sites, body); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	secure := "https://" + listening(t, s)
	plain := httptest.NewServer(s)
	t.Cleanup(plain.Close)
	wrapped := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // as middleware does
	}))
	t.Cleanup(wrapped.Close)
	const metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	for _, accept := range []string{"application/json", metadata} {
		want := request(s, "GET", sites, "", "Accept: "+accept).Body.Bytes()
		for _, c := range []struct {
			name, url, coding string
			transport         http.RoundTripper
			length            bool
		}{
			{"HTTP/1.1", plain.URL, "identity", new(http.Transport), true},
			{"HTTP/1.1 compressed", plain.URL, "", new(http.Transport), false},
			{"behind a handler", wrapped.URL, "identity", new(http.Transport), true},
			{"TLS", secure, "identity", over(pool, false), true},
			{"HTTP/2", secure, "identity", over(pool, true), true},
			{"in the process", "http://server", "identity", s.Transport(), false},
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
				r, err := http.NewRequestWithContext(t.Context(), method, c.url+sites, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", accept)
				if c.coding != "" {
					r.Header.Set("Accept-Encoding", c.coding)
				}
				response, err := c.transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(response.Body)
				response.Body.Close()
				switch stated := response.Header.Get("Content-Length"); {
				case err != nil || method == http.MethodGet && !bytes.Equal(got, want):
					t.Errorf("%s, %s: %d bytes, not the %d of the list: %v", c.name, accept, len(got), len(want), err)
				case c.length && stated != strconv.Itoa(len(want)):
					t.Errorf("%s, %s %s: Content-Length %q, not %d", c.name, method, accept, stated, len(want))
				}
			}
			if c, ok := c.transport.(*http.Transport); ok {
				c.CloseIdleConnections()
			}
		}
	}
}

// over returns a transport over TLS.
func over(pool *x509.CertPool, http2 bool) *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: http2}
}
