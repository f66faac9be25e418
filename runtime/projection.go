package runtime

import (
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Projection shows encoded objects of one kind as another while decoding only what is shown. The
// result is the same as if the whole object had been decoded, converted and shown by the as-kind
// function. It is immutable and safe for concurrent use.
//
// There are two sorts. One shows only metadata, whose bytes can often be copied without decoding.
// The other decodes parts of each object and collects them in one object, such as a table.
type Projection struct {
	from *Kind
	as   *Kind // the target of conversions from from
	to   *Kind // the result for a single object, or the collecting kind
	plan *asPlan

	reads     *claim // nil if only metadata is shown
	converted *Kind  // of the decoded parts, if they have to be converted
}

// Projection returns the projection of encoded objects of a kind, converted to the given versions
// in turn, to another kind. It is nil unless all of the following is declared, so that no other
// part has to be decoded:
//
//   - The spec of the kind declares how to read the parts, see [Encoded].
//   - The as-kind function declares what it reads, see [MetadataOnly] and [AddPartial].
//   - Every conversion in between keeps the metadata, see [KeepMetadata], or can be applied to the
//     parts, see [AddConversionPart].
//
// Generated code declares what the generator has proved; authors of functions declare the rest.
// Lists are projected item by item: from is the kind of the items, and to, as for [Scheme.As], the
// kind that each is shown as, or the kind that shows all of them.
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
		if !keeps(s.keeping, step.edge.code()) {
			return nil
		}
	}
	if e := from.table.encoded(); !e.json && !e.proto {
		return nil
	}
	return p
}

// collecting completes the projection for an as-kind edge that collects, after the given
// conversions.
func (p *Projection) collecting(s *Scheme, steps []step) *Projection {
	var of uintptr
	switch len(steps) {
	case 0:
	case 1:
		of, p.converted = steps[0].edge.code(), steps[0].to
	default:
		return nil
	}
	for i := range s.partials {
		reads := &s.partials[i]
		if a, o := reads.functions(); a == p.plan.collect.code() && o == of {
			p.reads = reads
			return p
		}
	}
	return nil
}

// From returns the kind of the encoded objects.
func (p *Projection) From() *Kind { return p.from }

// MetadataOnly reports whether only metadata is shown.
func (p *Projection) MetadataOnly() bool { return p.reads == nil }

// Fields returns the paths of the fields that are decoded, nil if only metadata is shown.
func (p *Projection) Fields() []string {
	if p.reads == nil {
		return nil
	}
	return slices.Clone(p.reads.fields())
}

// Undefaulted reports whether defaulting an object cannot change what is shown.
func (p *Projection) Undefaulted() bool {
	k := p.from
	switch {
	case !k.hasDefaults():
		return true
	case len(k.added.defaults) > 0: // their effects are unknown
		return false
	case p.reads == nil:
		return k.table.encoded().undefaulted
	}
	return p.reads.undefaulted()
}

// HasJSON reports whether the shown part can be decoded separately from JSON.
func (p *Projection) HasJSON() bool {
	return p.from.table.encoded().json && (p.reads == nil || p.reads.hasJSON())
}

// HasProto reports whether the shown part can be decoded separately from protobuf.
func (p *Projection) HasProto() bool {
	return p.from.table.encoded().proto && (p.reads == nil || p.reads.hasProto())
}

// DecodeJSON reads the needed part of one member of an object, for a projection that collects: obj
// is of the kind From, name is the name of the member, and its value is the next one of the reader,
// which records problems.
func (p *Projection) DecodeJSON(r *jsonwire.Reader, obj Object, name []byte) {
	p.reads.decodeJSON(r, obj, name)
}

// DecodeProto does the same for the current field of a message.
func (p *Projection) DecodeProto(r *pbwire.Reader, obj Object) { p.reads.decodeProto(r, obj) }

// As returns the kind that is shown: From, converted to the versions.
func (p *Projection) As() *Kind { return p.as }

// Collector returns the collector of the projection, unless it shows only metadata.
func (p *Projection) Collector() *Collector { return &Collector{p.plan} }

// Add adds a partially decoded object to the collecting one.
func (p *Projection) Add(obj, whole Object, scope *conversion.Scope) error {
	if p.converted != nil {
		converted := p.converted.table.newObject()
		if err := p.reads.convert(obj, converted, scope); err != nil {
			return err
		}
		p.converted.stamp(converted)
		obj = converted
	}
	return p.plan.collect.call(obj, whole, scope)
}

// Collector shows objects of one kind, one after the other, on a single collecting object, as
// [Scheme.As] does with the items of a list. It is immutable and safe for concurrent use.
type Collector struct{ plan *asPlan }

// Collector returns the collector for objects of one kind shown as another, or nil unless the
// as-kind function between them is declared with [CollectItems].
func (s *Scheme) Collector(from *Kind, to schema.GroupVersionKind) *Collector {
	plan, err := s.asPlan(from, to)
	if err != nil || plan.collect == nil || plan.lifted {
		return nil
	}
	return &Collector{plan}
}

// Begin returns a new, empty collecting object.
func (c *Collector) Begin(scope *conversion.Scope) (Object, error) { return c.plan.begin(scope) }

// Add adds an object to the collecting one.
func (c *Collector) Add(obj, whole Object, scope *conversion.Scope) error {
	if err := c.plan.from.Check(obj); err != nil {
		return err
	}
	return c.plan.add(obj, whole, scope)
}

// Finish completes the collecting object and returns the result and its kind. The metadata is that
// of the list, see [Kind.Metadata], or nil for a single object. The result may share memory with
// whole.
func (c *Collector) Finish(whole Object, listMetadata any, scope *conversion.Scope) (*Kind, Object, error) {
	return c.plan.finish(whole, listMetadata, scope)
}

// DecodeJSONMetadata fills the metadata of an object of the kind From with the next value of the
// reader: that of the member "metadata" of its JSON. It returns false, without reading, for an
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
