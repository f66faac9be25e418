package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	jsonformat "github.com/askind/askind/serializer/json"
)

// TestMistakesOfHandlers checks that mistakes of a handler are errors in the log that say what is
// wrong, and that the client gets an error.
func TestMistakesOfHandlers(t *testing.T) {
	t.Parallel()
	pod := new(corev1.Pod)
	for name, c := range map[string]struct {
		serve func(x *httpapi.Exchange) error
		code  int
		log   string
	}{
		"no code":       {func(x *httpapi.Exchange) error { return x.Respond(0, pod) }, 500, "the code 0"},
		"informational": {func(x *httpapi.Exchange) error { return x.Respond(102, pod) }, 500, "the code 102"},
		"large code":    {func(x *httpapi.Exchange) error { return x.Respond(1000, pod) }, 500, "the code 1000"},
		"no items": {func(x *httpapi.Exchange) error {
			return x.RespondItems(200, new(corev1.PodList), nil)
		}, 500, "is nil"},
		"typed nil": {func(*httpapi.Exchange) error { return (*metav1.StatusError)(nil) }, 500, "return nil instead"},
		"nil violation": {func(*httpapi.Exchange) error {
			return metav1.Invalid(corev1.GroupVersion.WithKind("Pod").GroupKind(), "a",
				runtime.FieldErrors{nil, runtime.Required(nil, "a name"), nil})
		}, 422, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := ""
			api := httpapi.New(newFactory(t), httpapi.Settings{
				Log: func(_ *http.Request, err error) { logged = err.Error() },
			})
			resp, body := ask(t, api.Handler(func(w http.ResponseWriter, r *http.Request) error {
				x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
				if err != nil {
					return err
				}
				return c.serve(x)
			}), http.MethodGet, "/", "")
			if resp.StatusCode != c.code || !strings.Contains(body, `"status": "Failure"`) {
				t.Errorf("the client gets %d %s", resp.StatusCode, body)
			}
			if !strings.Contains(logged, c.log) {
				t.Errorf("logged %q, want %q", logged, c.log)
			}
		})
	}
}

// TestSecondAnswer checks that a request is answered once: the second answer aborts the connection.
func TestSecondAnswer(t *testing.T) {
	t.Parallel()
	var logged error
	api := httpapi.New(newFactory(t), httpapi.Settings{Log: func(_ *http.Request, err error) { logged = err }})
	w := httptest.NewRecorder()
	defer func() {
		if r := recover(); r != http.ErrAbortHandler {
			t.Errorf("recovered %v", r)
		}
		if logged == nil || !strings.Contains(logged.Error(), "answered already") {
			t.Errorf("logged %v", logged)
		}
		if n := strings.Count(w.Body.String(), `"kind"`); n != 1 {
			t.Errorf("the client gets %d objects: %s", n, w.Body)
		}
	}()
	api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
		if err != nil {
			return err
		}
		return errors.Join(x.Respond(http.StatusOK, new(corev1.Pod)), x.Respond(http.StatusOK, new(corev1.Pod)))
	}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
}

type holder struct{ raw runtime.RawExtension }

// TestInexpressibleNumbers checks that an object that CBOR cannot express is answered with 406 and
// the reason.
func TestInexpressibleNumbers(t *testing.T) {
	t.Parallel()
	gvk := schema.GroupVersionKind{Group: "third.example.com", Version: "v1", Kind: "Holder"}
	scheme, err := newFactory(t).Scheme().With(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[holder]{
			GroupVersionKind: gvk,
			AppendJSONFields: func(dst []byte, in *holder) ([]byte, error) {
				return runtime.AppendJSONRawExtension(append(dst, `,"raw":`...), &in.raw)
			},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, jsonformat.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	obj := &holder{runtime.RawExtension{Raw: []byte(`{"huge":1e999}`)}}
	api := httpapi.New(f, httpapi.Settings{Compact: true})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error { return api.Respond(w, r, gvk, obj) })
	resp, body := ask(t, h, http.MethodGet, "/", "", "Accept", "application/cbor")
	if resp.StatusCode != 406 || !strings.Contains(body, "raw.huge: cannot write number 1e999") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}
