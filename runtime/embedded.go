package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Embedded is a [RawExtension] for objects of one family. T is the type as which a program uses
// them: a pointer to the Go type of a registered kind, often the hub of its versions, or an
// interface that the types of several kinds implement:
//
//	type PoolSpec struct {
//		Template runtime.Embedded[*fleetv1.Machine] `json:"template"`
//		Provider runtime.Embedded[Provider]         `json:"provider"`
//	}
//
// It has the same encoding as a RawExtension in every format. Decoding keeps the bytes unchanged
// unless ReadOptions.Embedded is set. Then an object of a known kind is held decoded, in the
// version that it states: it is defaulted together with its parent, and [Embedded.Get] returns it
// as a T. An object of an unknown kind or of another family stays as bytes; strict decoding reports
// the latter.
//
// Get is safe for concurrent use; Decode and ConvertTo modify the Embedded.
//
// +askind:generate=false
type Embedded[T any] struct {
	RawExtension
}

// NewEmbedded returns an Embedded that holds obj, without copying it, and encodes it as its kind in
// the scheme.
func NewEmbedded[T any](s *Scheme, obj T) (Embedded[T], error) {
	e, err := s.Embed(obj)
	e.scheme = s
	return Embedded[T]{e}, err
}

// Get returns the object as a T: decoded if it is held as bytes, and converted if it has another
// version or an equivalent kind. If neither is necessary the result is the object in e. The scheme
// may be nil if e was decoded by a factory, whose scheme is then used, or made by [NewEmbedded]. If
// e is empty the result is the zero T. It is an error if the object is not a T.
func (e *Embedded[T]) Get(s *Scheme) (T, error) {
	var none T
	if s == nil {
		s = e.scheme
	}
	obj, err := e.object(s)
	if obj == nil || err != nil {
		return none, err
	}
	if t, ok := obj.(T); ok {
		return t, nil
	}
	if s == nil {
		return none, errNoScheme
	}
	f := familyOf[T](s)
	if obj, err = f.convert(s, obj); err != nil {
		return none, err
	}
	return obj.(T), nil
}

// Decode replaces the bytes in e by the object that they encode, in the version that it states.
// Bytes of a kind that the scheme does not know are kept, which is not an error.
func (e *Embedded[T]) Decode(s *Scheme) error {
	if s == nil {
		s = e.scheme
	}
	obj, err := e.object(s)
	if _, unknown := errors.AsType[*UnknownKindError](err); unknown {
		return nil
	}
	if obj == nil || err != nil {
		return err
	}
	return e.keep(s, obj)
}

// ConvertTo decodes the object and converts it to a group version, so that it is written in that
// version.
func (e *Embedded[T]) ConvertTo(s *Scheme, gv schema.GroupVersion) error {
	if s == nil {
		s = e.scheme
	}
	obj, err := e.object(s)
	if obj == nil || err != nil {
		return err
	}
	if s == nil {
		return errNoScheme
	}
	out, err := s.ConvertTo(obj, gv)
	if err != nil {
		return err
	}
	return e.keep(s, out)
}

// keep stores a decoded object in e.
func (e *Embedded[T]) keep(s *Scheme, obj Object) error {
	if s == nil {
		return nil // already stored
	}
	k, err := s.KindOf(obj)
	if err != nil {
		return err
	}
	e.RawExtension.hold(s, k, obj)
	return nil
}

// errNoScheme is the error for bytes without a known scheme.
var errNoScheme = errors.New("runtime: an Embedded that was not decoded by a factory requires a scheme")

// object returns the object in e, decoding it if e holds bytes; nil if e is empty.
func (e *RawExtension) object(s *Scheme) (Object, error) {
	switch {
	case e.Raw == nil:
		return e.Object, nil
	case len(e.Raw) == 0: // written as null
		return nil, nil
	case s == nil:
		return nil, errNoScheme
	case pbwire.HasMagic(e.Raw):
		in, err := pbwire.ParseEnvelope(e.Raw)
		if err != nil {
			return nil, err
		}
		if holdsJSON(&in) {
			return s.decodeText(in.Raw)
		}
		_, obj, err := s.openEnvelope(in, e.level, s.checker(true))
		return obj, err
	}
	return s.decodeText(e.Raw)
}

