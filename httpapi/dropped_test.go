package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	jsonformat "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
)

type flatCar struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
}

type car struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
}

// TestDroppedValues checks that a client is warned about carried values that its write drops.
func TestDroppedValues(t *testing.T) {
	t.Parallel()
	old := schema.GroupVersion{Group: "cars.example.com", Version: "v1alpha1"}
	v1 := schema.GroupVersion{Group: "cars.example.com", Version: "v1"}
	scheme, err := runtime.NewScheme(metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[flatCar]{GroupVersionKind: old.WithKind("Car")}))
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[car]{GroupVersionKind: v1.WithKind("Car")}))
		runtime.AddConversion(b, func(in *flatCar, out *car, s *conversion.Scope) error {
			*out = car{ObjectMeta: in.ObjectMeta}
			if in.Name == "edited" {
				s.Dropped(conversion.DroppedValue{Kind: "cars.example.com/v1/Car", Path: "spec.addons", Changed: true})
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, jsonformat.Format())
	if err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(f, httpapi.Settings{})
	typed := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: v1.WithKind("Car")})
		if err != nil {
			return err
		}
		c, err := httpapi.ReadBody[car](x, serializer.DecodeOptions{})
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, c)
	})
	untyped := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: v1.WithKind("Car")})
		if err != nil {
			return err
		}
		told := 0
		c, err := x.ReadBody(serializer.DecodeOptions{
			Version: v1, Dropped: func(conversion.DroppedValue) { told++ },
		})
		if err != nil {
			return err
		}
		if warned := len(x.Header()["Warning"]); told != warned {
			t.Errorf("the option received %d values, the client %d", told, warned)
		}
		return x.Respond(http.StatusOK, c)
	})
	const stated = "application/json;g=cars.example.com;v=v1alpha1;as=Car"
	for name, c := range map[string]struct {
		h           http.Handler
		contentType string
	}{
		"typed":              {typed, "application/json"},
		"Version":            {untyped, "application/json"},
		"as the header says": {untyped, stated},
	} {
		for object, want := range map[string]int{"edited": 1, "same": 0} {
			resp, body := ask(t, c.h, http.MethodPut, "/",
				`{"kind":"Car","apiVersion":"cars.example.com/v1alpha1","metadata":{"name":"`+object+`"}}`,
				"Content-Type", c.contentType)
			warnings := resp.Header.Values("Warning")
			if resp.StatusCode != http.StatusOK || len(warnings) != want {
				t.Fatalf("%s, %s: %s, warnings %q, want %d\n%s", name, object, resp.Status, warnings, want, body)
			}
			if want > 0 && !strings.Contains(warnings[0],
				"spec.addons: the value carried for cars.example.com/v1/Car is dropped: what it depends on has changed") {
				t.Errorf("%s: %s", name, warnings[0])
			}
		}
	}
}
