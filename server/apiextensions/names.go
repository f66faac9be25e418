package apiextensions

import (
	"fmt"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/apiextensions/v1"
)

// conflict returns the reason and the message of the condition NamesAccepted if another kind of the
// group, or one that is about to be served, has one of the names of a definition.
func (c *controller) conflict(d *v1.CustomResourceDefinition, others []pending) (reason, message string) {
	resources, kinds := c.taken(d, others)
	names := &d.Spec.Names
	for _, n := range []struct {
		reason string
		taken  map[string]string
		names  []string
	}{
		{"PluralConflict", resources, []string{names.Plural}},
		{"SingularConflict", resources, []string{names.Singular}},
		{"ShortNamesConflict", resources, names.ShortNames},
		{"KindConflict", kinds, []string{names.Kind}},
		{"ListKindConflict", kinds, []string{names.ListKind}},
	} {
		for _, name := range n.names {
			if by, ok := n.taken[name]; ok {
				return n.reason, fmt.Sprintf("%q is already in use by %s", name, by)
			}
		}
	}
	return "", ""
}

// taken returns the names in the group of a definition that other kinds have, and who has them.
func (c *controller) taken(d *v1.CustomResourceDefinition, others []pending) (resources, kinds map[string]string) {
	resources, kinds = map[string]string{}, map[string]string{}
	take := func(group, kind string, names ...string) {
		by := schema.GroupKind{Group: group, Kind: kind}.String()
		kinds[kind] = by
		for _, name := range names {
			resources[name] = by
		}
	}
	own := map[string]bool{}
	if served := c.served[d.Name]; served != nil {
		own[served.Spec.Names.Kind], own[served.Spec.Names.ListKind] = true, true
	}
	for k := range c.srv.Scheme().Kinds() {
		gvk, info := k.GroupVersionKind(), k.Info()
		if gvk.Group == d.Spec.Group && !own[gvk.Kind] && !info.Shared {
			take(gvk.Group, gvk.Kind, append([]string{info.Resource, info.Singular}, info.ShortNames...)...)
		}
	}
	for _, p := range others {
		if o := p.definition.Spec; o.Group == d.Spec.Group {
			take(o.Group, o.Names.Kind, append([]string{o.Names.Plural, o.Names.Singular}, o.Names.ShortNames...)...)
			kinds[o.Names.ListKind] = kinds[o.Names.Kind]
		}
	}
	delete(resources, "") // lists have no resource
	return resources, kinds
}
