package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// garbage returns invalid Groups.
func garbage() []*v1alpha1.Group {
	group := func(name, prefix string, versions ...v1alpha1.GroupVersionResources) *v1alpha1.Group {
		g := &v1alpha1.Group{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if prefix != "" {
			g.Annotations = map[string]string{discovery.PrefixAnnotation: prefix}
		}
		g.Status.Versions = versions
		return g
	}
	version := func(name string, resources ...metav1.APIResource) v1alpha1.GroupVersionResources {
		return v1alpha1.GroupVersionResources{Name: name, Resources: resources}
	}
	cars := metav1.APIResource{Name: "cars", Kind: "Truck", Namespaced: true}
	return []*v1alpha1.Group{
		group("nothing.example.com", ""),
		group("blank.example.com", "", version("", cars)),
		group("slash.example.com", "", version("v1/v2", cars), version("..", cars)),
		group("paths.example.com", "a/b", version("v1", cars)),
		group("up.example.com", "..", version("v1", cars)),
		group("resources.example.com", "", version(
			"v1", metav1.APIResource{Name: "..", Kind: "A"}, metav1.APIResource{Name: "", Kind: "B"},
			metav1.APIResource{Name: "a b", Kind: "C"}, metav1.APIResource{Name: "kindless"},
			metav1.APIResource{Name: "/", Kind: "D"}, metav1.APIResource{Name: "nobody/status", Kind: "E"},
		)),
		group("twice.example.com", "", version(
			"v1", metav1.APIResource{Name: "things", Kind: "Thing"}, metav1.APIResource{Name: "things", Kind: "Other"},
			metav1.APIResource{Name: "THINGS", Kind: "Third"}, metav1.APIResource{Name: "others", Kind: "Thing"},
		), version("v1", metav1.APIResource{Name: "things", Kind: "Again"})),
		// It claims the resources of another group, under its own prefix.
		group("evil."+carVersion.Group, "evil", version(carVersion.Version, cars)),
	}
}

// TestGarbageGroups checks that one invalid Group does not hide the valid ones from a client,
// whether it lists Groups or watches them.
func TestGarbageGroups(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := newServer(t)
	for _, g := range garbage() {
		s.put(g)
	}
	check := func(m *client.Mapper) {
		t.Helper()
		found, err := m.ForKind(ctx, carVersion.WithKind("Car").GroupKind())
		if err != nil || found.Resource.Resource != "cars" || found.Prefix != "" {
			t.Errorf("got %+v, %v", found, err)
		}
		found, err = m.ForResource(ctx, schema.GroupVersionResource{Group: "twice.example.com", Resource: "things"})
		if err != nil || found.Kind.Kind != "Thing" {
			t.Errorf("got %+v, %v", found, err)
		}
		for _, group := range []string{"slash", "paths", "up", "blank", "resources"} {
			cars := schema.GroupVersionResource{Group: group + ".example.com", Resource: "cars"}
			found, err := m.ForResource(ctx, cars)
			if err == nil {
				t.Errorf("%s: got %+v", group, found)
			}
		}
	}
	check(s.client().Mapper(client.MapperOptions{}))
	followed, stop := context.WithCancel(ctx)
	defer stop()
	m := s.client().Mapper(client.MapperOptions{OnError: func(err error) {
		if ctx.Err() == nil && followed.Err() == nil {
			t.Error(err)
		}
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.Run(followed) // until it is stopped
	}()
	if _, err := m.Wait(ctx, schema.GroupKind{Group: "twice.example.com", Kind: "Thing"}); err != nil {
		t.Fatal(err)
	}
	check(m)
	stop()
	<-done
}

// TestManyGroups checks that a client finds 10,000 groups, and then one more.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	resources := s.docs.Resources()
	for i := range 10_000 {
		b := boats("")
		b.Group = fmt.Sprintf("boats%d.example.com", i)
		resources = append(resources, b)
	}
	s.offer(resources...)
	m := s.client().Mapper(client.MapperOptions{})
	start := time.Now()
	if _, err := m.ForKind(t.Context(), schema.GroupKind{Group: "boats9999.example.com", Kind: "Boat"}); err != nil {
		t.Fatal(err)
	}
	t.Logf("10,000 groups are known after %v", time.Since(start))
	s.offer(append(resources, boats(""))...)
	start = time.Now()
	if _, err := m.ForKind(t.Context(), schema.GroupKind{Group: "boats.example.com", Kind: "Boat"}); err != nil {
		t.Fatal(err)
	}
	t.Logf("and one more %v later", time.Since(start))
}

// answers returns a client for a server with one answer.
func answers(t *testing.T, code int, contentType, body string) *client.Client {
	t.Helper()
	s := newServer(t)
	network := roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: code, Header: http.Header{"Content-Type": {contentType}},
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	transport, err := client.HTTP("https://cars.example.com", s.factory, client.RoundTripper(network))
	if err != nil {
		t.Fatal(err)
	}
	return client.New(transport, s.factory.Scheme())
}

var carMapping = restmapper.Mapping{Resource: carVersion.WithResource("cars"), Kind: carVersion.WithKind("Car")}

// TestLongErrors checks that an answer that is not a Status is shortened in the error.
func TestLongErrors(t *testing.T) {
	t.Parallel()
	c := answers(t, http.StatusBadGateway, "text/html", strings.Repeat("<p>x", 100_000))
	_, err := c.Explain(t.Context(), carMapping)
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "<p>x") {
		t.Errorf("got %.2000v", err)
	}
}

// TestExplainUnknownField checks the error for a field that the document does not have.
func TestExplainUnknownField(t *testing.T) {
	t.Parallel()
	c := answers(t, http.StatusOK, "application/json", `{"components":{"schemas":{"Car":{
		"x-kubernetes-group-version-kind":[{"group":"`+carVersion.Group+`","version":"`+carVersion.Version+`","kind":"Car"}],
		"properties":{"spec":{"type":"object"}}}}}}`)
	if _, err := c.Explain(t.Context(), carMapping, "spec", "nope"); err == nil ||
		!strings.Contains(err.Error(), `Car has no field "spec.nope"`) {
		t.Errorf("got %v", err)
	}
}

// TestExplainTypes checks the types of fields, also in a document whose references have no end.
func TestExplainTypes(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"$ref":"#/components/schemas/List"},`, 50)
	c := answers(t, http.StatusOK, "application/json", `{"components":{"schemas":{
		"List":{"type":"array","items":{"$ref":"#/components/schemas/Any"}},
		"Any":{"anyOf":[`+many+`{"type":"string"}]},
		"Loop":{"type":"array","items":{"$ref":"#/components/schemas/Loop"}},
		"Car":{
			"x-kubernetes-group-version-kind":[{"group":"`+carVersion.Group+`","version":"`+carVersion.Version+`","kind":"Car"}],
			"properties":{
				"a":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
				"b":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}},{"required":["a"]}]},
				"c":{"$ref":"#/components/schemas/Any"},
				"d":{"$ref":"#/components/schemas/Loop"}}}}}}`)
	e, err := c.Explain(t.Context(), carMapping)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range e.Fields {
		got = append(got, f.Name+" "+f.Type)
	}
	want := []string{
		"a [][]integer", "b integer or []string", "c " + strings.Repeat("[]any or ", 50) + "string",
		"d " + strings.Repeat("[]", 20) + "array",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHostileExplanations explains documents with null in place of schemas, with many references to
// a schema with many alternatives, and with very many objects.
func TestHostileExplanations(t *testing.T) {
	t.Parallel()
	document := func(schemas, properties string) string {
		return `{"components":{"schemas":{` + schemas + `"Car":{"x-kubernetes-group-version-kind":[{"group":"` +
			carVersion.Group + `","version":"` + carVersion.Version + `","kind":"Car"}],"properties":{` + properties + `}}}}}`
	}
	c := answers(t, http.StatusOK, "application/json", document(`"Null":null,`,
		`"a":null,"b":{"anyOf":[null],"items":null},`+
			`"c":{"allOf":[null]},"d":{"$ref":"#/components/schemas/Null"},"e":{"type":"`+strings.Repeat("x", 1000)+`"}`))
	e, err := c.Explain(t.Context(), carMapping)
	if err != nil || len(e.Fields) != 5 || e.Fields[0].Type != "any" || len(e.Fields[4].Type) > 64 {
		t.Errorf("got %+v, %v", e, err)
	}
	many := `"Any":{"anyOf":[` + strings.Repeat(`{"type":"x"},`, 5000) + `{"type":"x"}]},`
	var fields strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&fields, `"f%d":{"$ref":"#/components/schemas/Any"},`, i)
	}
	c = answers(t, http.StatusOK, "application/json", document(many, fields.String()+`"z":{}`))
	e, err = c.Explain(t.Context(), carMapping)
	if err != nil || len(e.Fields) != 5001 || len(e.Fields[0].Type) != len("x or ")*5001-len(" or ") {
		t.Fatal(err)
	}
	for _, f := range e.Fields[:5000] {
		if unsafe.StringData(f.Type) != unsafe.StringData(e.Fields[0].Type) {
			t.Fatal("the same type is written for each field again")
		}
	}
	many = `"Any":{"anyOf":[` + strings.Repeat(`{},`, 1<<20) + `{}]},`
	c = answers(t, http.StatusOK, "application/json", document(many, ""))
	_, err = c.Explain(t.Context(), carMapping)
	if err == nil || !strings.Contains(err.Error(), "more than 524288 objects") {
		t.Errorf("got %v", err)
	}
}
