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

// Document is the document at one path. It is immutable and safe for concurrent use.
type Document struct {
	kind    schema.GroupVersionKind
	version string
	forms   []form
}

// form is a kind as which a document can be represented.
type form struct {
	kind schema.GroupVersionKind
	make func() *serializer.Cached // computes its result once
}

// Form is a document as one kind.
type Form struct {
	// Object is the response.
	Object *serializer.Cached
	// Version identifies the content, for entity tags. All servers that offer the same content have
	// the same version.
	Version string
}

// The kinds of documents. Those of meta/v1 are written with version v1 of the core group, as
// clients expect.
var (
	kindAPIVersions     = schema.GroupVersionKind{Version: "v1", Kind: "APIVersions"}
	kindAPIGroupList    = schema.GroupVersionKind{Version: "v1", Kind: "APIGroupList"}
	kindAPIGroup        = schema.GroupVersionKind{Version: "v1", Kind: "APIGroup"}
	kindAPIResourceList = schema.GroupVersionKind{Version: "v1", Kind: "APIResourceList"}
	kindAggregated      = v2.GroupVersion.WithKind("APIGroupDiscoveryList")
	kindAggregatedBeta  = v2beta1.GroupVersion.WithKind("APIGroupDiscoveryList")
)

// Kind returns the default kind of the document, with which a server negotiates.
func (d *Document) Kind() schema.GroupVersionKind { return d.kind }

// Form returns the document as a kind, the target of a negotiation. If the document has no form of
// that kind, Form returns it as [Document.Kind], which the representation can show as another kind.
func (d *Document) Form(target schema.GroupVersionKind) Form {
	chosen := &d.forms[0]
	for i := range d.forms {
		if d.forms[i].kind == target {
			chosen = &d.forms[i]
		}
	}
	return Form{Object: chosen.make(), Version: d.version}
}

// Object returns the document as its own kind. The caller must not modify it.
func (d *Document) Object() runtime.Object {
	obj, _ := d.forms[0].make().Object() // in memory, so without an error
	if b, ok := obj.(*bare); ok {
		return b.in
	}
	return obj
}

// newForm returns a form whose object is built on first use.
func newForm(kind schema.GroupVersionKind, object func() runtime.Object) form {
	return form{kind: kind, make: sync.OnceValue(func() *serializer.Cached { return serializer.NewCached(object()) })}
}

// newRoot returns the document at the root of a prefix: an APIVersions if the prefix holds only the
// group with the blank name, else an APIGroupList.
func newRoot(groups []*group, shown addressSet) *Document {
	unversioned := groups[0].unversioned
	d := &Document{version: hashOf(groups, shown), forms: []form{
		newForm(kindAPIGroupList, func() runtime.Object {
			return bareIf(unversioned, bareGroups, apiGroupList(groups, shown))
		}),
		newForm(kindAPIVersions, func() runtime.Object {
			return bareIf(true, bareVersions, apiVersions(groups, shown))
		}),
		newForm(kindAggregated, func() runtime.Object { return &joined{kind: joinedKind, groups: groups} }),
		newForm(kindAggregatedBeta, func() runtime.Object { return &joined{kind: joinedKindBeta, groups: groups} }),
	}}
	if len(groups) == 1 && groups[0].name == "" {
		d.forms[0], d.forms[1] = d.forms[1], d.forms[0]
	}
	d.kind = d.forms[0].kind
	return d
}

// document returns the document of the group for clients that are shown these addresses.
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
			return bareIf(g.unversioned, bareGroup, &out)
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
				return bareIf(g.unversioned, bareResources, &metav1.APIResourceList{
					TypeMeta: metav1.TypeMeta{
						Kind:       kindAPIResourceList.Kind,
						APIVersion: kindAPIResourceList.Version,
					},
					GroupVersion: schema.GroupVersion{Group: g.name, Version: v.name}.String(),
					APIResources: apiResources(v.resources),
				})
			})},
		}
	})
	return v.made
}
