package restmapper_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// many returns resources of as many groups, which share everything but the group.
func many(n int) []restmapper.Resource {
	out := make([]restmapper.Resource, n)
	for i := range out {
		gv := schema.GroupVersion{Group: fmt.Sprintf("g%d.example.com", i), Version: "v1"}
		out[i] = restmapper.Resource{
			Mapping:    restmapper.Mapping{Kind: gv.WithKind("Thing"), Resource: gv.WithResource("things")},
			ShortNames: []string{"t", "t"}, Categories: []string{"all", "all"},
		}
	}
	return out
}

// TestManyResources maps what a server offers that claims 50,000 resources with one name and in
// one category, at first with a problem in each group. It took half a minute.
func TestManyResources(t *testing.T) {
	t.Parallel()
	const n = 50_000
	resources := many(n)
	problems := make([]restmapper.GroupProblem, n)
	for i := range problems {
		problems[i] = restmapper.GroupProblem{Group: resources[i].Resource.Group, Err: errors.New("down")}
	}
	answers := []restmapper.Discovery{{Resources: resources}, {Problems: problems}}
	asked := 0
	m := restmapper.NewDynamic(func(context.Context) (restmapper.Discovery, error) {
		asked++
		return answers[min(asked, 2)-1], nil
	})
	for range 2 {
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		static, _, err := m.Current(t.Context())
		if err != nil || len(static.Category("all")) != n ||
			len(static.AllForResource(schema.GroupVersionResource{Resource: "t"})) != n {
			t.Fatalf("some of the resources are missing: %v", err)
		}
	}
	elsewhere := schema.GroupVersionResource{Group: "none", Resource: "things"}
	for name, err := range map[string]error{
		"ambiguous":  second(m.ForResource(t.Context(), schema.GroupVersionResource{Resource: "t"})),
		"no group":   second(m.ForResource(t.Context(), elsewhere)),
		"other kind": second(m.ForKind(t.Context(), schema.GroupKind{Group: "none", Kind: "Thing"})),
		"no kind":    second(m.ForKind(t.Context(), schema.GroupKind{Kind: "Other"})),
	} {
		if err == nil || len(err.Error()) > 4000 || !strings.Contains(err.Error(), "and 49980 more") {
			t.Errorf("%s: %.5000v", name, err)
		}
	}
}

func second(_ restmapper.Mapping, err error) error { return err }

// TestLongNames checks that names of any length are shortened in errors.
func TestLongNames(t *testing.T) {
	t.Parallel()
	resources := many(2)
	for i := range resources {
		gv := schema.GroupVersion{Group: strings.Repeat("g", 1<<20) + fmt.Sprint(i), Version: "v1"}
		resources[i].Kind, resources[i].Resource = gv.WithKind("Thing"), gv.WithResource("things")
	}
	m, err := restmapper.NewStatic(resources)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ForResource(t.Context(), schema.GroupVersionResource{Resource: "things"}); err == nil ||
		len(err.Error()) > 2000 {
		t.Errorf("got %.3000v", err)
	}
	long := strings.Repeat("x", 1<<20)
	for name, err := range map[string]error{
		"kind":     second(m.ForKind(t.Context(), schema.GroupKind{Kind: long})),
		"versions": second(m.ForKind(t.Context(), schema.GroupKind{Kind: "Thing"}, long, long)),
		"resource": second(m.ForResource(t.Context(), schema.GroupVersionResource{Resource: long, Group: long})),
		"argument": func() error {
			_, err := restmapper.ParseArguments(t.Context(), m, long+"/"+long)
			return err
		}(),
	} {
		if err == nil || len(err.Error()) > 4000 {
			t.Errorf("%s: got %.3000v", name, err)
		}
	}
}
