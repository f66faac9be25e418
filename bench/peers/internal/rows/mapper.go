package rows

import (
	"context"
	"fmt"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// served is what a cluster with many custom resources offers: n kinds spread over groups of one
// version each.
func served(kinds, groups int) []restmapper.Resource {
	out := make([]restmapper.Resource, kinds)
	for i := range out {
		gv := schema.GroupVersion{Group: fmt.Sprintf("group%02d.example.com", i*groups/kinds), Version: "v1"}
		out[i].Mapping = restmapper.Mapping{
			Kind:     gv.WithKind(fmt.Sprintf("Gadget%03d", i)),
			Resource: gv.WithResource(fmt.Sprintf("gadget%03ds", i)), Singular: fmt.Sprintf("gadget%03d", i),
		}
	}
	return out
}

// theirMapper is one mapper for each group behind one that asks them all, as clients of an API
// server have it.
func theirMapper(resources []restmapper.Resource) kmeta.RESTMapper {
	var all kmeta.MultiRESTMapper
	var last *kmeta.DefaultRESTMapper
	group := ""
	for _, r := range resources {
		if last == nil || r.Resource.Group != group {
			group = r.Resource.Group
			last = kmeta.NewDefaultRESTMapper([]kschema.GroupVersion{kschema.GroupVersion(r.Resource.GroupVersion())})
			all = append(all, last)
		}
		last.AddSpecific(kschema.GroupVersionKind(r.Kind), kschema.GroupVersionResource(r.Resource),
			kschema.GroupVersionResource(r.Resource.GroupVersion().WithResource(r.Singular)), kmeta.RESTScopeNamespace)
	}
	if len(all) == 1 {
		return last
	}
	return all
}

// mapperRows finds the kind of a resource from its full and from its bare name, and the resource of
// a kind.
func mapperRows(*world) []*compare.Row {
	var out []*compare.Row
	for _, size := range []struct {
		name          string
		kinds, groups int
	}{{"500-kinds", 500, 1}, {"50-groups", 500, 50}} {
		resources := served(size.kinds, size.groups)
		wanted := resources[377]
		theirs := theirMapper(resources)
		lookup := func(name string, find func(*restmapper.Static, *restmapper.Mapping) error,
			theirsFind func() (kschema.GroupVersionKind, error),
		) {
			out = append(out, newRow("Schemes and look-ups", "mapper/"+name+"/"+size.name,
				peer(ours, func() (compare.Work, error) {
					m, err := restmapper.NewStatic(resources)
					var last restmapper.Mapping // copying it takes as long as finding it
					return compare.Work{
						Run:    func() error { return find(m, &last) },
						Result: func() ([]byte, error) { return fmt.Append(nil, last.Kind), nil },
					}, err
				}),
				peer(kube, func() (compare.Work, error) { return finding(theirsFind) })))
		}
		ctx := context.Background()
		bare := schema.GroupVersionResource{Resource: wanted.Resource.Resource}
		lookup("full", func(m *restmapper.Static, found *restmapper.Mapping) (err error) {
			*found, err = m.ForResource(ctx, wanted.Resource)
			return err
		}, func() (kschema.GroupVersionKind, error) {
			return theirs.KindFor(kschema.GroupVersionResource(wanted.Resource))
		})
		lookup("bare", func(m *restmapper.Static, found *restmapper.Mapping) (err error) {
			*found, err = m.ForResource(ctx, bare)
			return err
		}, func() (kschema.GroupVersionKind, error) { return theirs.KindFor(kschema.GroupVersionResource(bare)) })
		lookup("kind", func(m *restmapper.Static, found *restmapper.Mapping) (err error) {
			*found, err = m.ForKind(ctx, wanted.Kind.GroupKind())
			return err
		}, func() (kschema.GroupVersionKind, error) {
			found, err := theirs.RESTMapping(kschema.GroupKind(wanted.Kind.GroupKind()))
			if err != nil {
				return kschema.GroupVersionKind{}, err
			}
			return found.GroupVersionKind, nil
		})
	}
	return out
}
