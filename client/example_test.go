package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

func ExampleOf() {
	scheme, err := runtime.NewScheme(metav1.AddTo, addCars)
	if err != nil {
		fmt.Println(err)
		return
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	// A server with one car stands in for the network.
	network := roundTripper(func(r *http.Request) (*http.Response, error) {
		fmt.Println(r.Method, r.URL)
		body := `{"apiVersion":"cars.example.com/v1","kind":"CarList","metadata":{"resourceVersion":"7"},
			"items":[{"metadata":{"name":"beetle"},"spec":{"wheels":4}}]}`
		header := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{
			StatusCode: http.StatusOK, Header: header,
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	transport, err := client.HTTP("https://cars.example.com", factory, client.RoundTripper(network))
	if err != nil {
		fmt.Println(err)
		return
	}
	cars := client.Of[Car](client.New(transport, scheme)).In("default")
	list, err := cars.List(context.Background(), client.Labels("color=red"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, car := range list.Items {
		fmt.Println(car.Kind, car.Name, "has", car.Spec.Wheels, "wheels")
	}
	// Output:
	// GET https://cars.example.com/apis/cars.example.com/v1/namespaces/default/cars?labelSelector=color%3Dred
	// Car beetle has 4 wheels
}

// Three controllers divide the cars among themselves. This is the second one.
func ExampleShard() {
	scheme, err := runtime.NewScheme(metav1.AddTo, addCars)
	if err != nil {
		fmt.Println(err)
		return
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	// A server without cars stands in for the network.
	network := roundTripper(func(r *http.Request) (*http.Response, error) {
		fmt.Println(r.URL.Query().Get("shardSelector"))
		body := `{"apiVersion":"cars.example.com/v1","kind":"CarList","metadata":{"resourceVersion":"7"},"items":[]}`
		header := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{
			StatusCode: http.StatusOK, Header: header,
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	transport, err := client.HTTP("https://cars.example.com", factory, client.RoundTripper(network))
	if err != nil {
		fmt.Println(err)
		return
	}
	cars := client.Of[Car](client.New(transport, scheme))
	for _, err := range cars.All(context.Background(), client.Shard(1, 3)) {
		fmt.Println(err)
	}
	// Output:
	// shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')
}

// The cache has the red cars. While the server does not answer, the cache tries again.
func ExampleNewCache() {
	scheme, err := runtime.NewScheme(metav1.AddTo, addCars)
	if err != nil {
		fmt.Println(err)
		return
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	// A server that begins to answer with the second request stands in for the network.
	requests := 0
	network := roundTripper(func(r *http.Request) (*http.Response, error) {
		if requests++; requests == 1 {
			return nil, errors.New("connection refused")
		}
		q := r.URL.Query()
		if q.Get("watch") != "" { // without a change
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		fmt.Println("the selector is", q.Get("labelSelector"))
		body := `{"apiVersion":"cars.example.com/v1","kind":"CarList","metadata":{"resourceVersion":"7"},
			"items":[{"metadata":{"namespace":"default","name":"beetle"},"spec":{"wheels":4}}]}`
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	transport, err := client.HTTP("https://cars.example.com", factory, client.RoundTripper(network), client.Retries(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	cache := client.NewCache(client.Of[Car](client.New(transport, scheme)), client.CacheOptions[Car]{
		Select:  []client.Option{client.Labels("color=red")},
		OnError: func(err error) { fmt.Println("refused:", strings.Contains(err.Error(), "connection refused")) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- cache.Run(ctx) }()
	fmt.Println(cache.Wait(ctx))
	for _, car := range cache.List("default") {
		fmt.Println(car.Name)
	}
	cancel()
	fmt.Println(<-done)
	// Output:
	// refused: true
	// the selector is color=red
	// <nil>
	// beetle
	// context canceled
}

// The descriptions come from the server's OpenAPI document, as those of kubectl explain do.
func ExampleClient_Explain() {
	scheme, err := runtime.NewScheme(metav1.AddTo, addCars)
	if err != nil {
		fmt.Println(err)
		return
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	// A server with this document stands in for the network.
	network := roundTripper(func(r *http.Request) (*http.Response, error) {
		fmt.Println(r.Method, r.URL)
		body := `{"openapi":"3.0.0","components":{"schemas":{"Car":{
			"type":"object",
			"x-kubernetes-group-version-kind":[{"group":"cars.example.com","version":"v1","kind":"Car"}],
			"properties":{"spec":{"type":"object","description":"What the car is.","required":["wheels"],"properties":{
				"wheels":{"type":"integer","description":"How many it stands on."},
				"owner":{"type":"string","description":"Who drives it."}}}}}}}}`
		header := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{
			StatusCode: http.StatusOK, Header: header,
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	transport, err := client.HTTP("https://cars.example.com", factory, client.RoundTripper(network))
	if err != nil {
		fmt.Println(err)
		return
	}
	cars := schema.GroupVersion{Group: "cars.example.com", Version: "v1"}
	mapping := restmapper.Mapping{Resource: cars.WithResource("cars"), Kind: cars.WithKind("Car")}
	spec, err := client.New(transport, scheme).Explain(context.Background(), mapping, "spec")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Description)
	for _, field := range spec.Fields {
		fmt.Println(field.Name, field.Type, field.Required, field.Description)
	}
	// Output:
	// GET https://cars.example.com/openapi/v3/apis/cars.example.com/v1
	// What the car is.
	// owner string false Who drives it.
	// wheels integer true How many it stands on.
}

// A program that shows what a server answers does not let it control the terminal.
func ExamplePrintable() {
	fmt.Fprintln(client.Printable(os.Stdout), "the server says: \x1b[32mall is well")
	// Output: the server says: \u001b[32mall is well
}