// decodeText decodes an object in JSON as the kind that it states.
func (s *Scheme) decodeText(text []byte) (obj Object, err error) {
	r := jsonwire.NewReader(text, jsonwire.Options{Checker: s.checker(true)})
	if r.Kind() == 'n' {
		r.Null()
		r.End()
		return nil, r.Err()
	}
	k, err := s.statedKind(text)
	if err != nil {
		return nil, err
	}
	obj = k.New()
	if err := k.DecodeJSON(r, obj); err != nil {
		return nil, err
	}
	r.End()
	if found := r.Problems(); len(found) > 0 {
		p := &found[0]
		return nil, &DecodeError{Problems: []Problem{{
			Position: schema.PositionOf(text, p.Offset), Path: jsonwire.PathAt(text, p.Offset).String(),
			Cause: CauseOf(p.Code), Message: p.Message, Err: p.Err,
		}}}
	}
	return obj, nil
}

// statedKind looks up the kind that an object in JSON states.
func (s *Scheme) statedKind(text []byte) (*Kind, error) {
	apiVersion, kind, err := jsonwire.SniffType(text)
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	return s.Kind(gv.WithKind(kind))
}

// family is the type of the objects of an [Embedded], without its type parameter.
type family struct {
	goType reflect.Type
	kind   *Kind             // of the type; nil for an interface
	is     func(Object) bool // reports whether an object has the type
}

// familyOf returns the family of objects used as a T. Without a scheme it has no kind.
func familyOf[T any](s *Scheme) family {
	f := family{goType: reflect.TypeFor[T](), is: func(obj Object) bool {
		_, ok := obj.(T)
		return ok
	}}
	var t T
	if s != nil && any(t) != nil {
		f.kind = s.types[typeOf(t)]
	}
	return f
}

// convert converts an object to the type.
func (f *family) convert(s *Scheme, obj Object) (Object, error) {
	if f.kind != nil {
		out, err := s.ConvertTo(obj, f.kind.GroupVersion())
		if err != nil || f.is(out) {
			return out, err
		}
	}
	return nil, &ObjectError{
		Object: fmt.Sprintf("%T", obj),
		Reason: fmt.Sprintf("it is embedded where a %s is expected", f.goType),
	}
}

// has reports whether obj, an object of the kind k, has the type or can be converted to it.
func (f *family) has(s *Scheme, k *Kind, obj Object) bool {
	if f.is(obj) {
		return true
	}
	if f.kind == nil {
		return false
	}
	r, err := s.route(k, f.kind.GroupVersion())
	return err == nil && r.to.table.structType() == f.kind.table.structType()
}

// other returns the message for an object of another family.
func (f *family) other(k *Kind) string {
	return fmt.Sprintf("a %s is embedded where a %s is expected", k, f.goType)
}

// hold replaces the bytes by the object, which has the kind k.
func (e *RawExtension) hold(s *Scheme, k *Kind, obj Object) {
	*e = RawExtension{Object: obj, table: k.table, scheme: s}
}

// AppendJSONEmbedded appends the value to dst.
func AppendJSONEmbedded[T any](dst []byte, in *Embedded[T]) ([]byte, error) {
	return AppendJSONRawExtension(dst, &in.RawExtension)
}

// DecodeJSONEmbedded reads the next value of r. It decodes an object if the reader is configured to
// do so and the scheme knows its kind; otherwise it keeps the bytes.
func DecodeJSONEmbedded[T any](r *jsonwire.Reader, out *Embedded[T]) {
	r.Kind() // skips white space
	from := r.Offset()
	DecodeJSONRawExtension(r, &out.RawExtension)
	c, _ := r.Checker().(checker)
	if out.scheme = c.scheme(); c.embedded() && len(out.Raw) > 0 && r.Err() == nil {
		c.decodeJSON(r, &out.RawExtension, from, familyOf[T](c.scheme()))
	}
}

// decodeJSON replaces the bytes of e, which began at an offset of the reader, by their object. If
// the kind does not accept a value, the bytes are kept; a strict reader has reported that before.
func (c checker) decodeJSON(r *jsonwire.Reader, e *RawExtension, from int, f family) {
	k := c.kindOfText(e.Raw)
	if k == nil {
		return
	}
	obj := k.New()
	if !f.has(c.scheme(), k, obj) {
		r.Report(wire.InvalidEmbedded, from, nil, f.other(k))
		return
	}
	var err error
	if !r.Discards() && r.Inner(e.Raw, func(sub *jsonwire.Reader) { err = k.DecodeJSON(sub, obj) }) && err == nil {
		e.hold(c.scheme(), k, obj)
	}
}

// kindOfText returns the kind that an object in JSON states, or nil if it is unknown.
func (c checker) kindOfText(text []byte) *Kind {
	if c.terms == nil {
		return nil
	}
	k := c.terms.scheme.LookupText(text)
	if k == nil || !k.hasJSON() {
		return nil
	}
	return k
}

// PrependProtoEmbedded writes the fields of the value.
func PrependProtoEmbedded[T any](w *pbwire.Writer, in *Embedded[T]) {
	PrependProtoRawExtension(w, &in.RawExtension)
}

