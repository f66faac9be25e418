package askind_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/query"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// TestNilArguments checks that a constructor that is called with nil, as happens when an error has
// been ignored, says so: in its error, or if it returns none, by a panic that names the argument.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func() error{
		"group function 2 of 2: it is nil": func() error {
			_, err := runtime.NewScheme(metav1.AddTo, nil)
			return err
		},
		"group function 1 of 1: it is nil": func() error { _, err := scheme.With(nil); return err },
		"a factory needs a scheme":         func() error { _, err := serializer.NewFactory(nil, json.Format()); return err },
		"format 1 is nil":                  func() error { _, err := serializer.NewFactory(scheme, nil); return err },
		"the scheme and the engine must not be nil": func() error {
			_, err := server.New(nil, memory.New())
			return err
		},
		"store: open: the engine is nil":            func() error { _, err := store.Open(t.Context(), nil, store.Options{}); return err },
		"client: the factory is nil":                func() error { _, err := client.HTTP("http://127.0.0.1", nil); return err },
		"restmapper: the scheme is nil":             func() error { _, err := restmapper.FromScheme(nil); return err },
		"panic: httpapi: New: the factory is nil":   func() error { httpapi.New(nil, httpapi.Settings{}); return nil },
		"panic: query: New: the scheme is nil":      func() error { query.New(nil); return nil },
		"panic: openapi: New: the scheme is nil":    func() error { openapi.New(openapi.Config{}, nil); return nil },
		"panic: client: New: the backend or the":    func() error { client.New(nil, scheme); return nil },
		"panic: restmapper: NewDynamic: the source": func() error { restmapper.NewDynamic(nil); return nil },
		"panic: httpapi: Begin: this Endpoint was not returned by API.Endpoint": func() error {
			var e httpapi.Endpoint
			_, err := e.Begin(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			return err
		},
	} {
		got := func() (text string) {
			defer func() {
				if r, ok := recover().(string); ok {
					text = "panic: " + r
				}
			}()
			if err := f(); err != nil {
				return err.Error()
			}
			return "no error"
		}()
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if structure.Of(nil) != nil {
		t.Error("no kind has a structure")
	}
}
