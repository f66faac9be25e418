package runtime

import (
	"cmp"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Encoded declares which parts of encoded objects of a kind can be read without decoding the whole
// object. It is a claim about the decode functions of the kind, on which [Scheme.Projection]
// relies. Generated code sets it where the generator has proved it; a hand-written one must be
// true.
type Encoded[T any] struct {
	// DecodeJSONMetadata fills the metadata of out from the next value of r, as the kind's
	// DecodeJSON does with the value of the member "metadata". That member must be the whole
	// metadata. The metadata must be an ObjectMeta of meta/v1, or have the same memory layout and
	// encoding. Without the function the metadata cannot be read separately from JSON and the
	// formats that are read like it.
	DecodeJSONMetadata func(r *jsonwire.Reader, out *T)
	// DecodeProtoMetadata merges the remaining fields of the current message of r into the metadata
	// of out, as the kind's DecodeProto does with the message in the field ProtoMetadata. The rules
	// for JSON apply.
	DecodeProtoMetadata func(r *pbwire.Reader, out *T)
	// ProtoMetadata is the number of the field that holds the metadata in protobuf.
	ProtoMetadata int
	// JSONItems declares, on a list kind, that the member "items" of its JSON contains the items,
	// each as its kind reads it. ProtoItems is the number of the field that contains them in
	// protobuf.
	JSONItems  bool
	ProtoItems int
	// Undefaulted declares that neither the spec's Default nor anything it calls sets a field of
	// the metadata.
	Undefaulted bool
}

// encoded states which parts can be read, without the type parameter of [Encoded].
type encoded struct{ json, proto, undefaulted bool }

func (s Spec) encoded() encoded {
	e := &s.spec.Encoded
	return encoded{
		json: e.DecodeJSONMetadata != nil, proto: e.DecodeProtoMetadata != nil && e.ProtoMetadata > 0,
		undefaulted: e.Undefaulted,
	}
}

func (s Spec) decodeJSONMetadata(r *jsonwire.Reader, obj Object) {
	s.spec.Encoded.DecodeJSONMetadata(r, hide(obj))
}

func (s Spec) decodeProtoMetadata(r *pbwire.Reader, obj Object) {
	s.spec.Encoded.DecodeProtoMetadata(r, hide(obj))
}

// Partial declares what an as-kind function reads of an object. Like [Encoded] it is a claim that
// must be true. It need not cover the metadata that the function includes in its result because of
// the options of a table, see meta/v1.NewTableRow.
type Partial[From, To any] struct {
	// As is the function registered with [AddAs].
	As func(in *From, out *To, s *conversion.Scope) error
	// Fields are the paths of the fields that As reads, in JSON notation and without kind and
	// apiVersion: "metadata.name", "spec.disks[*].size". A path includes everything below it.
	Fields []string
	// DecodeJSON decodes the needed part of a member of the object into out. name is the name of
	// the member, and its value is the next one of r. DecodeJSON skips everything else, including
	// whole members.
	DecodeJSON func(r *jsonwire.Reader, out *From, name []byte)
	// DecodeProto merges the needed part of the current field of r into out, and skips everything
	// else.
	DecodeProto func(r *pbwire.Reader, out *From)
	// Undefaulted declares that neither the spec's Default nor anything it calls can change these
	// fields.
	Undefaulted bool
}

// AddPartial declares what an as-kind function reads. The declaration belongs to the scheme and
// must not be changed afterwards. An incomplete declaration, or one that contradicts another for
// the same function, is a conflict. [Scheme.Check] tests it with a new object, and RoundTrip of
// package fuzz with random objects.
func AddPartial[From, To any](b *Builder, p *Partial[From, To]) {
	b.addPartial(erasePartial(p), (*From)(nil))
}

// addPartial is called by the exported functions that declare parts.
func (b *Builder) addPartial(p partial, stored any) {
	c := claim{p, typeOf(stored), p.entry()}
	if c.site == 0 {
		c.site = callerSite(1)
	}
	b.partials = append(b.partials, c)
}

// partial is a [Partial] or [ConversionPart] with the types erased.
type partial interface {
	// functions identifies the as-kind function and the preceding conversion, or 0 if there is no
	// conversion.
	functions() (as, of uintptr)
	// entry is where the first of the functions begins, 0 if it is nil.
	entry() site
	// missing names a missing part without which the record is useless, or returns "".
	missing() string
	fields() []string
	undefaulted() bool
	hasJSON() bool
	hasProto() bool
	decodeJSON(r *jsonwire.Reader, obj Object, name []byte)
	decodeProto(r *pbwire.Reader, obj Object)
	convert(in, out Object, s *conversion.Scope) error
}

func (p *Partial[From, To]) functions() (as, of uintptr) { return funcID(p.As), 0 }
func (p *Partial[From, To]) fields() []string            { return p.Fields }
func (p *Partial[From, To]) undefaulted() bool           { return p.Undefaulted }
func (p *Partial[From, To]) hasJSON() bool               { return p.DecodeJSON != nil }
func (p *Partial[From, To]) hasProto() bool              { return p.DecodeProto != nil }

func (p *Partial[From, To]) decodeJSON(r *jsonwire.Reader, obj Object, name []byte) {
	p.DecodeJSON(r, object[From](obj), name)
}

func (p *Partial[From, To]) decodeProto(r *pbwire.Reader, obj Object) {
	p.DecodeProto(r, object[From](obj))
}

func (p *Partial[From, To]) convert(_, _ Object, _ *conversion.Scope) error { return nil }

func (p *Partial[From, To]) entry() site {
	if p == nil || p.As == nil {
		return 0
	}
	return site(codeOf(p.As))
}

func (p *Partial[From, To]) missing() string {
	switch {
	case p == nil:
		return "it is nil"
	case p.As == nil:
		return "its function As is nil"
	}
	return missingFields(p)
}

// missingFields is missing for the fields that all claims have. Formats that are read like JSON use
// the paths.
func missingFields(p partial) string {
	switch {
	case !p.hasJSON() && !p.hasProto():
		return "it has neither DecodeJSON nor DecodeProto"
	case len(p.fields()) == 0:
		return "it has no Fields"
	}
	return ""
}

// MetadataOnly declares that the function of an as-kind edge copies the metadata of its source,
// unchanged, and sets nothing else except kind and apiVersion, as the generated functions for
// PartialObjectMetadata do.
func MetadataOnly() AsOption { return metadataOnly{} }

type metadataOnly struct{}

func (metadataOnly) apply(o *asOptions) { o.metadataOnly = true }

// KeepMetadata declares that a conversion that is registered with [AddConversion] copies the
// metadata of its source unchanged, whatever the rest of the source.
func KeepMetadata[In, Out any](b *Builder, f func(in *In, out *Out, s *conversion.Scope) error) {
	b.keeping = append(b.keeping, funcID(f))
}

// distinct sorts the IDs of functions and removes repetitions. It does not write to IDs that have
// none and are in order, because other schemes may refer to them.
func distinct(ids []uintptr) []uintptr {
	sorted.Func(ids, cmp.Compare)
	return slices.Compact(ids)
}

// keeps reports whether a conversion with a function is declared to keep the metadata.
func keeps(distinct []uintptr, function uintptr) bool {
	_, ok := slices.BinarySearch(distinct, function)
	return ok
}

// ConversionPart declares how to compute what an as-kind function reads of one version from another
// version, in which objects are stored.
type ConversionPart[Stored, Shown, To any] struct {
	// Of is the conversion from the stored version to the shown one, which must be declared with
	// [KeepMetadata], and As the function that reads the shown version.
	Of func(in *Stored, out *Shown, s *conversion.Scope) error
	As func(in *Shown, out *To, s *conversion.Scope) error
	// Convert performs the part of Of that sets what As reads. Its input has only the decoded
	// fields set, and its output is empty.
	Convert func(in *Stored, out *Shown, s *conversion.Scope) error
	// The other fields describe what As reads in terms of the stored version, as in [Partial].
	Fields      []string
	DecodeJSON  func(r *jsonwire.Reader, out *Stored, name []byte)
	DecodeProto func(r *pbwire.Reader, out *Stored)
	Undefaulted bool
}

// AddConversionPart declares a part of a conversion. It has no effect unless the conversion and the
// as-kind function are registered. The rules of [AddPartial] apply. It is a conflict if the
// conversion is registered but not declared with [KeepMetadata].
func AddConversionPart[Stored, Shown, To any](b *Builder, p *ConversionPart[Stored, Shown, To]) {
	b.addPartial(p, (*Stored)(nil))
}

func (p *ConversionPart[Stored, Shown, To]) entry() site {
	if p == nil || p.Of == nil {
		return 0
	}
	return site(codeOf(p.Of))
}

func (p *ConversionPart[Stored, Shown, To]) missing() string {
	switch {
	case p == nil:
		return "it is nil"
	case p.Of == nil:
		return "its function Of is nil"
	case p.As == nil:
		return "its function As is nil"
	case p.Convert == nil:
		return "its function Convert is nil"
	}
	return missingFields(p)
}

func (p *ConversionPart[Stored, Shown, To]) functions() (as, of uintptr) {
	return funcID(p.As), funcID(p.Of)
}

func (p *ConversionPart[Stored, Shown, To]) fields() []string  { return p.Fields }
func (p *ConversionPart[Stored, Shown, To]) undefaulted() bool { return p.Undefaulted }
func (p *ConversionPart[Stored, Shown, To]) hasJSON() bool     { return p.DecodeJSON != nil }
func (p *ConversionPart[Stored, Shown, To]) hasProto() bool    { return p.DecodeProto != nil }

func (p *ConversionPart[Stored, Shown, To]) decodeJSON(r *jsonwire.Reader, obj Object, name []byte) {
	p.DecodeJSON(r, obj.(*Stored), name)
}

func (p *ConversionPart[Stored, Shown, To]) decodeProto(r *pbwire.Reader, obj Object) {
	p.DecodeProto(r, obj.(*Stored))
}

func (p *ConversionPart[Stored, Shown, To]) convert(in, out Object, s *conversion.Scope) error {
	return p.Convert(in.(*Stored), out.(*Shown), s)
}
