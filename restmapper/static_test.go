package restmapper_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// resource makes a resource; names are the plural, the singular and short names.
func resource(group, version, kind string, names ...string) restmapper.Resource {
	gv := schema.GroupVersion{Group: group, Version: version}
	r := restmapper.Resource{Mapping: restmapper.Mapping{Kind: gv.WithKind(kind), Resource: gv.WithResource(names[0])}}
	if len(names) > 1 {
		r.Singular, r.ShortNames = names[1], names[2:]
	}
	return r
}

func resources() []restmapper.Resource {
	pods := resource("", "v1", "Pod", "pods", "pod", "po")
	deployments := resource("apps", "v1", "Deployment", "deployments", "deployment", "deploy")
	pods.Categories, deployments.Categories = []string{"all"}, []string{"all"}
	return []restmapper.Resource{
		pods,
		resource("", "v1", "Event", "events", "event", "ev"),
		deployments,
		resource("apps", "v1beta1", "Deployment", "deployments", "deployment", "deploy"),
		resource("events.k8s.io", "v1", "Event", "events", "event", "ev"),
		resource("storage.k8s.io", "v1", "StorageClass", "storageclasses", "storageclass", "sc"),
		resource("metrics.k8s.io", "v1", "PodMetrics", "podmetrics", "", "po"),
		resource("gateway.example.com", "v1", "Gateway", "gateways", "gateway", "gw"),
		resource("mesh.example.com", "v1", "Gateway", "gateways", "gateway", "gw"),
	}
}

