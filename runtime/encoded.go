package runtime

import (
	"reflect"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Encoded declares what can be read of encoded objects of a kind without decoding them as a whole.
// It is a claim about the decode functions of the kind, on which [Scheme.Projection] relies.
// Generated code sets it where the generator has proved it; a hand-written one must be true.
type Encoded[T any] struct {
	// DecodeJSONMetadata fills the metadata of out from the next value of r, as the kind's
	// DecodeJSON does with the value of the member "metadata". That member must be the whole
	// metadata, and the metadata an ObjectMeta of meta/v1 or seen as one in the same memory,
	// written and read as meta/v1 does. Without the function the metadata cannot be read alone from
	// JSON and the formats that are read like it.
	DecodeJSONMetadata func(r *jsonwire.Reader, out *T)
	// DecodeProtoMetadata merges the fields that are left of the current message of r into the
	// metadata of out, as the kind's DecodeProto does with the message in the field ProtoMetadata.
	// What holds for JSON holds for it.
	DecodeProtoMetadata func(r *pbwire.Reader, out *T)
	// ProtoMetadata is the number of the field that holds the metadata in protobuf.
	ProtoMetadata int
	// JSONItems says, on a list kind, that the items are what the member "items" of its JSON holds,
	// each as its kind reads it, and ProtoItems is the number of the field that holds them in
	// protobuf.
	JSONItems  bool
	ProtoItems int
	// Undefaulted says that neither the spec's Default nor anything it calls sets a field of the
	// metadata.
	Undefaulted bool
}

// encoded is what an [Encoded] says that does not depend on its type parameter.
type encoded struct {
	json, proto, undefaulted  bool
	jsonItems                 bool
	protoMetadata, protoItems int
}

func (k *KindSpec[T]) encoded() encoded {
	e := &k.Encoded
	return encoded{
		json: e.DecodeJSONMetadata != nil, proto: e.DecodeProtoMetadata != nil &&
			e.ProtoMetadata > 0, undefaulted: e.Undefaulted,
		protoMetadata: e.ProtoMetadata, jsonItems: e.JSONItems, protoItems: e.ProtoItems,
	}
}

func (k *KindSpec[T]) decodeJSONMetadata(r *jsonwire.Reader, obj Object) {
	k.Encoded.DecodeJSONMetadata(r, obj.(*T))
}

func (k *KindSpec[T]) decodeProtoMetadata(r *pbwire.Reader, obj Object) {
	k.Encoded.DecodeProtoMetadata(r, obj.(*T))
}

// reset makes obj the zero value.
func (k *KindSpec[T]) reset(obj Object) {
	var zero T
	*obj.(*T) = zero
}

// Partial declares what an as-kind function reads of an object. Like [Encoded] it is a claim that
// must be true. It need not cover the metadata that the function includes in its result because of
// the options of a table, see meta/v1.NewTableRow.
type Partial[From, To any] struct {
	// As is the function, which is registered with [AddAs].
	As func(in *From, out *To, s *conversion.Scope) error
	// Fields are the paths of what is read, in the notation of JSON and without kind and
	// apiVersion: "metadata.name", "spec.disks[*].size". What is below a path is read with it.
	Fields []string
	// DecodeJSON fills of out what is read of a member of the object, with that name, whose value
	// is the next one of r. It goes over everything else, a whole member included.
	DecodeJSON func(r *jsonwire.Reader, out *From, name []byte)
	// DecodeProto merges what is read of the current field of r into out, and goes over everything
	// else.
	DecodeProto func(r *pbwire.Reader, out *From)
	// Undefaulted says that neither the spec's Default nor anything it calls can change what is
	// read.
	Undefaulted bool
}

// AddPartial declares what an as-kind function reads. The declaration belongs to the scheme and
// must not be changed afterwards. An incomplete declaration, or one that contradicts another for
// the same function, is a conflict. [Scheme.Check] tests it with a new object, and RoundTrip of
// package fuzz with random objects.
func AddPartial[From, To any](b *Builder, p *Partial[From, To]) {
	c := claim{partial: p}
	if p == nil || p.As == nil {
		c.site = callerSite()
	} else {
		c.site = siteOf(p.As)
	}
	b.partials = append(b.partials, c)
}

// partial is what the rest of the package sees of a [Partial], with the types erased, or of a
// [ConversionPart].
type partial interface {
	// functions identifies the as-kind function and the conversion before it, 0 if there is none.
	functions() (as, of uintptr)
	// missing says what a record lacks without which nothing can be done by it, blank if it has
	// everything.
	missing() string
	// stored is the type of the objects that are read.
	stored() reflect.Type
	fields() []string
	undefaulted() bool
	hasJSON() bool
	hasProto() bool
	decodeJSON(r *jsonwire.Reader, obj Object, name []byte)
	decodeProto(r *pbwire.Reader, obj Object)
	convert(in, out Object, s *conversion.Scope) error
}

func (p *Partial[From, To]) functions() (as, of uintptr) { return funcID(p.As), 0 }
func (p *Partial[From, To]) stored() reflect.Type        { return reflect.TypeFor[From]() }
func (p *Partial[From, To]) fields() []string            { return p.Fields }
func (p *Partial[From, To]) undefaulted() bool           { return p.Undefaulted }
func (p *Partial[From, To]) hasJSON() bool               { return p.DecodeJSON != nil }
func (p *Partial[From, To]) hasProto() bool              { return p.DecodeProto != nil }

func (p *Partial[From, To]) decodeJSON(r *jsonwire.Reader, obj Object, name []byte) {
	p.DecodeJSON(r, obj.(*From), name)
}

func (p *Partial[From, To]) decodeProto(r *pbwire.Reader, obj Object) { p.DecodeProto(r, obj.(*From)) }

func (p *Partial[From, To]) convert(_, _ Object, _ *conversion.Scope) error { return nil }

func (p *Partial[From, To]) missing() string {
	switch {
	case p == nil:
		return "it is nil"
	case p.As == nil:
		return "its function As is nil"
	}
	return missingFields(p)
}

// missingFields says what of the fields that all claims have is not there. Formats that are read
// like JSON go by the paths.
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
// unchanged, and sets nothing else but kind and apiVersion, as the generated functions for
// PartialObjectMetadata do.
func MetadataOnly() AsOption { return metadataOnly{} }

type metadataOnly struct{}

func (metadataOnly) apply(o *asOptions) { o.metadataOnly = true }

// KeepMetadata declares that a conversion that is registered with [AddConversion] copies the
// metadata of its source unchanged, whatever the rest of the source.
func KeepMetadata[In, Out any](b *Builder, f func(in *In, out *Out, s *conversion.Scope) error) {
	b.keeping = append(b.keeping, funcID(f))
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
	// The other fields say what As reads in terms of the stored version, as those of [Partial] do.
	Fields      []string
	DecodeJSON  func(r *jsonwire.Reader, out *Stored, name []byte)
	DecodeProto func(r *pbwire.Reader, out *Stored)
	Undefaulted bool
}

// AddConversionPart declares a part of a conversion. It has no effect unless the conversion and the
// as-kind function are registered. The rules of [AddPartial] apply. It is a conflict if the
// conversion is registered but not declared with [KeepMetadata].
func AddConversionPart[Stored, Shown, To any](b *Builder, p *ConversionPart[Stored, Shown, To]) {
	c := claim{partial: p}
	if p == nil || p.Of == nil {
		c.site = callerSite()
	} else {
		c.site = siteOf(p.Of)
	}
	b.partials = append(b.partials, c)
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

func (p *ConversionPart[Stored, Shown, To]) stored() reflect.Type {
	return reflect.TypeFor[Stored]()
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
