package client_test

import (
	"errors"
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
