package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// plainKind returns what registers a kind without a Go type.
func plainKind(t testing.TB, group, resource, kind string, versions ...string) func(*runtime.Builder) {
	t.Helper()
	d := dynamic.Definition{Group: group, Kind: kind, Resource: resource}
	for i, v := range versions {
		d.Versions = append(d.Versions, dynamic.Version{Name: v, Storage: i == 0})
	}
	r, err := dynamic.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return r.AddTo
}

// serveKinds returns a server of kinds.
func serveKinds(t testing.TB, kinds []func(*runtime.Builder), o ...server.Option) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(kinds...)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	s, err := server.New(scheme, db, o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		_ = db.Close()
	})
	return s
}

// TestMonolithBesideGroups serves what OpenShift served: version v1 of the core group at /api for
// one API and at /oapi for another, beside a new group with a kind of the same name.
func TestMonolithBesideGroups(t *testing.T) {
	t.Parallel()
	s := serveKinds(t, []func(*runtime.Builder){
		plainKind(t, "", "pods", "Pod", "v1"), plainKind(t, "", "routes", "Route", "v1"),
		plainKind(t, "", "builds", "Build", "v1"), plainKind(t, "build.openshift.io", "builds", "Build", "v1"),
	}, server.PrefixFor("oapi", schema.GroupResource{Resource: "routes"}, schema.GroupResource{Resource: "builds"}))
	named := func(kind, version string) string {
		return `{"apiVersion":"` + version + `","kind":"` + kind + `","metadata":{"name":"a"},"spec":{"from":"` + version + `"}}`
	}
	run(t, s, "/", []step{
		{name: "core", method: "POST", path: "/api/v1/namespaces/x/pods", body: named("Pod", "v1"), code: 201},
		{name: "monolith", method: "POST", path: "/oapi/v1/namespaces/x/builds", body: named("Build", "v1"), code: 201},
		{
			name: "group", method: "POST", path: "/apis/build.openshift.io/v1/namespaces/x/builds",
			body: named("Build", "build.openshift.io/v1"), code: 201,
		},
		{
			name: "the monolith keeps its object", method: "GET", path: "/oapi/v1/namespaces/x/builds/a", code: 200,
			want: []string{`"apiVersion":"v1"`, `"from":"v1"`},
		},
		{
			name: "and the group its own", method: "GET", path: "/apis/build.openshift.io/v1/namespaces/x/builds/a",
			code: 200, want: []string{`"from":"build.openshift.io/v1"`},
		},
		{
			name: "elsewhere", method: "GET", path: "/api/v1/namespaces/x/routes", code: 404,
			want: []string{"routes of v1 is at /oapi/v1/routes"},
		},
		{
			name: "versions of the core group", method: "GET", path: "/api", code: 200, want: []string{`"versions":["v1"]`},
		},
		{
			name: "versions of the monolith", method: "GET", path: "/oapi", code: 200,
			want: []string{`"kind":"APIVersions"`, `"versions":["v1"]`, `"apiVersions":["v1"]`},
		},
		{
			name: "resources of the monolith", method: "GET", path: "/oapi/v1", code: 200,
			want: []string{`"name":"builds"`, `"name":"routes"`}, not: []string{`"name":"pods"`},
		},
		{
			name: "resources of the core group", method: "GET", path: "/api/v1", code: 200,
			want: []string{`"name":"pods"`}, not: []string{`"name":"builds"`},
		},
		{
			name: "paths", method: "GET", path: "/", code: 200,
			want: []string{`"/oapi/v1"`, `"/api/v1"`, `"/openapi/v3/oapi/v1"`, `"/openapi/v3/api/v1"`},
		},
		{
			name: "OpenAPI", method: "GET", path: "/openapi/v3/oapi/v1",
			code: 200, want: []string{`"/oapi/v1/namespaces/{namespace}/builds`},
		},
	})
	c := s.Client()
	m := c.Mapper(client.MapperOptions{Groups: []string{"build.openshift.io"}})
	for _, kind := range []struct{ group, kind, path string }{
		{"", "Pod", "/api/v1/namespaces/x/pods/a"},
		{"", "Build", "/oapi/v1/namespaces/x/builds/a"},
		{"build.openshift.io", "Build", "/apis/build.openshift.io/v1/namespaces/x/builds/a"},
	} {
		mapping, err := m.ForKind(t.Context(), schema.GroupKind{Group: kind.group, Kind: kind.kind})
		if err != nil {
			t.Fatal(err)
		}
		q := &client.Request{Prefix: mapping.Prefix, Resource: mapping.Resource, Namespace: "x", Name: "a"}
		if got := q.Path(); got != kind.path {
			t.Errorf("the client asks at %s, want %s", got, kind.path)
		}
		if o, err := c.Untyped(mapping).In("x").Get(t.Context(), "a"); err != nil || o.Name() != "a" {
			t.Errorf("%s: got %v, %v", kind.path, o, err)
		}
	}
	args, err := restmapper.ParseArguments(t.Context(), m, "builds/a")
	if err != nil || len(args) != 1 || args[0].Resource.Group != "build.openshift.io" {
		t.Errorf("the preferred group does not decide: %+v, %v", args, err)
	}
}

