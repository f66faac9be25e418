package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// sent records the last request and answers nothing.
type sent struct {
	text, authorization, contentType string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.text, s.authorization, s.contentType = r.Method+" "+r.URL.RequestURI(), r.Header.Get("Authorization"), ""
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.text, s.contentType = s.text+" "+strings.TrimSpace(string(body)), r.Header.Get("Content-Type")
	}
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}, nil
}

// TestSent compares the requests of verbs and options with those of the Kubernetes API.
func TestSent(t *testing.T) {
	t.Parallel()
	var last sent
	factory := newFactory(t)
	backend, err := client.HTTP("http://example.com", factory, client.RoundTripper(&last),
		client.BearerToken("secret"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	cars := client.Of[Car](client.New(backend, factory.Scheme())).In("default")
	const path = "/apis/cars.example.com/v1/namespaces/default/cars"
	const options = `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"`
	for name, tt := range map[string]struct {
		call              func() error
		want, contentType string
	}{
		"grace period": {func() error {
			return cars.Delete(ctx, "beetle", client.GracePeriod(7), client.DryRun())
		}, "DELETE " + path + "/beetle " + options + `,"gracePeriodSeconds":7,"dryRun":["All"]}`, "application/json"},
		"propagation": {
			func() error {
				orphan := client.Propagation(metav1.DeletePropagationOrphan)
				return cars.DeleteAll(ctx, client.Fields("spec.wheels=4"), orphan)
			}, "DELETE " + path + "?fieldSelector=spec.wheels%3D4 " + options + `,"propagationPolicy":"Orphan"}`,
			"application/json",
		},
		"version of a deletion": {func() error {
			return cars.Delete(ctx, "beetle", client.IfVersion("3"))
		}, "DELETE " + path + "/beetle " + options + `,"preconditions":{"resourceVersion":"3"}}`, "application/json"},
		"exact version": {func() error {
			_, err := cars.List(ctx, client.AtVersion("3"), client.Exactly())
			return err
		}, "GET " + path + "?resourceVersion=3&resourceVersionMatch=Exact", ""},
		"JSON patch": {func() error {
			_, err := cars.Patch(ctx, "beetle", client.JSONPatch("[]"))
			return err
		}, "PATCH " + path + "/beetle []", "application/json-patch+json"},
		"strategic patch": {func() error {
			_, err := cars.Patch(ctx, "beetle", client.StrategicPatch("{}"), client.FieldManager("me"))
			return err
		}, "PATCH " + path + "/beetle?fieldManager=me {}", "application/strategic-merge-patch+json"},
		"forced apply": {
			func() error {
				car := &Car{}
				car.Name = "beetle"
				_, err := cars.Apply(ctx, car, client.FieldManager("me"), client.Force())
				return err
			}, "PATCH " + path + "/beetle?fieldManager=me&force=true " +
				`{"kind":"Car","apiVersion":"cars.example.com/v1","metadata":{"name":"beetle"},"spec":{}}`,
			"application/apply-patch+yaml",
		},
		"table": {func() error {
			_, err := client.ShowAll[metav1.Table](ctx, cars, client.Limit(2))
			return err
		}, "GET " + path + "?limit=2", ""},
		"operation of another version": {
			func() error {
				_, err := client.Act(ctx, cars.Named(schema.GroupVersionResource{
					Group: "cars.example.com", Version: "v2", Resource: "cars",
				}), "beetle", "wash", &Car{})
				return err
			}, "POST " + strings.Replace(path, "v1", "v2", 1) + `/beetle/wash ` +
				`{"kind":"Car","apiVersion":"cars.example.com/v1","metadata":{},"spec":{}}`, "application/json",
		},
		"size": {func() error {
			s := &metav1.Scale{Spec: metav1.ScaleSpec{Replicas: 3}}
			s.Name = "beetle"
			_, err := cars.UpdateScale(ctx, s)
			return err
		}, "PUT " + path + `/beetle/scale {"kind":"Scale","apiVersion":"autoscaling/v1",` +
			`"metadata":{"name":"beetle"},"spec":{"replicas":3},"status":{"replicas":0}}`, "application/json"},
	} {
		_ = tt.call() // an answer without an object is an error of most verbs
		if last.text != tt.want || last.contentType != tt.contentType || last.authorization != "Bearer secret" {
			t.Errorf("%s:\ngot  %s (%s, %s)\nwant %s (%s)", name, last.text, last.contentType, last.authorization,
				tt.want, tt.contentType)
		}
	}
}
