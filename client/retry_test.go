package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// answering returns access to cars of a server that answers every request in the same way.
func answering(t *testing.T, code int, body io.Reader, header string, opts ...client.HTTPOption) (
	cars *client.Resource[Car], requests *int,
) {
	t.Helper()
	requests = new(int)
	rt := roundTripper(func(r *http.Request) (*http.Response, error) {
		*requests++
		h := http.Header{"Content-Type": {"application/json"}}
		if name, value, ok := strings.Cut(header, ": "); ok {
			h.Set(name, value)
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(body), Request: r}, nil
	})
	f := newFactory(t)
	backend, err := client.HTTP("http://example.com", f, append(opts, client.RoundTripper(rt))...)
	if err != nil {
		t.Fatal(err)
	}
	return client.Of[Car](client.New(backend, f.Scheme())).In("default"), requests
}

// TestRetries checks how often a request is repeated, and after what time.
func TestRetries(t *testing.T) {
	t.Parallel()
	bubble := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when synctest.Test begins
	after := func(d time.Duration) string { return "Retry-After: " + bubble.Add(d).Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		code     int
		header   string
		requests int
		took     time.Duration
	}{
		"as the server asks":    {http.StatusServiceUnavailable, "Retry-After: 2", 4, 6 * time.Second},
		"too many requests":     {http.StatusTooManyRequests, "Retry-After: 1", 4, 3 * time.Second},
		"no longer than 30 s":   {http.StatusServiceUnavailable, "Retry-After: 3600", 4, 90 * time.Second},
		"more seconds than fit": {http.StatusServiceUnavailable, "Retry-After: 9223372037", 4, 90 * time.Second},
		"a date":                {http.StatusServiceUnavailable, after(7 * time.Second), 4, 7 * time.Second},
		"a date long ahead":     {http.StatusTooManyRequests, after(time.Hour), 4, 90 * time.Second},
		"a date that is past":   {http.StatusServiceUnavailable, after(-time.Hour), 4, 0},
		"a time in the past":    {http.StatusServiceUnavailable, "Retry-After: -1", 1, 0},
		"no time":               {http.StatusServiceUnavailable, "", 1, 0},
		"another code":          {http.StatusConflict, "Retry-After: 1", 1, 0},
		"longer than the time":  {http.StatusServiceUnavailable, "Retry-After: 25", 3, 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if name == "longer than the time" {
					limited, cancel := context.WithTimeout(ctx, time.Minute)
					defer cancel()
					ctx = limited
				}
				began := time.Now()
				cars, requests := answering(t, c.code, http.NoBody, c.header, client.Retries(3))
				_, err := cars.Get(ctx, "beetle")
				if e, ok := errors.AsType[*metav1.StatusError](err); !ok || int(e.Status.Code) != c.code ||
					ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
					t.Errorf("got %v", err)
				}
				if *requests != c.requests || time.Since(began) != c.took {
					t.Errorf("%d requests in %v", *requests, time.Since(began))
				}
			})
		})
	}
}

// TestFailuresThatContradict checks that the code of a response counts if its Status says
// something else, or nothing.
func TestFailuresThatContradict(t *testing.T) {
	t.Parallel()
	const status = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":`
	for body, want := range map[string]string{
		status + `"Success"}`: status + `"Success"}`, // of a proxy, say
		status + `"Failure","message":"taken","reason":"Conflict"}`: "taken",
	} {
		cars, _ := answering(t, http.StatusConflict, strings.NewReader(body), "")
		_, err := cars.Get(t.Context(), "beetle")
		e, ok := errors.AsType[*metav1.StatusError](err)
		if !ok || e.Status.Code != http.StatusConflict || e.Status.Reason != metav1.StatusReasonConflict ||
			e.Status.Status != metav1.StatusFailure || e.Error() != want {
			t.Errorf("%s: got %#v", body, err)
		}
	}
}

// TestFailuresWithCodesOfSuccess checks that the Status of a failure is an error whatever the code
// of the response is, so that a deletion that was refused does not look like one that was done.
func TestFailuresWithCodesOfSuccess(t *testing.T) {
	t.Parallel()
	const body = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no",` +
		`"reason":"Forbidden","code":403}`
	for name, do := range map[string]func(cars *client.Resource[Car]) error{
		"delete":     func(cars *client.Resource[Car]) error { return cars.Delete(t.Context(), "beetle") },
		"delete all": func(cars *client.Resource[Car]) error { return cars.DeleteAll(t.Context()) },
		"get": func(cars *client.Resource[Car]) error {
			_, err := cars.Get(t.Context(), "beetle")
			return err
		},
		"untyped": func(cars *client.Resource[Car]) error {
			_, err := cars.Client().Untyped(cars.Mapping()).In("default").Get(t.Context(), "beetle")
			return err
		},
	} {
		cars, _ := answering(t, http.StatusOK, strings.NewReader(body), "")
		e, ok := errors.AsType[*metav1.StatusError](do(cars))
		if !ok || e.Status.Code != http.StatusForbidden || e.Error() != "no" {
			t.Errorf("%s: got %#v", name, e)
		}
	}
}

// TestMaxBody checks that a response of the size of the limit is read, and a larger one is not.
func TestMaxBody(t *testing.T) {
	t.Parallel()
	const body = `{"kind":"Car","apiVersion":"cars.example.com/v1","metadata":{"name":"beetle"},"spec":{}}`
	for _, room := range []int64{-1, 0} {
		cars, _ := answering(t, http.StatusOK, strings.NewReader(body), "", client.MaxBody(int64(len(body))+room))
		_, err := cars.Get(t.Context(), "beetle")
		if _, tooLarge := errors.AsType[*schema.LimitError](err); tooLarge != (room < 0) || !tooLarge && err != nil {
			t.Errorf("%d bytes of room: %v", room, err)
		}
	}
}

// TestCanceledWatch checks that a watch that its caller cancels ends with the cause, not with what
// the connection makes of it.
func TestCanceledWatch(t *testing.T) {
	t.Parallel()
	cause := errors.New("the caller has seen enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	body, w := io.Pipe()
	context.AfterFunc(ctx, func() { _ = w.CloseWithError(errors.New("use of closed network connection")) })
	cars, _ := answering(t, http.StatusOK, body, "")
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	for _, err := range cars.Watch(ctx) {
		if !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
	if ctx.Err() == nil {
		t.Error("the watch ended before")
	}
}