// TestGroupAtSeveralPrefixes serves the versions of one group, and one resource of a version, below
// different prefixes. Each prefix has a Group of its own.
func TestGroupAtSeveralPrefixes(t *testing.T) {
	t.Parallel()
	const group = "boats.example.com"
	old := schema.GroupVersion{Group: group, Version: "v1"}
	s := serveKinds(t, []func(*runtime.Builder){
		plainKind(t, group, "boats", "Boat", "v2", "v1"), plainKind(t, group, "docks", "Dock", "v2"),
	}, server.Prefix("alpha", old), server.PrefixFor("docks", schema.GroupResource{Group: group, Resource: "docks"}))
	const v1, v2 = "/alpha/" + group + "/v1", "/apis/" + group + "/v2"
	run(t, s, "/", []step{
		{
			name: "create in the old version", method: "POST", path: v1 + "/namespaces/x/boats",
			body: `{"metadata":{"name":"a"}}`, code: 201,
		},
		{
			name: "read in the new one", method: "GET", path: v2 + "/namespaces/x/boats/a",
			code: 200, want: []string{group + `/v2"`},
		},
		{
			name: "not below the other prefix", method: "GET", path: "/apis/" + group + "/v1/namespaces/x/boats",
			code: 404,
		},
		{
			name: "a resource elsewhere", method: "GET", path: "/docks/" + group + "/v2/docks",
			code: 200, want: []string{"DockList"},
		},
		{
			name: "old group", method: "GET", path: "/alpha/" + group,
			code: 200, want: []string{`"version":"v1"`}, not: []string{"v2"},
		},
		{
			name: "new group", method: "GET", path: "/apis/" + group,
			code: 200, want: []string{`"version":"v2"`}, not: []string{`"version":"v1"`},
		},
	})
	groups, err := client.Of[v1alpha1.Group](s.Client()).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range groups.Items {
		names = append(names, g.Name+" "+g.Annotations["discovery.k8s.io/prefix"])
	}
	want := []string{"alpha." + group + " alpha", group + " ", "discovery.k8s.io ", "docks." + group + " docks"}
	if !slices.Equal(names, want) {
		t.Errorf("got Groups %q, want %q", names, want)
	}
	m := s.Client().Mapper(client.MapperOptions{})
	found, err := m.ForKind(t.Context(), schema.GroupKind{Group: group, Kind: "Boat"}, "v1")
	if err != nil || found.Prefix != "alpha" {
		t.Errorf("got %+v, %v", found, err)
	}
	found, err = m.ForKind(t.Context(), schema.GroupKind{Group: group, Kind: "Boat"})
	if err != nil || found.Kind.Version != "v2" {
		t.Errorf("got %+v, %v", found, err)
	}
}

// TestPrefixErrors refuses prefixes that are not one segment of a path, or that the server has
// taken.
func TestPrefixErrors(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "a/b", "/", "..", "a%2fb", "a?", "version", "openapi", "healthz"} {
		db := memory.New()
		_, err := server.New(scheme, db, server.PrefixFor(prefix, schema.GroupResource{Resource: "a"}))
		if err == nil || !strings.Contains(err.Error(), "cannot be a prefix") {
			t.Errorf("%q: got %v", prefix, err)
		}
		_ = db.Close()
	}
	run(t, serveKinds(t, nil), "/", []step{{name: "nothing", method: "GET", path: "/apis", code: http.StatusOK}})
}

// TestHandleErrors refuses paths for handlers of the program that the server would answer itself.
func TestHandleErrors(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "files", "/metrics", "/version/", "/readyz/disk", "/openapi/v3", "/../x"} {
		db := memory.New()
		_, err := server.New(scheme, db, server.Handle(path, http.NotFoundHandler()))
		if err == nil || !strings.Contains(err.Error(), "must begin with a slash") {
			t.Errorf("%q: got %v", path, err)
		}
		_ = db.Close()
	}
}
