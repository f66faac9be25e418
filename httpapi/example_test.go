package httpapi_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/askind/askind/httpapi"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	"github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// A handler that responds with an object in every version, format and kind that a client may
// request.
func Example() {
	scheme, err := runtime.NewScheme(workshopv1.AddTo, v1beta1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		log.Fatal(err)
	}
	order := &workshopv1.Order{ObjectMeta: metav1.ObjectMeta{Name: "o-1", Labels: map[string]string{"team": "blue"}}}
	resource := schema.GroupResource{Group: workshopv1.GroupVersion.Group, Resource: "orders"}

	api := httpapi.New(f, httpapi.Settings{Compact: true})
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{name}", api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: workshopv1.GroupVersion.WithKind("Order")})
		if err != nil {
			return err
		}
		if name := r.PathValue("name"); name != order.Name {
			return metav1.NotFound(resource, name)
		}
		return x.Respond(http.StatusOK, order)
	}))

	for _, get := range []struct{ path, accept string }{
		{"/orders/o-1", "application/yaml;g=meta.k8s.io,v=v1,as=PartialObjectMetadata, application/json"},
		{"/orders/o-2", "application/json;as=Table"},
	} {
		r := httptest.NewRequest("GET", get.path, nil)
		r.Header.Set("Accept", get.accept)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Printf("%d %s\n%s\n", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	// Output:
	// 200 application/yaml;g=meta.k8s.io;v=v1;as=PartialObjectMetadata
	// apiVersion: meta.k8s.io/v1
	// kind: PartialObjectMetadata
	// metadata:
	//   labels:
	//     team: blue
	//   name: o-1
	//
	// 404 application/json
	// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"orders.workshop.example.com \"o-2\" not found","reason":"NotFound","details":{"name":"o-2","group":"workshop.example.com","kind":"orders"},"code":404}
}

// A body that is not an object, such as a patch, is returned as bytes. A body that is too large is
// answered with code 413.
func ExampleExchange_Body() {
	scheme, err := runtime.NewScheme(workshopv1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		log.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		log.Fatal(err)
	}
	api := httpapi.New(f, httpapi.Settings{Compact: true, MaxBody: 20})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: workshopv1.GroupVersion.WithKind("Order")})
		if err != nil {
			return err
		}
		patch, err := x.Body()
		if err != nil {
			return err
		}
		fmt.Println("the patch is", string(patch))
		return x.Respond(http.StatusOK, metav1.Success())
	})
	for _, body := range []string{`{"spec":{}}`, `{"spec":{"customer":"c"}}`} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("PATCH", "/orders/o-1", strings.NewReader(body)))
		fmt.Println(w.Code)
	}
	// Output:
	// the patch is {"spec":{}}
	// 200
	// 413
}
