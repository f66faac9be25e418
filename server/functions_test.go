package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

func TestFunctions(t *testing.T) {
	t.Parallel()
	known := map[string]*inventoryv1.Site{"a": {ObjectMeta: metav1.ObjectMeta{Name: "a"}}}
	missing := func(name string) error { return metav1.NotFound(schema.GroupResource{Resource: "sites"}, name) }
	s := newServer(t, server.Resource[inventoryv1.Site](server.Functions[inventoryv1.Site]{
		Get: func(_ context.Context, r *server.Request) (*inventoryv1.Site, error) {
			if x := known[r.Name]; x != nil {
				return x, nil
			}
			return nil, missing(r.Name)
		},
		List: func(_ context.Context, _ *server.Request, o *metav1.ListOptions) ([]*inventoryv1.Site, error) {
			if o.Limit > 10 {
				return nil, runtime.FieldErrors{runtime.Forbidden(schema.NewPath("limit"), "10 at most")}
			}
			return []*inventoryv1.Site{known["a"]}, nil
		},
		Create: func(_ context.Context, r *server.Request, in *inventoryv1.Site) (*inventoryv1.Site, error) {
			in.Labels = map[string]string{"by": r.User.Name}
			return in, nil
		},
	}))
	run(t, s, sites, []step{
		{
			name: "discovery", method: "GET", path: "/apis/inventory.example.com/v1", code: http.StatusOK,
			want: []string{
				`"name":"sites","singularName":"site","namespaced":false,"kind":"Site","verbs":["create","get","list"]`,
			},
		},
		{
			name: "get", method: "GET", path: "a", code: http.StatusOK,
			want: []string{`"kind":"Site","apiVersion":"inventory.example.com/v1"`},
		},
		{
			name: "as a table", method: "GET", path: "a",
			headers: []string{"Accept: application/json;as=Table;v=v1;g=meta.k8s.io"}, code: http.StatusOK,
			want: []string{`"kind":"Table"`},
		},
		{name: "nothing", method: "GET", path: "b", code: http.StatusNotFound},
		{name: "list", method: "GET", code: http.StatusOK, want: []string{`"kind":"SiteList"`, `"name":"a"`}},
		{
			name: "a list that is refused", method: "GET", path: "?limit=11", code: http.StatusUnprocessableEntity,
			want: []string{`Site.inventory.example.com \"\" is invalid: limit: Forbidden: 10 at most`},
		},
		{
			name: "create", method: "POST", body: site("b"), code: http.StatusCreated,
			want: []string{`"by":"system:anonymous"`},
		},
		{
			name: "the tag of another version", method: "POST", body: site("b"), headers: []string{`If-Match: "1.x"`},
			code: http.StatusPreconditionFailed,
		},
		{
			name: "an object that is not valid", method: "POST", body: `{"metadata":{"name":"b"}}`,
			code: http.StatusUnprocessableEntity,
		},
		{
			name: "a manager that cannot be recorded", method: "POST", body: site("b"),
			path: "?fieldManager=" + strings.Repeat("m", 200), code: http.StatusUnprocessableEntity,
		},
		{name: "a verb without a function", method: "DELETE", path: "a", code: http.StatusMethodNotAllowed},
		{name: "a watch", method: "GET", path: "?watch=true", code: http.StatusMethodNotAllowed},
		{name: "a patch", method: "PATCH", path: "a", code: http.StatusMethodNotAllowed},
	})
	if m := known["a"].TypeMeta; m != (metav1.TypeMeta{}) {
		t.Errorf("the object of the function was changed, which other requests may read: %v", m)
	}
}

// TestFunctionsOfOtherVersions checks that an object in another version is held to the rules of the
// version in which the functions get it.
func TestFunctionsOfOtherVersions(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Resource(server.Functions[v1.Machine]{
		Create: func(_ context.Context, _ *server.Request, in *v1.Machine) (*v1.Machine, error) { return in, nil },
	}))
	body := func(pool string) string {
		return `{"apiVersion":"fleet.example.com/v1beta1","kind":"Machine","metadata":{"name":"a"},"spec":{"pool":"` + pool +
			`","zone":"fra-1","hardware":{"cores":4,"memory":"8Gi"},"bootSource":{"image":{"name":"debian-13"}}}}`
	}
	run(t, s, machines, []step{
		{
			name: "a valid one", method: "POST", body: body("web"), code: http.StatusCreated,
			want: []string{`"apiVersion":"fleet.example.com/v1"`, `"poolName":"web"`},
		},
		{
			name: "one that v1 refuses", method: "POST", body: body("no name"), code: http.StatusUnprocessableEntity,
			want: []string{"spec.poolName"},
		},
	})
}

