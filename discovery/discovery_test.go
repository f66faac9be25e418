package discovery_test

import (
	"testing"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

var allVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// resource makes a resource from "prefix/group/version/resource", where the prefix may be omitted,
// and a kind.
func resource(prefix, group, version, name, kind string) discovery.Resource {
	return discovery.Resource{
		Prefix:               prefix,
		GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: name},
		Kind:                 schema.GroupVersionKind{Kind: kind}, Verbs: allVerbs,
	}
}

// cars returns the config of a server with several groups.
func cars() discovery.Config {
	car := resource("", "cars.example.com", "v1", "cars", "Car")
	car.Singular, car.ShortNames, car.Categories = "car", []string{"c"}, []string{"all"}
	car.Subresources = []discovery.Subresource{
		{Name: "status", Verbs: []string{"update", "get", "patch"}},
		{
			Name: "scale", Kind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
			Verbs: []string{"get", "update"},
		},
	}
	garage := resource("", "cars.example.com", "v1", "garages", "Garage")
	garage.Scope = runtime.Cluster
	return discovery.Config{Resources: []discovery.Resource{
		garage, car,
		resource("", "cars.example.com", "v1beta1", "cars", "Car"),
		resource("", "boats.example.com", "v1", "boats", "Boat"),
		resource("", "", "v1", "notes", "Note"),
		resource("oapi", "", "v1", "routes", "Route"),
	}}
}

func documents(t testing.TB, c discovery.Config) *discovery.Documents {
	t.Helper()
	d, err := discovery.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func factory(t testing.TB) *serializer.Factory {
	t.Helper()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo, discovery.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answer negotiates and encodes a document, as a server does.
func answer(t testing.TB, f *serializer.Factory, d *discovery.Documents, path, accept string) (contentType,
	body string,
) {
	t.Helper()
	doc, ok := d.Find(path)
	if !ok {
		t.Fatalf("there is no document at %s", path)
	}
	rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: doc.Kind()})
	if err != nil {
		t.Fatal(err)
	}
	out, err := rep.Append(nil, doc.Form(rep.Target()).Object)
	if err != nil {
		t.Fatal(err)
	}
	return rep.ContentType(), string(out)
}
