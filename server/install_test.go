package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// TestRemoveKindsOfOptions checks that a group can be removed although options of the program are
// for its kinds. They have their effect again when it is installed again. A version is not removed
// alone if an option needs it.
func TestRemoveKindsOfOptions(t *testing.T) {
	t.Parallel()
	refuse := func(_ context.Context, r *server.Request, _, _ *inventoryv1.Site) error { return r.Forbidden("closed") }
	for _, tt := range []struct {
		name   string
		option server.Option
		step   step
	}{
		{
			"hooks", server.For(server.Hooks[inventoryv1.Site]{Admit: refuse}),
			step{method: "POST", body: site("a"), code: http.StatusForbidden, want: []string{"closed"}},
		},
		{
			"functions", server.Resource(server.Functions[inventoryv1.Site]{
				Get: func(context.Context, *server.Request) (*inventoryv1.Site, error) {
					return &inventoryv1.Site{Spec: inventoryv1.SiteSpec{Address: "made up"}}, nil
				},
			}), step{method: "GET", path: "a", code: http.StatusOK, want: []string{"made up"}},
		},
		{
			"a subresource", server.SubresourceView("size", func(context.Context, *server.Request, *inventoryv1.Site) (
				*metav1.Scale, error,
			) {
				return new(metav1.Scale), nil
			}), step{
				method: "GET", path: "a/size", code: http.StatusNotFound,
				want: []string{`sites.inventory.example.com \"a\"`},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, tt.option)
			run(t, s, sites, []step{tt.step})
			if err := s.Remove(inventoryv1.GroupVersion); err != nil {
				t.Fatal(err)
			}
			run(t, s, sites, []step{
				{method: "GET", path: "a", code: http.StatusNotFound, want: []string{"there is nothing"}},
			})
			if err := s.Install(inventoryv1.AddTo); err != nil {
				t.Fatal(err)
			}
			run(t, s, sites, []step{tt.step})
		})
	}
	s := newServer(t, server.For(server.Hooks[v1beta1.Machine]{}))
	if err := s.Remove(v1beta1.GroupVersion); err == nil || !strings.Contains(err.Error(), "hooks") {
		t.Errorf("the version of a hook is removed: %v", err)
	}
}

// TestRequires checks that groups cannot be served without those that they need.
func TestRequires(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	inventory := schema.GroupVersion{Group: "inventory.example.com"}
	needs := func(b *runtime.Builder) { b.Requires(v1.GroupVersion, inventory) }
	if err := s.Install(needs); err != nil {
		t.Fatal(err)
	}
	err := s.Remove(inventory)
	if err == nil || !strings.Contains(err.Error(), "fleet.example.com/v1") ||
		!strings.Contains(err.Error(), "any version of inventory.example.com") {
		t.Errorf("what is needed was removed: %v", err)
	}
	run(t, s, sites, []step{{name: "it is still served", method: "GET", code: http.StatusOK}})
	missing := func(b *runtime.Builder) {
		b.Requires(v1.GroupVersion, schema.GroupVersion{Group: "missing.example.com", Version: "v1"})
	}
	if err := s.Install(missing); err == nil || !strings.Contains(err.Error(), "missing.example.com/v1") {
		t.Errorf("installed without what is needed: %v", err)
	}
	if err := s.Remove(inventory, schema.GroupVersion{Group: "fleet.example.com"}); err != nil {
		t.Errorf("both: %v", err)
	}
}

// TestRequiresDisabled checks that groups cannot be served while those that they need are disabled.
func TestRequiresDisabled(t *testing.T) {
	t.Parallel()
	inventory := schema.GroupVersion{Group: "inventory.example.com"}
	site := inventoryv1.GroupVersion
	for _, tt := range []struct {
		name     string
		needs    schema.GroupVersion
		disabled []schema.GroupVersion
		want     string
	}{
		{
			"a version", site, []schema.GroupVersion{site}, "server: fleet.example.com/v1 requires " +
				"inventory.example.com/v1, which is disabled; enable that, or disable fleet.example.com/v1 too",
		},
		{
			"all versions", site,
			[]schema.GroupVersion{inventory},
			"fleet.example.com/v1 requires inventory.example.com/v1, which is disabled",
		},
		{
			"any version", inventory,
			[]schema.GroupVersion{site},
			"fleet.example.com/v1 requires any version of inventory.example.com, which is disabled",
		},
		{"both", inventory, []schema.GroupVersion{inventory, v1.GroupVersion}, ""},
		{"another one", site, []schema.GroupVersion{v1beta1.GroupVersion}, ""},
		{
			"another version",
			schema.GroupVersion{Group: "fleet.example.com"},
			[]schema.GroupVersion{v1beta1.GroupVersion},
			"",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			needs := func(b *runtime.Builder) { b.Requires(v1.GroupVersion, tt.needs) }
			scheme, err := fleet(t).With(needs)
			if err != nil {
				t.Fatal(err)
			}
			expect := func(call string, err error) {
				t.Helper()
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v, want %q", call, err, tt.want)
				}
			}
			db := memory.New()
			defer db.Close()
			s, err := server.New(scheme, db, server.Disable(tt.disabled...))
			expect("New", err)
			if err == nil {
				defer s.Close()
			}
			expect("Install", newServer(t, server.Disable(tt.disabled...)).Install(needs))
		})
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	s, err := server.New(scheme, db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer s.Close()
	run(t, s, sites, []step{
		{name: "not yet", method: "GET", code: http.StatusNotFound},
		{name: "nor in discovery", method: "GET", path: "/apis", code: http.StatusOK, not: []string{"inventory"}},
	})
	if err := s.Install(inventoryv1.AddTo, v1beta1.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, sites, []step{
		{name: "now", method: "POST", body: site("a"), code: http.StatusCreated},
		{
			name: "in discovery too", method: "GET", path: "/apis", code: http.StatusOK,
			want: []string{"inventory", "v1beta1"},
		},
	})
	groups := "/apis/discovery.k8s.io/v1alpha1/groups"
	run(t, s, groups, []step{
		{name: "as objects", method: "GET", code: http.StatusOK, want: []string{
			`"name":"discovery.k8s.io"`,
			`"name":"inventory.example.com"`,
		}},
		{
			name: "which nobody else writes", method: "DELETE", path: "inventory.example.com",
			code: http.StatusMethodNotAllowed,
		},
	})
	changes := watch(t, s, groups+"?watch=true&fieldSelector=metadata.name%3Dinventory.example.com")
	changes.expect("ADDED inventory.example.com")
	w := watch(t, s, sites+"?watch=true")
	w.expect("ADDED a")
	if err := s.Remove(schema.GroupVersion{Group: "inventory.example.com"}); err != nil {
		t.Fatal(err)
	}
	if line, err := w.lines.ReadString('\n'); err == nil && !strings.Contains(line, "ERROR") {
		t.Errorf("a watch goes on: %s", line)
	}
	changes.expect("DELETED inventory.example.com")
	run(t, s, sites, []step{
		{name: "gone", method: "GET", code: http.StatusNotFound},
		{name: "from discovery too", method: "GET", path: "/apis", code: http.StatusOK, not: []string{"inventory"}},
	})
	if err := s.Remove(v1.GroupVersion); err == nil ||
		!strings.Contains(err.Error(), "stored in fleet.example.com/v1") {
		t.Errorf("the version in which objects are stored: %v", err)
	}
	if err := s.Install(inventoryv1.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, sites, []step{{name: "the objects are there again", method: "GET", path: "a", code: http.StatusOK}})
}