// TestFunctionsAreAdmitted checks that the Admit functions for all kinds are asked about resources
// made of functions.
func TestFunctionsAreAdmitted(t *testing.T) {
	t.Parallel()
	deleted := 0
	s := newServer(t, server.Resource(server.Functions[inventoryv1.Site]{
		Create: func(_ context.Context, _ *server.Request, in *inventoryv1.Site) (*inventoryv1.Site, error) {
			return in, nil
		},
		Delete: func(_ context.Context, r *server.Request, _ *metav1.DeleteOptions) (*inventoryv1.Site, error) {
			deleted++
			return &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: r.Name}}, nil
		},
	}), server.Admit(func(_ context.Context, r *server.Request, old, new runtime.Object) error {
		for _, obj := range []runtime.Object{old, new} {
			if site, ok := obj.(*inventoryv1.Site); ok && site.Name == "kept" {
				return r.Forbidden("it is to be kept")
			}
		}
		return nil
	}))
	run(t, s, sites, []step{
		{name: "create", method: "POST", body: site("a"), code: http.StatusCreated},
		{name: "a refused one", method: "POST", body: site("kept"), code: http.StatusForbidden},
		{name: "delete", method: "DELETE", path: "a", code: http.StatusOK},
		{
			name: "a refused deletion", method: "DELETE", path: "kept", code: http.StatusForbidden,
			want: []string{"it is to be kept"},
		},
	})
	if deleted != 1 {
		t.Errorf("%d objects were deleted", deleted)
	}
}

// TestIdleHooksAreLogged checks that a server says which hooks it never calls.
func TestIdleHooksAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))), server.For(server.Hooks[v1.Machine]{}),
		server.For(server.Hooks[inventoryv1.Site]{}), server.Resource(server.Functions[inventoryv1.Site]{}))
	if got := log.String(); !strings.Contains(got, "never called") || !strings.Contains(got, "Kind=Site") ||
		strings.Contains(got, "Machine") {
		t.Errorf("the log is %q", got)
	}
}

func TestSubresource(t *testing.T) {
	t.Parallel()
	s := newServer(t,
		server.Subresource[v1.Machine, metav1.Scale]("grow", func(_ context.Context, _ *server.Request, m *v1.Machine,
			in *metav1.Scale,
		) (*metav1.Scale, error) {
			m.Spec.Hardware.Cores += in.Spec.Replicas
			return &metav1.Scale{Spec: metav1.ScaleSpec{Replicas: m.Spec.Hardware.Cores}}, nil
		}),
		server.SubresourceView[v1.Machine, metav1.Scale]("grow", func(_ context.Context, _ *server.Request,
			m *v1.Machine,
		) (*metav1.Scale, error) {
			return &metav1.Scale{Spec: metav1.ScaleSpec{Replicas: m.Spec.Hardware.Cores}}, nil
		}),
	)
	run(t, s, machines, []step{
		{name: "a machine", method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated},
		{
			name: "discovery", method: "GET", path: "/apis/fleet.example.com/v1", code: http.StatusOK,
			want: []string{`"name":"machines/grow"`, `"kind":"Scale","verbs":["create","get"]`},
		},
		{
			name: "act", method: "POST", path: "a/grow", body: `{"spec":{"replicas":2}}`, code: http.StatusCreated,
			want: []string{`"replicas":6`},
		},
		{name: "view", method: "GET", path: "a/grow", code: http.StatusOK, want: []string{`"replicas":6`}},
		{
			name: "the change is stored", method: "GET", path: "a", code: http.StatusOK,
			want: []string{`"cores":6`, `"generation":2`},
		},
		{
			name: "a change that is not valid", method: "POST", path: "a/grow", body: `{"spec":{"replicas":-10}}`,
			code: http.StatusUnprocessableEntity,
		},
		{
			name: "an unknown field", method: "POST", path: "a/grow?fieldValidation=Strict", body: `{"spec":{"size":1}}`,
			code: http.StatusBadRequest, want: []string{`strict decoding error: unknown field \"spec.size\"`},
		},
		{
			name: "a dry run", method: "POST", path: "a/grow?dryRun=All", body: `{"spec":{"replicas":1}}`,
			code: http.StatusCreated, want: []string{`"replicas":7`},
		},
		{name: "changes nothing", method: "GET", path: "a", code: http.StatusOK, want: []string{`"cores":6`}},
		{name: "on nothing", method: "POST", path: "b/grow", body: `{}`, code: http.StatusNotFound},
		{
			name: "another method", method: "DELETE", path: "a/grow", code: http.StatusMethodNotAllowed,
			want: []string{"Allow: GET, HEAD, OPTIONS, POST"},
		},
	})
}

// TestDisabledFunctions checks that functions do not serve a kind of a group that is disabled.
func TestDisabledFunctions(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Disable(inventoryv1.GroupVersion),
		server.Resource[inventoryv1.Site](server.Functions[inventoryv1.Site]{
			Get: func(context.Context, *server.Request) (*inventoryv1.Site, error) { return &inventoryv1.Site{}, nil },
		}))
	run(t, s, sites, []step{
		{name: "the object", method: "GET", path: "a", code: http.StatusNotFound},
		{name: "the group", method: "GET", path: "/apis/inventory.example.com", code: http.StatusNotFound},
	})
}
