package serializer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/accept"
)

// Factory decodes, encodes and negotiates for one scheme in a fixed list of formats. It is safe for
// concurrent use. The zero value is not usable; use [NewFactory].
type Factory struct {
	self       weak.Pointer[Factory] // for the keys of forms
	scheme     *runtime.Scheme
	formats    []*format.Format
	mediaTypes []mediaType // of all formats, in order
	aliases    []alias
	named      map[string]*name  // the media types and the aliases, in lower case
	harmless   []string          // in lower case
	sharing    *conversion.Scope // for objects that are encoded at once and not retained
	buffers    sync.Pool         // of *[]byte
	limits     schema.Limits     // of FactoryOptions

	transcoding *runtime.Transcoding // for objects embedded as bytes of the formats

	negotiations sync.Pool // of *negotiation

	generic map[*runtime.Kind]bool // the kinds that every endpoint can return, in all their versions
	status  *runtime.Kind          // Status in the version that every client expects
}

// FactoryOptions are the settings of a factory. The zero value has only the built-in aliases.
type FactoryOptions struct {
	_ struct{} // literals name their fields

	// Aliases are names that clients may use for a media type with parameters, in addition to the
	// built-in ones:
	//
	//	application/json+vnd.kubernetes.export
	//	application/json+vnd.kubernetes.as+meta.k8s.io+v1+TabularOutput
	//	text/csv
	//
	// An alias of the same name replaces the built-in one, and removes it if For is blank.
	Aliases []Alias
	// HarmlessParameters are names of parameters in Accept headers that are ignored, such as
	// "level", while a clause with any other unknown parameter is unacceptable. The parameter
	// charset does not have to be included.
	HarmlessParameters []string
	// Limits bound the input of the factory. Those of [DecodeOptions] take precedence.
	Limits schema.Limits
}

// NewFactory returns a factory. The first format is the default for clients that name none. Each
// media type may belong to only one format.
func NewFactory(scheme *runtime.Scheme, formats ...*format.Format) (*Factory, error) {
	return FactoryOptions{}.NewFactory(scheme, formats...)
}

// NewFactory returns a factory with these settings.
func (o FactoryOptions) NewFactory(scheme *runtime.Scheme, formats ...*format.Format) (*Factory, error) {
	if scheme == nil {
		return nil, errors.New("serializer: a factory needs a scheme")
	}
	if len(formats) == 0 {
		return nil, errors.New("serializer: a factory needs at least one format, for example json.Format()")
	}
	f := &Factory{
		scheme: scheme, formats: slices.Clone(formats), named: map[string]*name{},
		sharing: conversion.NewScope(conversion.ScopeOptions{Sharing: true}), limits: o.Limits,
	}
	f.self = weak.Make(f)
	for i, fm := range formats {
		if fm == nil {
			return nil, fmt.Errorf("serializer: format %d is nil", i+1)
		}
		if err := fm.Check(); err != nil {
			return nil, fmt.Errorf("serializer: %w", err)
		}
		for _, name := range fm.MediaTypes {
			parsed, ok := accept.ParseMediaType(name)
			if !ok {
				return nil, fmt.Errorf("serializer: %s of the format %s is not a media type of the form type/subtype",
					schema.Quote(name), fm.Name)
			}
			if at := f.mediaType(parsed.Name); at != nil {
				return nil, fmt.Errorf("serializer: the media type %s belongs to the formats %s and %s", parsed.Name,
					formats[at.format].Name, fm.Name)
			}
			m := mediaType{
				MediaType: parsed, format: i, index: len(f.mediaTypes), encodes: fm.Encodes, events: fm.Events != nil,
			}
			f.addName(m.Name).media = m.index
			f.mediaTypes = append(f.mediaTypes, m)
		}
	}
	f.transcoding = scheme.Transcoding(transcoder(formats))
	if n := len(f.mediaTypes); n > maxMediaTypes {
		return nil, fmt.Errorf(
			"serializer: the formats have %d media types, more than the %d that a factory can handle", n, maxMediaTypes,
		)
	}
	for _, name := range o.HarmlessParameters {
		if !accept.IsToken(name) {
			return nil, fmt.Errorf("serializer: %s is not the name of a parameter", schema.Quote(name))
		}
		f.harmless = append(f.harmless, strings.ToLower(name))
	}
	if err := f.addAliases(o.Aliases); err != nil {
		return nil, err
	}
	f.findGeneric()
	return f, nil
}

