package discovery

import (
	"fmt"
	"testing"

	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// fleet returns groups that use every field of a resource.
func fleet(groups int) Config {
	var c Config
	for i := range groups {
		gv := schema.GroupVersion{Group: fmt.Sprintf("g%d.example.com", i), Version: "v1"}
		scale := schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
		c.Versions = append(c.Versions, Version{GroupVersion: gv, Stale: i%2 == 1})
		c.Resources = append(c.Resources, Resource{
			GroupVersionResource: gv.WithResource("things"), Kind: gv.WithKind("Thing"), Singular: "thing",
			Scope: runtime.Cluster, Verbs: []string{"get", "list"}, ShortNames: []string{"t"},
			Categories: []string{"all"}, Subresources: []Subresource{
				{Name: "status", Verbs: []string{"get"}},
				{Name: "scale", Kind: scale, Accepts: []schema.GroupVersionKind{scale}},
			},
		}, Resource{GroupVersionResource: gv.WithResource("bolts"), Kind: gv.WithKind("Bolt")})
	}
	return c
}

// TestJoined compares the concatenation of encoded groups with the encoding of the whole document.
func TestJoined(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(v2.AddTo, v2beta1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 3} {
		groups := gather(new(fleet(n)))
		for joined, typed := range map[*joined]runtime.Object{
			{kind: joinedKind, groups: groups}:     aggregated(groups),
			{kind: joinedKindBeta, groups: groups}: aggregatedBeta(groups),
		} {
			k, err := s.KindOf(typed)
			if err != nil {
				t.Fatal(err)
			}
			want, err := k.AppendJSON(nil, typed)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := joined.kind.AppendJSON(nil, joined); err != nil || string(got) != string(want) {
				t.Errorf("%d groups: got %s, %v\nwant %s", n, got, err, want)
			}
		}
	}
}

// TestOneChangeEncodesOneGroup checks that documents derived from others encode only the groups
// that have changed.
func TestOneChangeEncodesOneGroup(t *testing.T) {
	t.Parallel()
	before, err := New(fleet(20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := joinedKind.AppendJSON(nil, &joined{kind: joinedKind, groups: before.groups}); err != nil {
		t.Fatal(err)
	}
	change := fleet(1)
	change.Resources[0].Verbs = []string{"watch"}
	after, err := before.With(change)
	if err != nil {
		t.Fatal(err)
	}
	var encoded []string
	for _, g := range after.groups {
		if g.madeJSON == nil {
			encoded = append(encoded, g.name)
		}
	}
	if got := fmt.Sprint(encoded); got != "[g0.example.com]" {
		t.Errorf("groups that have to be encoded: %s", got)
	}
}
