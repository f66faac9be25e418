package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTransportIsLikeAConnection checks that requests in process are answered like those over a
// connection where net/http does something for both sides: a body of unknown length is read, and
// the answer to a HEAD has no body but the headers of one.
func TestTransportIsLikeAConnection(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"in the process", "over a connection"} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			address, transport := "http://server", s.Transport()
			if in == "over a connection" {
				listener := httptest.NewServer(s)
				defer listener.Close()
				address, transport = listener.URL, listener.Client().Transport
			}
			send := func(method, path string, body io.Reader) (*http.Response, string) {
				r, err := http.NewRequestWithContext(t.Context(), method, address+path, body)
				if err != nil {
					t.Fatal(err)
				}
				response, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				return response, string(text)
			}
			// net/http does not know the length of such a reader.
			unsized := func(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) }
			if response, text := send("POST", sites, unsized(site("a"))); response.StatusCode != http.StatusCreated {
				t.Fatal(text)
			}
			response, text := send("DELETE", sites+"/a", unsized(`{"preconditions":{"uid":"another"}}`))
			if response.StatusCode != http.StatusConflict {
				t.Errorf("preconditions in a body of unknown length: code %d, %s", response.StatusCode, text)
			}
			response, text = send("DELETE", sites+"/a?dryRun=All", http.NoBody)
			if response.StatusCode != http.StatusOK {
				t.Errorf("without a body: code %d, %s", response.StatusCode, text)
			}
			for _, path := range []string{
				"/version", "/healthz", "/metrics", "/openapi/v3", "/apis", "/", sites + "/a", "/nothing",
			} {
				response, text := send("HEAD", path, http.NoBody)
				if text != "" || response.Header.Get("Content-Type") == "" {
					t.Errorf("HEAD %s: %q, %v", path, text, response.Header)
				}
			}
			if response, text := send("GET", "", http.NoBody); response.StatusCode != http.StatusOK {
				t.Errorf("without a path: code %d, %s", response.StatusCode, text)
			}
			whole, text := send("GET", sites+"/a", http.NoBody)
			head, _ := send("HEAD", sites+"/a", http.NoBody)
			if n := int64(len(text)); n == 0 || whole.ContentLength != n || head.ContentLength != n {
				t.Errorf("%d bytes, the lengths are %d and, of HEAD, %d", n, whole.ContentLength, head.ContentLength)
			}
		})
	}
}
