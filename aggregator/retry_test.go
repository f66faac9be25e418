package aggregator_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
)

// watchBody is the body of a watch without events that ends after a time.
type watchBody struct {
	time time.Duration
	err  error
}

func (b watchBody) Read([]byte) (int, error) {
	time.Sleep(b.time)
	return 0, b.err
}

func (watchBody) Close() error { return nil }

// TestRetries checks when a server is asked again: after twice the time with each further failure,
// and soon again after it has answered or has been watched for longer than a period.
func TestRetries(t *testing.T) {
	t.Parallel()
	const ms, period = time.Millisecond, time.Hour
	type gap struct{ watch, pause time.Duration }
	first := []gap{{0, 100 * ms}, {0, 200 * ms}, {0, 400 * ms}, {0, 800 * ms}, {0, 1600 * ms}}
	for _, tt := range []struct {
		name   string
		groups bool // it has Groups, and watches of them break; otherwise it does not answer
		want   []gap
	}{ // the sixth attempt succeeds
		{"documents", false, append(first, gap{0, period}, gap{0, 100 * ms}, gap{0, 200 * ms})},
		{"Groups", true, append(first, gap{2 * period, 100 * ms}, gap{0, 200 * ms}, gap{0, 400 * ms})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts := make(chan time.Time)
				var last time.Time // of an attempt
				var n atomic.Int32 // the attempt under way
				server := roundTripperFunc(func(r *http.Request) (*http.Response, error) {
					w := httptest.NewRecorder()
					isGroups := strings.HasSuffix(r.URL.Path, "/groups")
					if isGroups && !isWatch(r) {
						last = time.Now()
						select {
						case attempts <- last:
							n.Add(1)
						case <-r.Context().Done():
							return nil, r.Context().Err()
						}
					}
					switch {
					case tt.groups && isGroups && isWatch(r):
						header := http.Header{"Content-Type": {"application/json"}}
						body := watchBody{0, errors.New("connection reset")}
						if n.Load() == 6 { // servers end watches after a few minutes
							body.time = time.Until(last.Add(2 * period))
							if body.time > 5*time.Minute {
								body = watchBody{5 * time.Minute, io.EOF}
							}
						}
						return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body}, nil
					case tt.groups && isGroups:
						w.Header().Set("Content-Type", "application/json")
						_, _ = io.WriteString(w, `{"kind":"GroupList","apiVersion":"discovery.k8s.io/v1alpha1",`+
							`"metadata":{"resourceVersion":"1"},"items":[]}`)
					case tt.groups, n.Load() == 6:
						answerLegacy(w, r, "", "")
					default:
						w.WriteHeader(http.StatusBadGateway)
					}
					return w.Result(), nil
				})
				agg, err := aggregator.New(aggregator.Config{
					Period: period, Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return server },
				})
				if err != nil {
					t.Fatal(err)
				}
				defer agg.Close()
				agg.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
				before := <-attempts
				for i, want := range tt.want {
					at := <-attempts
					if got := at.Sub(before) - want.watch; got < want.pause*3/4 || got > want.pause*5/4 {
						t.Errorf("after attempt %d the pause is %v, want about %v", i+1, got, want.pause)
					}
					before = at
				}
			})
		})
	}
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }
