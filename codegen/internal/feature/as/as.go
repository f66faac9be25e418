// Package as generates the functions that show a kind as another: as PartialObjectMetadata, as
// Table and as Scale.
//
// Every kind with the object metadata of meta/v1 gets the first two; a kind with the scale marker
// gets the third and the conversion back. The columns of a table come from markers, and most of
// their values from JSON paths, in three steps: [resolve] follows a path through Go types to a
// route and reports mistakes with their position in the marker; a column decides whether the values
// of a route fit its type and how they become cells; and the walker writes a route as guarded field
// access.
//
// A path is evaluated on the JSON form of an object: what encoding/json omits or writes as null
// becomes a nil cell. Therefore a table made from an object equals one made from its JSON. There
// are three exceptions: the zero time becomes nil, the length of a missing list is 0, and numbers
// in string columns have no exponent and are blank for an empty json.Number.
//
// A function with the right name and signature that the package declares itself is registered in
// place of a generated one.
package as

import (
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Plan plans how the kinds of a package are shown as others.
func Plan(c *feature.Context) feature.Plan {
	misplaced(c)
	p := planAll(c)
	c.Shared[sharedKey(c.Package.Path)] = p
	if len(p) == 0 {
		return nil
	}
	for _, kp := range p {
		kp.register(c)
	}
	nameHelpers(c, p)
	return p
}

// planAll plans the kinds of single objects.
func planAll(c *feature.Context) plan {
	var p plan
	for _, k := range c.Package.Kinds {
		if k.IsList {
			continue
		}
		if kp := planKind(c, k); kp != nil {
			p = append(p, kp)
		}
	}
	return p
}

// kindMarkers lists the markers of other features that mean something on kinds of single objects
// alone.
var kindMarkers = []string{
	"kubebuilder:resource", "kubebuilder:subresource:status", "kubebuilder:storageversion",
	"kubebuilder:unservedversion", "kubebuilder:deprecatedversion", "kubebuilder:selectablefield",
	"kubebuilder:metadata", "kubebuilder:skipversion", "askind:equivalent",
}

// markers lists the markers that this feature reads.
var markers = []string{"kubebuilder:printcolumn", "askind:column", "kubebuilder:subresource:scale"}

// misplaced reports markers on types that are not kinds of single objects.
func misplaced(c *feature.Context) {
	for _, t := range c.Package.Declared() {
		k := c.Package.Kind(t.Name)
		if k != nil && !k.IsList {
			continue
		}
		for _, m := range t.Markers {
			switch {
			case !slices.Contains(markers, m.Name) && !slices.Contains(kindMarkers, m.Name):
			case k != nil:
				c.Errorf(m.Pos, "as-list", "marker +%s is on the list kind %s; move it to the kind of the items",
					m.Name, t.Name)
			case c.Package.HasGroup: // otherwise kinds without a group are what is wrong
				c.Errorf(m.Pos, "as-kind", "marker +%s is on %s, which is not a kind", m.Name,
					t.Name).Suggest("// +askind:kind")
			}
		}
	}
}

// plan holds one entry for each kind that can be shown as another.
type plan []*kindPlan

// Emit implements [feature.Plan].
func (p plan) Emit(f *emit.File) {
	for _, k := range p {
		k.emit(f)
	}
}

// kindPlan is the plan for one kind.
type kindPlan struct {
	c    *feature.Context
	kind *model.Kind
	// meta is the Go selector of the object metadata.
	meta string
	// Functions with a write flag are generated; the others are declared by hand.
	writePartial, writeTable, writeBegin bool

	columns []*column
	scale   *scalePlan
	// columnReads is the tree of fields that the columns read, or nil if unknown.
	columnReads *reads.Tree
}

// metaAPIVersion is the apiVersion of all representations. Kind and apiVersion are constants in the
// functions.
const metaAPIVersion = "meta.k8s.io/v1"

func planKind(c *feature.Context, k *model.Kind) *kindPlan {
	var marked marker.List
	for _, m := range k.Markers {
		if slices.Contains(markers, m.Name) {
			marked = append(marked, m)
		}
	}
	if !c.Universe.HasObjectMeta(k) {
		missing(c, k, marked)
		return nil
	}
	// The kinds of meta/v1 are representations themselves: showing one as another would only
	// lengthen the list of alternatives for clients.
	if c.Package.Path == emit.MetaV1 && len(marked) == 0 {
		return nil
	}
	p := &kindPlan{c: c, kind: k, meta: k.Metadata.Name}
	p.writePartial = !c.Declares(k.Name+"AsPartialObjectMetadata",
		"func(in *T, out *metav1.PartialObjectMetadata, s *conversion.Scope) error", k)
	p.writeTable = !c.Declares(k.Name+"AsTable", "func(in *T, out *metav1.Table, s *conversion.Scope) error", k)
	p.writeBegin = !c.Declares("begin"+k.Name+"Table", "func(out *metav1.Table, s *conversion.Scope) error", k)
	p.columns = planColumns(c, k)
	p.columnReads = p.planReads()
	if scale := k.Markers.Get("kubebuilder:subresource:scale"); scale != nil {
		p.scale = planScale(c, k, scale)
	}
	return p
}

// missing reports markers that need object metadata on a kind without metadata, or with metadata of
// k8s.io/apimachinery for which no package provides functions.
func missing(c *feature.Context, k *model.Kind, marked marker.List) {
	const foreign = "k8s.io/apimachinery/pkg/apis/meta/v1"
	if len(marked) > 0 && k.Metadata != nil && model.IsNamed(k.Metadata.Type, foreign, "ObjectMeta") {
		c.Errorf(k.Metadata.Pos, "as-metadata", "no package has functions for the metadata of %s, which has type %s; "+
			"name a package that has them in the package comment, or import %s instead", k.Name, foreign, emit.MetaV1).
			Suggest("// +askind:codecs=github.com/askind/askind/k8s/metav1")
		return
	}
	for _, m := range marked {
		c.Errorf(m.Pos, "as-metadata", "marker +%s requires object metadata, which %s does not have", m.Name, k.Name).
			Suggest("metav1.ObjectMeta `json:\"metadata,omitempty\"`")
	}
}

// register adds the functions to AddTo.
func (p *kindPlan) register(c *feature.Context) {
	name := p.kind.Name
	addAs := emit.Ident{Path: emit.Runtime, Name: "AddAs"}
	key := "as/" + name + "/"
	c.Registrations.AddTo(key+"PartialObjectMetadata", func(f *emit.File) {
		if p.writePartial {
			f.P(addAs, "(b, ", name, "AsPartialObjectMetadata, ", emit.Ident{Path: emit.Runtime, Name: "MetadataOnly"},
				"())")
		} else {
			f.P(addAs, "(b, ", name, "AsPartialObjectMetadata)")
		}
	})
	c.Registrations.AddTo(key+"Table", func(f *emit.File) {
		f.P(addAs, "(b, ", name, "AsTable, ", emit.Ident{Path: emit.Runtime, Name: "CollectItems"}, "(begin", name,
			"Table), ",
			emit.Ident{Path: emit.Runtime, Name: "FinishItems"}, "(", metav1("FinishTable"), "))")
		if p.columnReads != nil {
			f.P(emit.Ident{Path: emit.Runtime, Name: "AddPartial"}, "(b, &partial", name, "Table)")
		}
		for _, x := range p.parts() {
			f.P(emit.Ident{Path: emit.Runtime, Name: "AddConversionPart"}, "(b, &", x.variable(p), ")")
		}
	})
	if p.scale != nil {
		c.Registrations.AddTo(key+"Scale", func(f *emit.File) {
			f.P(addAs, "(b, ", name, "AsScale, ", emit.Ident{
				Path: emit.Runtime, Name: "UpdateFromView",
			}, "(Update", name, "FromScale))")
		})
	}
}

func (p *kindPlan) emit(f *emit.File) {
	if p.writePartial {
		p.emitPartial(f)
	}
	p.emitTable(f)
	p.emitReads(f)
	p.emitParts(f)
	if p.scale != nil {
		p.scale.emit(f, p)
	}
}

func metav1(name string) emit.Ident { return emit.Ident{Path: emit.MetaV1, Name: name} }

func scopePointer(f *emit.File) string { return "*" + f.Ident(emit.Conversion, "Scope") }

func (p *kindPlan) emitPartial(f *emit.File) {
	name := p.kind.Name
	f.P("// ", name, "AsPartialObjectMetadata shows one ", name,
		" by its metadata alone, which is copied unless the scope allows sharing.")
	f.P("func ", name, "AsPartialObjectMetadata(in *", p.kind.Named, ", out *", metav1("PartialObjectMetadata"), ", s ",
		scopePointer(f), ") error {")
	f.P(`out.APIVersion, out.Kind = "`, metaAPIVersion, `", "PartialObjectMetadata"`)
	f.P("if s.Sharing() {")
	f.P("out.ObjectMeta = ", p.metaValue(f))
	f.P("} else {")
	f.P(metav1("DeepCopyIntoObjectMeta"), "(", p.metaPointer(f, "in"), ", &out.ObjectMeta)")
	f.P("}")
	f.P("return nil")
	f.P("}")
	f.P()
}

// metaPointer returns the pointer to the metadata of an object, as metadata of meta/v1.
func (p *kindPlan) metaPointer(f *emit.File, object string) string {
	return p.c.Universe.MetadataOf(p.kind, object, f)
}

// metaValue returns the value that metaPointer points to.
func (p *kindPlan) metaValue(f *emit.File) string {
	ptr := p.metaPointer(f, "in")
	if value, ok := strings.CutPrefix(ptr, "&"); ok {
		return value
	}
	return "*" + ptr
}