// DecodeProtoEmbedded reads the value. It decodes an object if the reader is configured to do so
// and the scheme knows its kind; otherwise it keeps the bytes.
func DecodeProtoEmbedded[T any](r *pbwire.Reader, out *Embedded[T]) {
	DecodeProtoRawExtension(r, &out.RawExtension)
	c, _ := r.Checker().(checker)
	out.scheme, out.level = c.scheme(), r.Embedded()
	if c.embedded() && len(out.Raw) > 0 && r.Err() == nil {
		c.decodeProto(r, &out.RawExtension, familyOf[T](c.scheme()))
	}
}

// decodeProto is decodeJSON for bytes from protobuf.
func (c checker) decodeProto(r *pbwire.Reader, e *RawExtension, f family) {
	k, message, text := c.embeddedIn(e.Raw)
	if k == nil {
		return
	}
	obj := k.New()
	if !f.has(c.scheme(), k, obj) {
		if r.Strict() {
			r.RecordEmbedded(pbwire.Problem{Code: wire.InvalidEmbedded, Message: f.other(k)}, len(e.Raw))
		}
		return
	}
	var err error
	sound := false
	switch {
	case r.Discards():
	case message == nil:
		sound, err = c.decodeText(r, text, k, obj)
	default:
		sound = r.Inner(message, func(sub *pbwire.Reader) { err = k.DecodeProto(sub, obj) })
	}
	if sound && err == nil {
		e.hold(c.scheme(), k, obj)
	}
}

// embeddedIn returns the kind of an object in protobuf, or nil if it is unknown, and the object: a
// non-nil message, or a text in JSON.
func (c checker) embeddedIn(raw []byte) (k *Kind, message, text []byte) {
	if !pbwire.HasMagic(raw) {
		return c.kindOfText(raw), nil, raw
	}
	in, err := pbwire.ParseEnvelope(raw)
	switch {
	case err != nil:
	case holdsJSON(&in):
		return c.kindOfText(in.Raw), nil, in.Raw
	case holdsMessage(&in):
		if k = c.lookup(in.APIVersion, in.Kind); k != nil && k.hasProto() {
			return k, raw[in.Offset : in.Offset+len(in.Raw)], nil
		}
	}
	return nil, nil, nil
}

// decodeText decodes an object in JSON that is part of a message, within the limits of that, and
// reports whether it has no problems.
func (c checker) decodeText(r *pbwire.Reader, text []byte, k *Kind, obj Object) (sound bool, err error) {
	below, room := r.Below(), max(1, r.Room())
	if jsonwire.Exceeds(text, below) != nil {
		return false, nil
	}
	sub := jsonwire.NewReader(text, jsonwire.Options{Limits: below, Checker: c, Room: room})
	err = k.DecodeJSON(sub, obj)
	sub.End()
	r.Spend(room - sub.Room())
	return len(sub.Problems()) == 0, err
}

// DeepCopyIntoEmbedded makes out a copy of in that shares no memory with it.
func DeepCopyIntoEmbedded[T any](in, out *Embedded[T]) {
	DeepCopyIntoRawExtension(&in.RawExtension, &out.RawExtension)
}

// DeepCopyAny implements [DeepCopier].
func (e Embedded[T]) DeepCopyAny() any {
	var out Embedded[T]
	DeepCopyIntoEmbedded(&e, &out)
	return out
}

// DefaultEmbedded sets the defaults of the object, in the version in which it is held. Bytes are
// not defaulted.
func DefaultEmbedded[T any](in *Embedded[T]) error {
	if in.Raw != nil || in.Object == nil || in.table.spec == nil {
		return nil
	}
	if in.scheme != nil {
		return in.scheme.Default(in.Object)
	}
	return in.table.setDefaults(in.Object)
}

// ConvertEmbedded converts in to out, for fields whose type differs between versions. The object is
// converted to the version of Out if that is the type of a kind. Bytes of a kind that the scheme
// does not know are kept, since they state their own type.
func ConvertEmbedded[In, Out any](in *Embedded[In], out *Embedded[Out], scope *conversion.Scope) error {
	if s := in.scheme; s != nil && in.Raw == nil && in.Object != nil {
		if _, ok := in.Object.(Out); !ok {
			if f := familyOf[Out](s); f.kind != nil {
				obj, err := s.convert(in.Object, f.kind.GroupVersion(), scope)
				if err != nil {
					return err
				}
				return out.keep(s, obj)
			}
		}
	}
	if out.RawExtension = in.RawExtension; !scope.Sharing() {
		DeepCopyIntoRawExtension(&in.RawExtension, &out.RawExtension)
	}
	return nil
}
