package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestSchemeWithoutStatus uses a scheme without metav1.AddCoreTo, such as that of askind init:
// failures are read in full, and deletions and watches end as with any other scheme.
func TestSchemeWithoutStatus(t *testing.T) {
	scheme, err := runtime.NewScheme(addCars, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	answer := func(http.ResponseWriter) {}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer(w)
	}))
	defer h.Close()
	tr, err := client.HTTP(h.URL, factory)
	if err != nil {
		t.Fatal(err)
	}
	cars := client.Of[Car](client.New(tr, scheme)).In("default")
	invalid := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no wheels","reason":"Invalid",` +
		`"details":{"causes":[{"field":"spec.wheels"}]},"code":422}`
	check := func(err error) {
		t.Helper()
		e, ok := errors.AsType[*metav1.StatusError](err)
		if !ok || e.Error() != "no wheels" || e.Status.Reason != metav1.StatusReasonInvalid ||
			e.Status.Details == nil || len(e.Status.Details.Causes) != 1 {
			t.Errorf("got %#v", err)
		}
	}
	answer = func(w http.ResponseWriter) {
		w.WriteHeader(422)
		_, _ = w.Write([]byte(invalid))
	}
	_, err = cars.Create(t.Context(), &Car{})
	check(err)
	answer = func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"type":"ERROR","object":` + invalid + `}`)) }
	for _, err := range cars.Watch(t.Context()) {
		check(err)
	}
	answer = func(w http.ResponseWriter) {
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	}
	if err := cars.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if _, err := client.Act(t.Context(), cars, "", "wash", &Car{}); err == nil ||
		err.Error() != "client: an operation on one of the cars needs its name and the subresource" {
		t.Errorf("got %v", err)
	}
}

// TestAddressWithEscapes checks that the path of the address keeps its escapes, with and without a
// slash at its end.
func TestAddressWithEscapes(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://example.com/a%2Fb", "http://example.com/a%2Fb/"} {
		var got string
		rt := roundTripper(func(r *http.Request) (*http.Response, error) {
			got = r.URL.EscapedPath()
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		})
		backend, err := client.HTTP(address, newFactory(t), client.RoundTripper(rt))
		if err != nil {
			t.Fatal(err)
		}
		_, err = backend.Document(t.Context(), &client.DocumentRequest{Path: "/version"})
		if want := "/a%2Fb/version"; err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", address, got, err, want)
		}
	}
}

// TestErrorEvents checks that clients with and without types get all of the Status that ends a
// watch, in any version of the kind.
func TestErrorEvents(t *testing.T) {
	t.Parallel()
	for _, apiVersion := range []string{"v1", "meta.k8s.io/v1"} {
		t.Run(apiVersion, func(t *testing.T) {
			t.Parallel()
			testErrorEvents(t, apiVersion)
		})
	}
}

func testErrorEvents(t *testing.T, apiVersion string) {
	t.Helper()
	event := `{"type":"ERROR","object":{"kind":"Status","apiVersion":"` + apiVersion + `","metadata":{},` +
		`"status":"Failure","message":"m","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}],` +
		`"retryAfterSeconds":1},"code":504}}`
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, event) })
	mapping := client.Of[Car](c).Mapping()
	for name, watch := range map[string]func() error{
		"typed":    func() error { return watchError(t.Context(), client.Of[Car](c)) },
		"untyped":  func() error { return watchError(t.Context(), c.Untyped(mapping)) },
		"metadata": func() error { return watchError(t.Context(), c.Metadata(mapping)) },
	} {
		e, ok := errors.AsType[*metav1.StatusError](watch())
		if !ok || e.Status.Code != 504 || e.Status.Message != "m" || e.Status.Details == nil ||
			e.Status.Details.RetryAfterSeconds != 1 || len(e.Status.Details.Causes) != 1 {
			t.Errorf("%s: got %#v", name, e)
		}
	}
}

// watchError returns the error that ends a watch.
func watchError[T any](ctx context.Context, r *client.Resource[T]) (err error) {
	for _, err = range r.Watch(ctx) {
	}
	return err
}
