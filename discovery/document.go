package discovery

import (
	"sync"

	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Document is what is found at one path. It never changes and is safe for any number of goroutines.
type Document struct {
	kind    schema.GroupVersionKind
	version string
	forms   []form
}

// form is a kind that a document can be made as.
type form struct {
	kind schema.GroupVersionKind
	make func() *serializer.Cached // once
}

// Form is a document as one kind.
type Form struct {
	// Object is what to answer with.
	Object *serializer.Cached
	// Version identifies the content, for entity tags. It is the same for all servers that offer
	// the same.
	Version string
}

// The kinds of documents. Those of meta/v1 are written under version v1 of the core group, which
// clients expect.
var (
	kindAPIVersions     = schema.GroupVersionKind{Version: "v1", Kind: "APIVersions"}
	kindAPIGroupList    = schema.GroupVersionKind{Version: "v1", Kind: "APIGroupList"}
	kindAPIGroup        = schema.GroupVersionKind{Version: "v1", Kind: "APIGroup"}
	kindAPIResourceList = schema.GroupVersionKind{Version: "v1", Kind: "APIResourceList"}
	kindAggregated      = v2.GroupVersion.WithKind("APIGroupDiscoveryList")
	kindAggregatedBeta  = v2beta1.GroupVersion.WithKind("APIGroupDiscoveryList")
)

// Kind returns the kind that clients get who ask for no other. A server negotiates with it.
func (d *Document) Kind() schema.GroupVersionKind { return d.kind }

// Form returns the document as a kind, the target of a negotiation. If it cannot be made as that
// kind it is returned as [Document.Kind], which the representation can show as another.
func (d *Document) Form(target schema.GroupVersionKind) Form {
	chosen := &d.forms[0]
	for i := range d.forms {
		if d.forms[i].kind == target {
			chosen = &d.forms[i]
		}
	}
	return Form{Object: chosen.make(), Version: d.version}
}

// Object returns the document as its own kind. It is not to be changed.
func (d *Document) Object() runtime.Object {
	obj, _ := d.forms[0].make().Object() // in memory, so without an error
	if v, ok := obj.(*bareVersions); ok {
		return v.list
	}
	return obj
}

// newForm returns a form whose object is made when it is first asked for.
func newForm(kind schema.GroupVersionKind, object func() runtime.Object) form {
	return form{kind: kind, make: sync.OnceValue(func() *serializer.Cached { return serializer.NewCached(object()) })}
}

// newRoot returns the document at the root of a prefix: an APIVersions if only the group with the
// blank name is under it, else an APIGroupList.
func newRoot(prefix string, groups []*group, shown addressSet) *Document {
	d := &Document{version: hashOf(groups, shown), forms: []form{
		newForm(kindAPIGroupList, func() runtime.Object { return apiGroupList(groups, shown) }),
		newForm(kindAPIVersions, func() runtime.Object { return &bareVersions{apiVersions(groups, shown)} }),
		newForm(kindAggregated, func() runtime.Object { return &joined{kind: joinedKind, groups: groups} }),
		newForm(kindAggregatedBeta, func() runtime.Object { return &joined{kind: joinedKindBeta, groups: groups} }),
	}}
	if len(groups) == 1 && groups[0].name == "" {
		d.forms[0], d.forms[1] = d.forms[1], d.forms[0]
	}
	d.kind = d.forms[0].kind
	return d
}

// document returns the document of the group as clients get to see it that are shown these
// addresses.
func (g *group) document(shown addressSet) *Document {
	if d, ok := g.documents.Load(shown.key); ok {
		return d.(*Document)
	}
	d, _ := g.documents.LoadOrStore(shown.key, &Document{
		kind: kindAPIGroup, version: hashOf([]*group{g}, shown),
		forms: []form{newForm(kindAPIGroup, func() runtime.Object {
			out := g.legacy()
			out.Kind, out.APIVersion = kindAPIGroup.Kind, kindAPIGroup.Version
			out.ServerAddressByClientCIDRs = shown.list
			return &out
		})},
	})
	return d.(*Document)
}

// document returns the document of the version.
func (v *version) document(g *group) *Document {
	v.once.Do(func() {
		v.made = &Document{
			kind: kindAPIResourceList, version: hashOf([]*group{g}, addressSet{}),
			forms: []form{newForm(kindAPIResourceList, func() runtime.Object {
				return &metav1.APIResourceList{
					TypeMeta: metav1.TypeMeta{
						Kind:       kindAPIResourceList.Kind,
						APIVersion: kindAPIResourceList.Version,
					},
					GroupVersion: schema.GroupVersion{Group: g.name, Version: v.name}.String(),
					APIResources: apiResources(v.resources),
				}
			})},
		}
	})
	return v.made
}
