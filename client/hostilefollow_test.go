package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer"
)

// serving returns a client of a server that answers with JSON over a connection.
func serving(t *testing.T, h http.HandlerFunc, opts ...client.HTTPOption) *client.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		h(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	f := newFactory(t)
	tr, err := client.HTTP(s.URL, f, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client.New(tr, f.Scheme())
}

const (
	carTypes = `"kind":"Car","apiVersion":"cars.example.com/v1"`
	carItem  = `{` + carTypes + `,"metadata":{"name":"beetle"},"spec":{}}`
	noCars   = `{"kind":"CarList","apiVersion":"cars.example.com/v1","metadata":{"resourceVersion":"1"},"items":[]}`
)

// bookmarkAt returns a bookmark as it is sent.
func bookmarkAt(version string) string {
	return `{"type":"BOOKMARK","object":{` + carTypes + `,"metadata":{"resourceVersion":"` + version + `"}}}` + "\n"
}

// TestShortWatches checks that a server that ends every watch at once is not asked in a loop, even
// if the watch had events, and that an event of an unknown type is an error.
func TestShortWatches(t *testing.T) {
	t.Parallel()
	const expired = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`
	for name, tt := range map[string]struct{ events, err string }{
		"bookmarks":      {bookmarkAt("5"), ""},
		"expiry":         {bookmarkAt("5") + expired, ""},
		"garbage":        {bookmarkAt("5") + "garbage\n", "unexpected character 'g'"},
		"another type":   {`{"type":"RENAMED","object":` + carItem + `}`, `has an event of the unknown type "RENAMED"`},
		"an empty watch": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			c := serving(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				answer := noCars
				if r.URL.Query().Get("watch") != "" {
					answer = tt.events
				}
				_, _ = io.WriteString(w, answer)
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			failed := false
			for _, err := range client.Of[Car](c).Follow(ctx) {
				if err != nil && (tt.err == "" || !strings.Contains(err.Error(), tt.err)) {
					t.Error(err)
				}
				failed = failed || err != nil
			}
			// The pauses grow from 25 to 50 ms, to between a half and one second.
			if n := requests.Load(); n > 20 || failed != (tt.err != "") {
				t.Errorf("%d requests in a second; errors: %v", n, failed)
			}
		})
	}
}

// watching is a backend whose watches a test answers.
type watching struct {
	script
	watch func(context.Context, func(serializer.Event, error) bool)
}

// Watch implements [client.Backend].
func (s *watching) Watch(ctx context.Context, _ *client.Request) iter.Seq2[serializer.Event, error] {
	return func(yield func(serializer.Event, error) bool) { s.watch(ctx, yield) }
}

// TestFollowOfSilentWatch checks that Follow does not wait for ever for a server that neither sends
// anything nor ends a watch, and that watches with events are soon resumed.
func TestFollowOfSilentWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		watches := 0
		backend := &watching{watch: func(ctx context.Context, yield func(serializer.Event, error) bool) {
			watches++
			<-ctx.Done()
			yield(serializer.Event{}, context.Cause(ctx))
		}}
		backend.list = func() (*CarList, error) { return carsAt("1"), nil }
		for _, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Error(err)
			}
		}
		if watches < 24*6-10 || watches > 24*12 { // five to ten minutes each
			t.Errorf("%d watches in a day", watches)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		watches := 0
		backend := &watching{watch: func(_ context.Context, yield func(serializer.Event, error) bool) {
			watches++
			bus := car("default", "bus", 6)
			bus.ResourceVersion = fmt.Sprint(watches)
			yield(serializer.Event{Type: metav1.WatchModified, Object: bus}, nil)
		}}
		backend.list = func() (*CarList, error) { return carsAt("1"), nil }
		for _, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Error(err)
			}
		}
		if watches < 3600 || watches > 2*3600+20 {
			t.Errorf("%d watches in an hour", watches)
		}
	})
}

// TestFollowAfterAbsence checks that Follow lists at once when a server that was away for minutes
// answers that the version has expired. It waited for up to half a minute more.
func TestFollowAfterAbsence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began := time.Now()
		var expired time.Time
		lists := 0
		backend := &script{
			list: func() (*CarList, error) {
				if lists++; lists == 2 {
					if time.Since(expired) > 0 {
						t.Errorf("the list came %v after the version had expired", time.Since(expired))
					}
					cancel()
				}
				return carsAt("1"), nil
			},
			watch: func(string) error {
				if time.Since(began) < 5*time.Minute {
					return errors.New("connection refused")
				}
				expired = time.Now()
				return metav1.Failure(metav1.StatusReasonExpired, "too old")
			},
		}
		for range follow(ctx, t, backend) {
		}
		if lists != 2 {
			t.Errorf("%d lists", lists)
		}
	})
}

// TestFollowAfterReusedVersions checks that Follow compares what it knows with what it lists if the
// server has gone back to a backup, since a version may then stand for another state.
func TestFollowAfterReusedVersions(t *testing.T) {
	t.Parallel()
	at := func(c *Car) *Car { c.ResourceVersion = "5"; return c }
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		lists := []*CarList{
			carsAt("100", at(car("default", "beetle", 4)), at(car("default", "van", 4))),
			carsAt("7", at(car("default", "beetle", 4)), at(car("default", "van", 8))),
			carsAt("9", at(car("default", "beetle", 4)), at(car("default", "van", 9))),
		}
		backend := &script{
			list: func() (*CarList, error) {
				next := lists[0]
				lists = lists[1:]
				return next, nil
			},
			watch: func(version string) error {
				switch version {
				case "100":
					e := metav1.Failure(metav1.StatusReasonTimeout, "Too large resource version: 100, current: 7")
					e.Status.Details = &metav1.StatusDetails{
						Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}},
					}
					return e
				case "7":
					return metav1.Failure(metav1.StatusReasonExpired, "too old")
				}
				cancel()
				return nil
			},
		}
		var got []string
		for c, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(c.Type)+" "+c.Key.Name)
		}
		want := []string{"Added beetle", "Added van", "Synced ", "Modified van", "Synced ", "Synced "}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestEndlessPages checks that a list ends if its tokens repeat after several pages, if its version
// changes, and that Follow does not take one without a version for whole.
func TestEndlessPages(t *testing.T) {
	t.Parallel()
	page := func(version, token string) string {
		return fmt.Sprintf(`{"kind":"CarList","apiVersion":"cars.example.com/v1","metadata":{"resourceVersion":%q,"continue":%q},`+
			`"items":[]}`, version, token)
	}
	for name, tt := range map[string]struct {
		page func(n int) string
		err  string
		most int
	}{
		"two tokens": {func(n int) string { return page("1", fmt.Sprint(n%2)) }, `repeats the continue token "0"`, 10},
		"100 tokens after a few others": {func(n int) string {
			return page("1", fmt.Sprint(max(30, n)%100))
		}, "repeats the continue token", 400},
		"another version": {
			func(n int) string { return page(fmt.Sprint(n), fmt.Sprint(n)) },
			`has the version "1" on its first page and "2" on a later one`, 2,
		},
	} {
		n := 0
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			_, _ = io.WriteString(w, tt.page(n))
		})
		for _, err := range client.Of[Car](c).All(t.Context()) {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if n > tt.most {
			t.Errorf("%s: %d requests", name, n)
		}
	}
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page("", "")) })
	for _, err := range client.Of[Car](c).Follow(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "list of cars.cars.example.com has no resource version") {
			t.Errorf("got %v", err)
		}
		break
	}
}
