package schema_test

import (
	"slices"
	"testing"

	"github.com/askind/askind/schema"
)

// The identifiers are map keys; this does not compile if one of them is not comparable.
var (
	_ = map[schema.GroupVersion]bool{}
	_ = map[schema.GroupKind]bool{}
	_ = map[schema.GroupVersionKind]bool{}
	_ = map[schema.GroupResource]bool{}
	_ = map[schema.GroupVersionResource]bool{}
)

func TestString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   interface{ String() string }
		want string
	}{
		{"group version", schema.GroupVersion{Group: "apps", Version: "v1"}, "apps/v1"},
		{"legacy group version", schema.GroupVersion{Version: "v1"}, "v1"},
		{"empty group version", schema.GroupVersion{}, ""},
		{"group kind", schema.GroupKind{Group: "apps", Kind: "Deployment"}, "Deployment.apps"},
		{"legacy group kind", schema.GroupKind{Kind: "Pod"}, "Pod"},
		{
			"group version kind",
			schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
			"apps/v1, Kind=Deployment",
		},
		{"legacy group version kind", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "v1, Kind=Pod"},
		{"group resource", schema.GroupResource{Group: "apps", Resource: "deployments"}, "deployments.apps"},
		{"legacy group resource", schema.GroupResource{Resource: "pods"}, "pods"},
		{
			"group version resource",
			schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
			"apps/v1, Resource=deployments",
		},
		{
			"legacy group version resource",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"},
			"v1, Resource=pods",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.in.String(); got != tt.want {
				t.Errorf("String() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	type emptier interface{ Empty() bool }
	for _, empty := range []emptier{
		schema.GroupVersion{},
		schema.GroupKind{},
		schema.GroupVersionKind{},
		schema.GroupResource{},
		schema.GroupVersionResource{},
	} {
		if !empty.Empty() {
			t.Errorf("%T{}.Empty() = false", empty)
		}
	}
	for _, full := range []emptier{
		schema.GroupVersion{Group: "g"},
		schema.GroupVersion{Version: "v1"},
		schema.GroupKind{Group: "g"},
		schema.GroupKind{Kind: "K"},
		schema.GroupVersionKind{Group: "g"},
		schema.GroupVersionKind{Version: "v1"},
		schema.GroupVersionKind{Kind: "K"},
		schema.GroupResource{Group: "g"},
		schema.GroupResource{Resource: "r"},
		schema.GroupVersionResource{Group: "g"},
		schema.GroupVersionResource{Version: "v1"},
		schema.GroupVersionResource{Resource: "r"},
	} {
		if full.Empty() {
			t.Errorf("%#v.Empty() = true", full)
		}
	}
}

func TestPartsAndWholes(t *testing.T) {
	t.Parallel()
	gv := schema.GroupVersion{Group: "apps", Version: "v1"}
	gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	gk := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	gr := schema.GroupResource{Group: "apps", Resource: "deployments"}
	if got := gv.WithKind("Deployment"); got != gvk {
		t.Errorf("WithKind = %v", got)
	}
	if got := gv.WithResource("deployments"); got != gvr {
		t.Errorf("WithResource = %v", got)
	}
	if got := gvk.GroupVersion(); got != gv {
		t.Errorf("gvk.GroupVersion = %v", got)
	}
	if got := gvk.GroupKind(); got != gk {
		t.Errorf("gvk.GroupKind = %v", got)
	}
	if got := gvk.APIVersion(); got != "apps/v1" {
		t.Errorf("gvk.APIVersion = %v", got)
	}
	if got := gk.WithVersion("v1"); got != gvk {
		t.Errorf("gk.WithVersion = %v", got)
	}
	if got := gvr.GroupVersion(); got != gv {
		t.Errorf("gvr.GroupVersion = %v", got)
	}
	if got := gvr.GroupResource(); got != gr {
		t.Errorf("gvr.GroupResource = %v", got)
	}
	if got := gr.WithVersion("v1"); got != gvr {
		t.Errorf("gr.WithVersion = %v", got)
	}
}

// checkOrder compares every pair of a list that is in the wanted order.
func checkOrder[T comparable](t *testing.T, compare func(a, b T) int, ordered []T) {
	t.Helper()
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := sign(compare(a, b)), sign(i-j); got != want {
				t.Errorf("compare(%+v, %+v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func sign(n int) int { return max(-1, min(n, 1)) }

func TestCompare(t *testing.T) {
	t.Parallel()
	checkOrder(t, schema.GroupVersion.Compare, []schema.GroupVersion{
		{"", "v2"},
		{"", "v1"},
		{"apps", "v1"},
		{"apps", "v1beta2"},
		{"apps", "v1beta1"},
		{"batch", "v1"},
	})
	checkOrder(t, schema.GroupKind.Compare, []schema.GroupKind{
		{"", "Pod"},
		{"apps", "A"},
		{"apps", "B"},
		{"batch", "A"},
	})
	checkOrder(t, schema.GroupVersionKind.Compare, []schema.GroupVersionKind{
		{"", "v1", "Pod"},
		{"apps", "v2", "A"},
		{"apps", "v2", "B"},
		{"apps", "v1", "A"},
		{"apps", "v1beta1", "A"},
		{"batch", "v9", "A"},
	})
	checkOrder(t, schema.GroupResource.Compare, []schema.GroupResource{
		{"", "pods"},
		{"apps", "a"},
		{"apps", "b"},
		{"batch", "a"},
	})
	checkOrder(t, schema.GroupVersionResource.Compare, []schema.GroupVersionResource{
		{"", "v1", "pods"},
		{"apps", "v2", "a"},
		{"apps", "v2", "b"},
		{"apps", "v1", "a"},
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	type checker interface{ Check() error }
	for _, tt := range []struct {
		name string
		in   checker
		ok   bool
	}{
		{"group version", schema.GroupVersion{Group: "apps", Version: "v1"}, true},
		{"legacy", schema.GroupVersion{Version: "v1"}, true},
		{"not ASCII", schema.GroupVersionKind{Group: "größe.example.com", Version: "v1", Kind: "Maß"}, true},
		{"blank version", schema.GroupVersion{Group: "apps"}, false},
		{"slash in group", schema.GroupVersion{Group: "a/b", Version: "v1"}, false},
		{"slash in version", schema.GroupVersion{Group: "a", Version: "v/1"}, false},
		{"blank label", schema.GroupVersion{Group: "a..b", Version: "v1"}, false},
		{"leading dot", schema.GroupVersion{Group: ".b", Version: "v1"}, false},
		{"trailing dot", schema.GroupVersion{Group: "b.", Version: "v1"}, false},
		{"kind", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{"blank kind", schema.GroupVersionKind{Version: "v1"}, false},
		{"kind of blank version", schema.GroupVersionKind{Kind: "Pod"}, false},
		{"dot in kind", schema.GroupVersionKind{Version: "v1", Kind: "Pod.x"}, false},
		{"line feed in kind", schema.GroupVersionKind{Version: "v1", Kind: "Pod\n"}, false},
		{"resource", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, true},
		{"resource of blank version", schema.GroupVersionResource{Resource: "pods"}, false},
		{"blank resource", schema.GroupVersionResource{Version: "v1"}, false},
		{"subresource", schema.GroupVersionResource{Version: "v1", Resource: "pods/status"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.in.Check(); (err == nil) != tt.ok {
				t.Errorf("Check() = %v, want ok = %v", err, tt.ok)
			}
		})
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	core := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	apps := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	for _, tt := range []struct {
		in                                 schema.GroupVersionKind
		apiVersion, kind, want, wantDetail string
	}{
		{core, "", "", "", ""},
		{core, "v1", "Pod", "", ""},
		{core, "v2", "", "apiVersion", `apiVersion "v2" does not match v1, Kind=Pod`},
		{core, "/v1", "", "apiVersion", `apiVersion "/v1" does not match v1, Kind=Pod`},
		{core, "apps/v1", "Deployment", "kind", `kind "Deployment" does not match v1, Kind=Pod`},
		{apps, "apps/v1", "", "", ""},
		{apps, "", "Deployment", "", ""},
		{apps, "v1", "", "apiVersion", `apiVersion "v1" does not match apps/v1, Kind=Deployment`},
		{apps, "apps", "", "apiVersion", `apiVersion "apps" does not match apps/v1, Kind=Deployment`},
		{apps, "apps/v1/", "", "apiVersion", `apiVersion "apps/v1/" does not match apps/v1, Kind=Deployment`},
		{apps, "apps/v1beta1", "deployment", "kind", `kind "deployment" does not match apps/v1, Kind=Deployment`},
	} {
		field, message := tt.in.Mismatch(tt.apiVersion, tt.kind)
		if field != tt.want || message != tt.wantDetail {
			t.Errorf("%s: Mismatch(%q, %q) = %q, %q", tt.in, tt.apiVersion, tt.kind, field, message)
		}
	}
}

func TestSortIsStable(t *testing.T) {
	t.Parallel()
	want := []schema.GroupVersion{{"", "v1"}, {"a", "v1"}, {"a", "v1alpha1"}, {"b", "v2"}, {"b", "v1"}}
	got := []schema.GroupVersion{{"b", "v1"}, {"a", "v1alpha1"}, {"", "v1"}, {"b", "v2"}, {"a", "v1"}}
	slices.SortFunc(got, schema.GroupVersion.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("sorted = %v, want %v", got, want)
	}
}