// Scheme returns the scheme of the factory.
func (f *Factory) Scheme() *runtime.Scheme { return f.scheme }

// mediaTypeNames returns the media types that the factory understands, in the order of the formats.
func (f *Factory) mediaTypeNames() []string {
	out := make([]string, len(f.mediaTypes))
	for i := range f.mediaTypes {
		out[i] = f.mediaTypes[i].Name
	}
	return out
}

// ForContentType returns the format of a body with the given Content-Type header, or the first
// format if the header is blank. Any parameters are accepted, except that a charset must be UTF-8.
// An alias stands for its format. The error is an [*UnsupportedMediaTypeError].
func (f *Factory) ForContentType(header string) (*format.Format, error) {
	if m := f.mediaType(header); m != nil { // the common case: an exact match
		return f.formats[m.format], nil
	}
	if strings.Trim(header, " \t") == "" {
		return f.formats[0], nil
	}
	ct, ok := accept.ParseContentType(header)
	reason := ""
	m := f.mediaType(ct.Name)
	if m == nil {
		if a := f.alias(ct.Name); a != nil {
			m = f.mediaType(strings.ToLower(a.means.Range))
		}
	}
	switch {
	case !ok:
		reason = "it is malformed"
	case ct.Name == "application/x-www-form-urlencoded":
		reason = "a form is not an object; curl -d sends a form unless -H 'Content-Type: …' is given"
	case m == nil:
		reason = "the format is unknown"
	case ct.Charset != "" && !accept.IsUTF8(ct.Charset):
		reason = "the charset must be utf-8"
	default:
		return f.formats[m.format], nil
	}
	return nil, &UnsupportedMediaTypeError{ContentType: header, Reason: reason, MediaTypes: f.mediaTypeNames()}
}

// ForBody returns the format of a request body with the given Content-Type header. It is
// [Factory.ForContentType] with two differences: a blank header means JSON if the factory has it,
// whatever the first format is, and a format that can only be written is not supported.
func (f *Factory) ForBody(header string) (*format.Format, error) {
	if strings.Trim(header, " \t") == "" {
		if m := f.mediaType("application/json"); m != nil {
			return f.formats[m.format], nil
		}
	}
	fm, err := f.ForContentType(header)
	if unsupported, ok := errors.AsType[*UnsupportedMediaTypeError](err); ok {
		unsupported.MediaTypes = f.readable()
	}
	if fm != nil && !fm.Reads() {
		return nil, &UnsupportedMediaTypeError{
			ContentType: header, Reason: "the format can be written but not read",
			MediaTypes: f.readable(),
		}
	}
	return fm, err
}

// readable returns the media types of the formats that can be read.
func (f *Factory) readable() []string {
	var out []string
	for i := range f.mediaTypes {
		if f.formats[f.mediaTypes[i].format].Reads() {
			out = append(out, f.mediaTypes[i].Name)
		}
	}
	return out
}

// mediaType is a media type of the factory.
type mediaType struct {
	accept.MediaType
	format  int                      // index of the format among those of the factory
	index   int                      // of the media type among those of the factory
	encodes func(*runtime.Kind) bool // of the format; nil if it writes every kind
	events  bool                     // the format has frames for events
}

// mediaSet is a set of media types, by their indexes in an offer.
type mediaSet uint64

// maxMediaTypes is the maximum number of media types in an offer.
const maxMediaTypes = 64

// name is a name that clients can request.
type name struct {
	media, alias int // the indexes among the media types and the aliases of the factory; -1 for none
}

// addName returns the record of a name, given in lower case, creating it if necessary.
func (f *Factory) addName(text string) *name {
	n := f.named[text]
	if n == nil {
		n = &name{media: -1, alias: -1}
		f.named[text] = n
	}
	return n
}

// find returns the record of a name in any case, or nil.
func (f *Factory) find(s string) *name { return f.named[strings.ToLower(s)] }

// mediaType finds a media type by its name in any case.
func (f *Factory) mediaType(s string) *mediaType {
	if n := f.find(s); n != nil && n.media >= 0 {
		return &f.mediaTypes[n.media]
	}
	return nil
}

// maxPooled bounds the buffers that are kept for reuse, so that one large object does not stay in
// memory forever.
const maxPooled = 1 << 20

func (f *Factory) buffer() *[]byte {
	if b, ok := f.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

func (f *Factory) release(b *[]byte) {
	if cap(*b) <= maxPooled {
		*b = (*b)[:0]
		f.buffers.Put(b)
	}
}