func mapper(t testing.TB, groups ...string) *restmapper.Static {
	t.Helper()
	m, err := restmapper.NewStatic(resources(), groups...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStaticResources(t *testing.T) {
	t.Parallel()
	m := mapper(t, "", "apps")
	for _, c := range []struct {
		name, asked, want, err string
	}{
		{name: "whole", asked: "deployments.v1.apps", want: "apps/v1 Deployment"},
		{name: "other version", asked: "deployments.v1beta1.apps", want: "apps/v1beta1 Deployment"},
		{name: "preferred version of a group", asked: "deployments..apps", want: "apps/v1 Deployment"},
		{name: "bare", asked: "deployments..", want: "apps/v1 Deployment"},
		{name: "version without group", asked: "deployments.v1beta1.", want: "apps/v1beta1 Deployment"},
		{name: "singular", asked: "deployment..", want: "apps/v1 Deployment"},
		{name: "short", asked: "deploy..", want: "apps/v1 Deployment"},
		{name: "any case", asked: "Deployments..", want: "apps/v1 Deployment"},
		{name: "group cut short", asked: "storageclass..storage", want: "storage.k8s.io/v1 StorageClass"},
		{name: "ranked group wins", asked: "events..", want: "v1 Event"},
		{name: "unless another is named", asked: "events..events", want: "events.k8s.io/v1 Event"},
		{name: "two groups, short name, one ranked", asked: "po..", want: "v1 Pod"},
		{
			name: "two groups, none ranked", asked: "gateways..",
			err: `restmapper: "gateways" is ambiguous: gateways.v1.gateway.example.com, gateways.v1.mesh.example.com; name the group`,
		},
		{
			name: "two groups, a version", asked: "gateways.v1.",
			err: `restmapper: "gateways.v1" is ambiguous: gateways.v1.gateway.example.com, gateways.v1.mesh.example.com; name the group`,
		},
		{name: "two groups, one named", asked: "gateways..mesh.example.com", want: "mesh.example.com/v1 Gateway"},
		{
			name: "unknown", asked: "deploymets..",
			err: `restmapper: no resource matches "deploymets"; did you mean "deployments"?`,
		},
		{
			name: "unknown version", asked: "deployments.v2.apps",
			err: `restmapper: no resource matches "deployments.v2.apps"; known: apps/v1, Resource=deployments, apps/v1beta1, Resource=deployments`,
		},
		{name: "nothing", asked: "..", err: `restmapper: no resource matches ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parts := strings.SplitN(c.asked, ".", 3)
			got, err := m.ForResource(t.Context(), schema.GroupVersionResource{
				Resource: parts[0], Version: parts[1],
				Group: parts[2],
			})
			if text := fmt.Sprint(err); c.err != "" && text != c.err {
				t.Errorf("got error %s\nwant %s", text, c.err)
			} else if c.err == "" && (err != nil || got.Kind.APIVersion()+" "+got.Kind.Kind != c.want) {
				t.Errorf("got %s, %v\nwant %s", got.Kind, err, c.want)
			}
		})
	}
}

func TestStaticKinds(t *testing.T) {
	t.Parallel()
	m := mapper(t)
	for _, c := range []struct {
		name     string
		kind     schema.GroupKind
		versions []string
		want     string
		err      string
	}{
		{
			name: "preferred", kind: schema.GroupKind{Group: "apps", Kind: "Deployment"},
			want: "apps/v1, Resource=deployments",
		},
		{
			name: "first version that exists", kind: schema.GroupKind{Group: "apps", Kind: "Deployment"},
			versions: []string{"v2", "v1beta1", "v1"}, want: "apps/v1beta1, Resource=deployments",
		},
		{
			name: "no such version", kind: schema.GroupKind{Group: "apps", Kind: "Deployment"},
			versions: []string{"v2"},
			err:      `restmapper: no resource serves the kind "Deployment.apps" in v2; known: apps/v1, Kind=Deployment, apps/v1beta1, Kind=Deployment`,
		},
		{
			name: "other group", kind: schema.GroupKind{Group: "extensions", Kind: "Deployment"},
			err: `restmapper: no resource serves the kind "Deployment.extensions"; known: Deployment.apps`,
		},
		{
			name: "near miss", kind: schema.GroupKind{Group: "apps", Kind: "Deploymnt"},
			err: `restmapper: no resource serves the kind "Deploymnt.apps"; did you mean "Deployment"?`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := m.ForKind(t.Context(), c.kind, c.versions...)
			if text := fmt.Sprint(err); c.err != "" && (text != c.err || !errors.Is(err, restmapper.ErrNoMatch)) {
				t.Errorf("got error %s\nwant %s", text, c.err)
			} else if c.err == "" && (err != nil || got.Resource.String() != c.want) {
				t.Errorf("got %s, %v\nwant %s", got.Resource, err, c.want)
			}
		})
	}
}

func TestStaticListsEverything(t *testing.T) {
	t.Parallel()
	m := mapper(t, "mesh.example.com")
	var got []string
	for _, found := range m.AllForResource(schema.GroupVersionResource{Resource: "gateway"}) {
		got = append(got, found.Resource.Group)
	}
	if want := []string{"mesh.example.com", "gateway.example.com"}; !slices.Equal(got, want) {
		t.Errorf("got groups %q, want %q", got, want)
	}
	if got := m.AllForKind(schema.GroupKind{Group: "apps", Kind: "Deployment"}); len(got) != 2 ||
		got[0].Kind.Version != "v1" {
		t.Errorf("got %v", got)
	}
	if got, want := fmt.Sprint(m.Category("all")), "[pods deployments.apps]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := m.AllForResource(schema.GroupVersionResource{Resource: "nothing"}); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestStaticConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		add  restmapper.Resource
		want string
	}{
		{
			"same resource", resource("", "v1", "Podling", "pods"),
			`restmapper: the resource v1, Resource=pods serves both the kind Pod and the kind Podling`,
		},
		{
			"same kind", resource("", "v1", "Pod", "podlets"),
			`restmapper: the kind v1, Kind=Pod is served both as pods and as podlets`,
		},
		{"no version", resource("", "", "Pod", "pods"), `restmapper: the mapping of pods needs a version`},
		{
			"no resource", resource("", "v1", "Pod", ""),
			`restmapper: a mapping needs a resource and a kind, not "v1, Resource=" and "v1, Kind=Pod"`,
		},
		{
			"two versions",
			restmapper.Resource{Mapping: restmapper.Mapping{Kind: schema.GroupVersionKind{
				Version: "v1",
				Kind:    "A",
			}, Resource: schema.GroupVersionResource{Version: "v2", Resource: "as"}}},
			`restmapper: the resource v2, Resource=as serves the kind v1, Kind=A of another version; register the resource under the version of the kind`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := restmapper.NewStatic(append(resources(), c.add)); fmt.Sprint(err) != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestFromScheme(t *testing.T) {
	t.Parallel()
	type thing struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	gv := schema.GroupVersion{Group: "things.example.com", Version: "v1"}
	s, err := runtime.NewScheme(metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[thing]{
			GroupVersionKind: gv.WithKind("Thing"), Resource: "things", Singular: "thing", ShortNames: []string{"th"},
			Categories: []string{"all"}, Scope: runtime.Cluster,
			TypeMeta: func(t *thing) (*string, *string) { return &t.APIVersion, &t.Kind },
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := restmapper.FromScheme(s)
	if err != nil {
		t.Fatal(err)
	}
	want := restmapper.Mapping{
		Kind: gv.WithKind("Thing"), Resource: gv.WithResource("things"), Singular: "thing",
		Scope: runtime.Cluster,
	}
	if got, err := m.ForResource(t.Context(), schema.GroupVersionResource{Resource: "th"}); got != want || err != nil {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

// TestStaticNamesakes looks up each of many resources that share a name, in the core group and in
// others.
func TestStaticNamesakes(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 4, 5, 20} {
		var all []restmapper.Resource
		for i := range count {
			group := fmt.Sprintf("group%02d.example.com", i)
			if i == 0 {
				group = ""
			}
			all = append(all, resource(group, "v1", "Cluster", "clusters", "cluster", "cl"),
				resource(group, "v1alpha1", "Cluster", "clusters", "cluster", "cl"))
		}
		m, err := restmapper.NewStatic(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if got, err := m.ForResource(t.Context(), r.Resource); err != nil || got != r.Mapping {
				t.Errorf("%d groups, %s: got %s, %v", count, r.Resource, got.Kind, err)
			}
			if got, err := m.ForKind(t.Context(), r.Kind.GroupKind(), r.Kind.Version); err != nil ||
				got != r.Mapping {
				t.Errorf("%d groups, %s: got %s, %v", count, r.Kind, got.Resource, err)
			}
		}
	}
}

// TestStaticOrderOfVersions looks up a version that only groups without an order have, of a name
// that a group with an order has in another version.
func TestStaticOrderOfVersions(t *testing.T) {
	t.Parallel()
	m, err := restmapper.NewStatic([]restmapper.Resource{
		resource("a.example.com", "v2", "Boat", "boats"), resource("b.example.com", "v1", "Boat", "boats"),
		resource("x.example.com", "v1", "Boat", "boats"), resource("x.example.com", "v3", "Boat", "boats"),
		resource("y.example.com", "v3", "Boat", "boats"),
	}, "a.example.com", "b.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for version, group := range map[string]string{
		"": "a.example.com", "v2": "a.example.com", "v1": "b.example.com", "v3": "",
	} {
		got, err := m.ForResource(t.Context(), schema.GroupVersionResource{Version: version, Resource: "boats"})
		if got.Resource.Group != group || errors.Is(err, restmapper.ErrAmbiguous) != (group == "") {
			t.Errorf("version %q: got %s, %v", version, got.Resource, err)
		}
	}
}

func TestStaticDoesNotAllocate(t *testing.T) {
	m := mapper(t, "", "apps")
	ctx := t.Context()
	for _, asked := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Resource: "deployments"},
		{Group: "apps", Resource: "deploy"},
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = m.ForResource(ctx, asked) }); n != 0 {
			t.Errorf("%v: %v allocations", asked, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		_,
			_ = m.ForKind(ctx, schema.GroupKind{Group: "apps", Kind: "Deployment"}, "v1")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
