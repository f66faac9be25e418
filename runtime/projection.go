package runtime

import (
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Projection is a way to show encoded objects of one kind as another while only that is decoded
// which the other shows. What it makes is what decoding, conversion and the as-kind functions make
// of the whole object. It is immutable and safe for any number of goroutines.
//
// There are two sorts. One shows the metadata alone, and its bytes need not even be decoded if they
// are as they would be written. The other collects objects in one that shows what a partial decoder
// reads of each, as a table does.
type Projection struct {
	from *Kind
	as   *Kind // what from is converted to
	to   *Kind // of a single object, or what collects them
	plan *asPlan

	reads     partial // nil if metadata alone is shown
	converted *Kind   // of what is read, if it has to be converted
}

// Projection returns the way in which encoded objects of a kind, converted to the versions given
// one after the other, can be shown as another kind; nil unless it is proved that nothing else has
// to be decoded for it:
//
//   - The kind's record says how to read what is shown, see [Encoded].
//   - The as-kind function is one that says what it reads, see [MetadataOnly] and [AddPartial].
//   - Every conversion in between keeps the metadata, see [KeepMetadata], or says how what is read
//     can be converted alone, see [AddConversionPart].
//
// All of these claims are made by generated code where the generator has proved them, or the author
// of a function has stated them. Lists are taken item by item, so from is the kind of the items and
// to, as for [Scheme.As], that of what each is shown as, or the kind that shows all of them.
func (s *Scheme) Projection(from *Kind, to schema.GroupVersionKind, versions ...schema.GroupVersion) *Projection {
	var steps []step
	k := from
	for _, gv := range versions {
		if gv == k.GroupVersion() {
			continue
		}
		r, err := s.route(k, gv)
		if err != nil || r.lifted {
			return nil
		}
		steps, k = append(steps, r.steps...), r.to
	}
	plan, err := s.asPlan(k, to)
	if err != nil || plan.edge == nil || plan.lifted || k.IsList() {
		return nil
	}
	steps = append(steps, plan.each...)
	p := &Projection{from: from, as: k, to: plan.to, plan: plan}
	if plan.collect != nil {
		return p.collecting(s, steps)
	}
	if len(steps) == 0 || steps[len(steps)-1].edge != &plan.edge.conversionEdge || !plan.edge.metadataOnly {
		return nil
	}
	for _, step := range steps[:len(steps)-1] {
		if !slices.Contains(s.keeping, step.edge.code()) {
			return nil
		}
	}
	if e := from.table.encoded(); !e.json && !e.proto {
		return nil
	}
	return p
}

// collecting completes the projection for an as-kind edge that collects, behind the conversions
// given.
func (p *Projection) collecting(s *Scheme, steps []step) *Projection {
	var of uintptr
	switch len(steps) {
	case 0:
	case 1:
		of, p.converted = steps[0].edge.code(), steps[0].to
	default:
		return nil
	}
	for _, reads := range s.partials {
		if a, o := reads.functions(); a == p.plan.collect.code() && o == of {
			p.reads = reads
			return p
		}
	}
	return nil
}

// From is the kind of the encoded objects.
func (p *Projection) From() *Kind { return p.from }

// To is the kind that a single object is shown as.
func (p *Projection) To() *Kind { return p.to }

// MetadataOnly reports whether the metadata alone is shown.
func (p *Projection) MetadataOnly() bool { return p.reads == nil }

// Fields are the paths of what is decoded; nil if it is the metadata alone.
func (p *Projection) Fields() []string {
	if p.reads == nil {
		return nil
	}
	return slices.Clone(p.reads.fields())
}

// Undefaulted reports whether defaulting the decoded object would change nothing of what is shown.
func (p *Projection) Undefaulted() bool {
	k := p.from
	switch {
	case !k.HasDefaults():
		return true
	case len(k.defaults()) > 0: // nobody knows what they do
		return false
	case p.reads == nil:
		return k.table.encoded().undefaulted
	}
	return p.reads.undefaulted()
}

// HasJSON and HasProto report whether what is shown can be decoded alone from JSON and from
// protobuf.
func (p *Projection) HasJSON() bool {
	return p.from.table.encoded().json && (p.reads == nil || p.reads.hasJSON())
}

// HasProto: see HasJSON.
func (p *Projection) HasProto() bool {
	return p.from.table.encoded().proto && (p.reads == nil || p.reads.hasProto())
}

// DecodeJSON fills what is read of a member of an object, for a projection that collects: obj is of
// the kind From, and the value of the member with that name is the next one of the reader, which
// keeps what is wrong with it.
func (p *Projection) DecodeJSON(r *jsonwire.Reader, obj Object, name []byte) {
	p.reads.decodeJSON(r, obj, name)
}

// DecodeProto does the same with the current field of a message.
func (p *Projection) DecodeProto(r *pbwire.Reader, obj Object) { p.reads.decodeProto(r, obj) }

// As is the kind that is shown: From, converted to the versions.
func (p *Projection) As() *Kind { return p.as }

// Collector returns what collects the objects, for a projection that does not show metadata alone.
func (p *Projection) Collector() *Collector { return &Collector{p.plan} }

// Add shows what has been decoded of an object on the one that collects.
func (p *Projection) Add(obj, whole Object, scope *conversion.Scope) error {
	if p.converted != nil {
		converted := p.converted.table.newObject()
		if err := p.reads.convert(obj, converted, scope); err != nil {
			return err
		}
		p.converted.stamp(converted)
		obj = converted
	}
	return p.plan.collect.convert(obj, whole, scope)
}

// Collector shows objects of one kind, one after the other, on one object that collects them, as
// [Scheme.As] does with the items of a list. It is immutable and safe for any number of goroutines.
type Collector struct{ plan *asPlan }

// Collector returns what shows objects of a kind on one object of another; nil if the as-kind
// function between them does not collect.
func (s *Scheme) Collector(from *Kind, to schema.GroupVersionKind) *Collector {
	plan, err := s.asPlan(from, to)
	if err != nil || plan.collect == nil || plan.lifted {
		return nil
	}
	return &Collector{plan}
}

// Begin returns an object that collects, with nothing in it.
func (c *Collector) Begin(scope *conversion.Scope) (Object, error) {
	whole := c.plan.collectKind.table.newObject()
	if c.plan.collect.begin != nil {
		if err := c.plan.collect.begin.complete(whole, scope); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// Add shows an object on the one that collects.
func (c *Collector) Add(obj, whole Object, scope *conversion.Scope) error {
	if err := c.plan.from.Check(obj); err != nil {
		return err
	}
	return c.plan.add(obj, whole, scope)
}

// Finish returns what is made of the object that collects, and its kind. The metadata is that of
// the list, see [Kind.Metadata], or nil if a single object is shown. What was returned by Begin
// belongs to the result.
func (c *Collector) Finish(whole Object, listMetadata any, scope *conversion.Scope) (*Kind, Object, error) {
	p := c.plan
	if err := copyMetadata(listMetadata, p.collectKind.table.metadata(whole), scope.Sharing()); err != nil {
		return nil, nil, err
	}
	if p.collect.finish != nil {
		if err := p.collect.finish.complete(whole, scope); err != nil {
			return nil, nil, err
		}
	}
	p.collectKind.stamp(whole)
	if len(p.after) == 0 {
		return p.collectKind, whole, nil
	}
	out := p.to.table.newObject()
	if err := runSteps(p.after, whole, out, scope.WithSharing(true)); err != nil {
		return nil, nil, err
	}
	p.to.stamp(out)
	return p.to, out, nil
}

// Layout says where parts of the encoded objects of a kind are found, as far as its [Encoded] says
// it.
type Layout struct {
	// ProtoMetadata is the number of the protobuf field that holds the metadata, 0 if unknown.
	ProtoMetadata int
	// JSONItems reports whether the items of a list are the value of the member "items" in JSON.
	JSONItems bool
	// ProtoItems is the number of the protobuf field that holds the items of a list, 0 if unknown.
	ProtoItems int
}

// Layout returns where parts of encoded objects are found.
func (k *Kind) Layout() Layout {
	e := k.table.encoded()
	return Layout{ProtoMetadata: e.protoMetadata, JSONItems: e.jsonItems, ProtoItems: e.protoItems}
}

// DecodeJSONMetadata fills the metadata of an object of the kind From with the next value of the
// reader: that of the member "metadata" of its JSON. It reports false, without reading, for an
// object of another kind and if the kind has no such function.
func (p *Projection) DecodeJSONMetadata(r *jsonwire.Reader, obj Object) bool {
	if !p.from.table.holds(obj) || !p.from.table.encoded().json {
		return false
	}
	p.from.table.decodeJSONMetadata(r, obj)
	return true
}

// DecodeProtoMetadata merges the rest of the reader's current message into the metadata of an
// object. The result is that of [Projection.DecodeJSONMetadata].
func (p *Projection) DecodeProtoMetadata(r *pbwire.Reader, obj Object) bool {
	if !p.from.table.holds(obj) || !p.from.table.encoded().proto {
		return false
	}
	p.from.table.decodeProtoMetadata(r, obj)
	return true
}

// Reset makes an object the zero value of its type, with its kind and apiVersion set.
func (k *Kind) Reset(obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	k.table.reset(obj)
	k.stamp(obj)
	return nil
}

// HasOwnDefaults reports whether Default can change an object otherwise than by changing the items
// of a list.
func (k *Kind) HasOwnDefaults() bool { return k.has.setDefaults || len(k.defaults()) > 0 }
