package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// TestListThatBreaks checks that a list whose items end with an error is answered with an error
// status if nothing has been sent yet, and that the connection is aborted otherwise, so that a
// client never mistakes a part of a list for the whole.
func TestListThatBreaks(t *testing.T) {
	t.Parallel()
	list := podList(2000)
	for _, accept := range []string{
		"application/json", "application/json;pretty=0", "application/yaml", "application/json;as=Table",
		"application/vnd.kubernetes.protobuf", "text/csv",
	} {
		for _, gzip := range []string{"identity", "gzip"} {
			for _, n := range []int{3, len(list.Items)} {
				api := httpapi.New(newFactory(t), httpapi.Settings{Gzip: true, Now: clock})
				// Formats that write the size of a list before it range over a long one twice. The
				// list breaks in the second pass.
				passes := 1
				if strings.HasSuffix(accept, "protobuf") && n > 3 {
					passes = 2
				}
				srv := serve(t, api.Handler(func(w http.ResponseWriter, r *http.Request) error {
					x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
					if err != nil {
						return err
					}
					pass := 0
					items := func(yield func(runtime.Object, error) bool) {
						pass++
						for i := range n {
							if !yield(&list.Items[i], nil) {
								return
							}
						}
						if pass == passes {
							yield(nil, errors.New("the disk is gone"))
						}
					}
					return x.RespondItems(http.StatusOK, new(corev1.PodList), items)
				}))
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", accept)
				r.Header.Set("Accept-Encoding", gzip)
				resp, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					if n == 3 {
						t.Errorf("%s, %s, %d items: %v", accept, gzip, n, err)
					}
					continue // cut before the header was on its way
				}
				body, err := io.ReadAll(resp.Body)
				if closeErr := resp.Body.Close(); closeErr != nil {
					t.Error(closeErr)
				}
				switch {
				case n == 3 && (resp.StatusCode != http.StatusInternalServerError || err != nil):
					t.Errorf("%s, %s: a short list has the status %d and the error %v", accept, gzip, resp.StatusCode, err)
				case n > 3 && err == nil && resp.StatusCode == http.StatusOK:
					t.Errorf("%s, %s: %d bytes of a list that breaks are taken for the whole", accept, gzip, len(body))
				}
			}
		}
	}
}

// gone is a client that does not take the response.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestErrorsOfClientsThatAreGone checks that the log has the error of a response that breaks,
// unless it breaks because the client has gone.
func TestErrorsOfClientsThatAreGone(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		logged := 0
		api := httpapi.New(newFactory(t), httpapi.Settings{Log: func(*http.Request, error) { logged++ }})
		h := api.Handler(func(w http.ResponseWriter, _ *http.Request) error {
			_, err := w.Write([]byte("x"))
			return errors.Join(errors.New("the rest is missing"), err)
		})
		if !taken {
			inner := h
			h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(gone{w}, r) })
		}
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler {
					t.Errorf("the handler ends with %v", p)
				}
			}()
			ask(t, h, http.MethodGet, "/", "")
		}()
		if (logged == 1) != taken {
			t.Errorf("the client takes the response: %v; %d errors are logged", taken, logged)
		}
	}
}

// TestErrorAfterEarlyHints checks that an informational response is not taken for the response.
func TestErrorAfterEarlyHints(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	srv := serve(t, api.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusEarlyHints)
		return metav1.BadRequest("enough")
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "enough") {
		t.Errorf("%s, %s, %v", resp.Status, body, err)
	}
}
