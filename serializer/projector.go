package serializer

import (
	"encoding/binary"
	"reflect"
	"sync"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/rawmeta"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// projector implements the fast path of one call. It splits an input into objects. For each, read
// finds the metadata and decodes the fields that a table shows, and write appends the resulting
// item. The projector gives up on anything unusual: errors and rare cases are left to the slow
// path.
//
// Metadata is not decoded if input and output have the same form and it is canonical, or if it is
// converted from protobuf to JSON, see package rawmeta. Otherwise the kind's own function decodes
// it into an object of the kind, which is then encoded.
type projector struct {
	rep      *Representation
	options  *DecodeOptions
	limits   schema.Limits           // of the options, with defaults
	single   schema.GroupVersionKind // the kind of each shown object, or of the collecting one
	table    bool                    // whether tables are shown, rather than metadata
	out      outForm
	writes   *format.Project       // of the output
	from     *format.Format        // of the input; nil if it has to be detected for each input
	versions []schema.GroupVersion // versions that objects are converted to
	scope    *conversion.Scope
	include  bool // rows include metadata

	sources []*source // the kinds looked up so far
	*source           // of the current object

	meta    encodedMeta             // of the current object
	written func(dst []byte) []byte // appends the metadata of the current object

	tree      *format.FieldTree        // the fields read from documents, nil until first used
	fieldTree func() *format.FieldTree // the method value p.fields

	opening []byte // the start of metadata as an object: kind and apiVersion
	list    shownList
	how     Projected

	reader, sub          jsonwire.Reader
	message, part, items pbwire.Reader
	writer               pbwire.Writer
	scratch              []byte
}

// source is a kind of encoded objects.
type source struct {
	apiVersion, name string
	envelope         string // the encoded envelope up to the length of the object
	kind             *runtime.Kind
	projection       *runtime.Projection // of the kind, or of its items; nil if objects have to be decoded
	json, proto      bool                // the forms that the projection can decode
	number           int                 // of the field that holds the metadata in protobuf
	obj, metaObj     runtime.Object      // for the fields of a table, and for metadata; nil until needed
}

// outForm is how the output is produced.
type outForm uint8

const (
	// formText: as compact JSON, item by item, which the format converts to its own form.
	formText outForm = iota
	// formEnvelope: as protobuf, item by item.
	formEnvelope
	// formObject: as one object, which the format encodes.
	formObject
)

// encodedMeta is the metadata of an object: to be copied, in protobuf, decoded, or written by a
// function.
type encodedMeta struct {
	state   metaState
	encoded []byte
}

type metaState uint8

const (
	metaMissing metaState = iota
	// metaCopy: in the output form, to be copied.
	metaCopy
	// metaMessage: a protobuf message.
	metaMessage
	// metaDecoded: in metaObj.
	metaDecoded
	// metaWritten: by the function written, as JSON.
	metaWritten
)

// lowestDepth is the minimum nesting limit at which the fast path does not have to count levels.
const lowestDepth = 256

var (
	partialType = reflect.TypeFor[metav1.PartialObjectMetadata]()
	tableType   = reflect.TypeFor[metav1.Table]()
	projectors  = sync.Pool{New: func() any { return new(projector) }}
)

// projector returns the fast path, or nil if the representation or the options do not allow it.
func (r *Representation) projector(o *DecodeOptions) *projector {
	o.Limits = o.Limits.Or(r.factory.limits)
	if !r.shown || r.shape.export || r.shape.drop || r.decodesWhole(o) {
		return nil
	}
	target, ok := r.factory.scheme.Lookup(r.target)
	if !ok {
		return nil
	}
	target = itemKind(target)
	p := projectors.Get().(*projector)
	p.rep, p.options, p.limits, p.single, p.scope = r, o, o.Limits.OrDefaults(), target.GroupVersionKind(), r.scope
	if p.fieldTree == nil {
		p.fieldTree = p.fields // once, because it allocates
	}
	p.table = target.Type() != partialType
	p.out = formObject
	p.writes = r.format.Project
	switch {
	case p.writes == nil:
	case p.writes.Envelope != nil && !p.table:
		p.out = formEnvelope
	case p.writes.Finish != nil && (!p.table || target.Type() == tableType):
		p.out = formText
	}
	if p.table {
		scope, include, simple := r.rowScope()
		if include == metav1.IncludeObject {
			p.release()
			return nil
		}
		p.scope, p.include = scope, include == metav1.IncludeMetadata
		if p.out != formText || !simple {
			p.out, p.scope = formObject, r.scope.Fixed()
		}
	}
	if o.MediaType != "" {
		if p.from, _ = r.factory.ForContentType(o.MediaType); p.from == nil {
			p.release()
			return nil
		}
	}
	if !o.Version.Empty() {
		p.versions = append(p.versions, o.Version)
	}
	return p
}

// decodesWhole reports whether options or terms concern more of an object than what is shown: they
// request validation or reports, or a limit that the fast path does not check.
func (r *Representation) decodesWhole(o *DecodeOptions) bool {
	return o.Strictness != IgnoreProblems || o.Validate || o.ValidateConverted ||
		o.Dropped != nil || r.scope.ReportsDropped() ||
		o.Limits.Depth != 0 && o.Limits.Depth < lowestDepth
}

// release returns the projector to the pool without references to input and output.
func (p *projector) release() {
	p.reader.Release()
	p.sub.Release()
	p.message.Release()
	p.part.Release()
	if p.writer.Cap() > maxPooled {
		p.writer = pbwire.Writer{}
	}
	if cap(p.scratch) > maxPooled {
		p.scratch = nil
	}
	p.items.Release()
	clear(p.sources)
	p.rep, p.options, p.from, p.writes, p.scope, p.source, p.tree = nil, nil, nil, nil, nil, nil, nil
	p.meta, p.written, p.list, p.how = encodedMeta{}, nil, shownList{tail: p.list.tail[:0]}, Projected{}
	p.sources, p.versions, p.opening = p.sources[:0], p.versions[:0], p.opening[:0]
	projectors.Put(p)
}

// find looks up the kind that a document states and makes it the current one. It returns false if
// the document has to be decoded.
func (p *projector) find(apiVersion, name []byte) bool {
	if s := p.source; s != nil && string(apiVersion) == s.apiVersion && string(name) == s.name {
		return s.projection != nil
	}
	for _, s := range p.sources {
		if string(apiVersion) == s.apiVersion && string(name) == s.name {
			p.source = s
			return s.projection != nil
		}
	}
	if len(p.sources) == maxSources {
		return false
	}
	p.source = &source{apiVersion: string(apiVersion), name: string(name)}
	p.sources = append(p.sources, p.source)
	k, projection := p.lookUp(p.source.apiVersion, p.source.name)
	if projection == nil {
		return false
	}
	s := p.source
	s.kind, s.projection, s.json, s.proto, s.number = k, projection, projection.HasJSON(), projection.HasProto(),
		projection.From().Info().ProtoMetadata
	return true
}

// maxSources bounds the number of different kinds on the fast path in one call.
const maxSources = 64

// lookUp looks up a kind as decoding does, and its projection.
func (p *projector) lookUp(apiVersion, name string) (*runtime.Kind, *runtime.Projection) {
	f, gvk := p.rep.factory, p.options.DefaultKind
	if apiVersion != "" {
		gv, err := schema.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, nil
		}
		gvk.Group, gvk.Version = gv.Group, gv.Version
	}
	if name != "" {
		gvk.Kind = name
	}
	k, ok := f.scheme.Lookup(gvk)
	if !ok || gvk.Version == "" || gvk.Kind == "" || f.generic[k] || k.Info().Shared {
		return nil, nil
	}
	return k, p.project(itemKind(k))
}

// project returns the projection for objects of a kind, or nil if they have to be decoded.
func (p *projector) project(k *runtime.Kind) *runtime.Projection {
	through := p.versions
	if offered := p.rep.offered.GroupVersion(); len(through) == 0 || through[len(through)-1] != offered {
		through = append(through[:len(through):len(through)], offered)
	}
	s := p.rep.factory.scheme.Projection(k, p.single, through...)
	if s == nil || s.MetadataOnly() == p.table || p.options.Default && !s.Undefaulted() {
		return nil
	}
	if _, ok := k.Metadata(k.New()).(*metav1.ObjectMeta); !ok {
		return nil
	}
	return s
}

// objects allocates the objects to decode into, if necessary.
func (p *projector) objects() {
	if p.metaObj == nil {
		p.metaObj = p.projection.From().New()
		if p.table {
			p.obj = p.projection.From().New()
		}
	}
}

// metadata returns the metadata that was decoded into metaObj.
func (p *projector) metadata() *metav1.ObjectMeta {
	return p.projection.From().Metadata(p.metaObj).(*metav1.ObjectMeta)
}

// document appends the shown form of the one document in src, and returns the number of objects in
// it. ok is false if it has to be decoded.
func (p *projector) document(dst, src []byte) (out []byte, n int, ok bool) {
	in, ok := p.enter(src)
	switch {
	case !ok:
		return dst, 0, false
	case p.source.kind.IsList() && in.proto:
		return p.messageList(dst, in.raw)
	case p.source.kind.IsList():
		return p.textList(dst, in.raw, in.options)
	case !p.readWhole(&in):
		return dst, 0, false
	}
	out, ok = p.writeSingle(dst)
	return out, 1, ok
}

// opened is the content of an input: a protobuf message, or a JSON text with options for its
// reader.
type opened struct {
	raw     []byte
	proto   bool
	options jsonwire.Options
}

// enter finds the content of an input and makes its kind the current one. It returns false if the
// input has to be decoded.
func (p *projector) enter(src []byte) (in opened, ok bool) {
	switch from := p.inputOf(src); {
	case from == nil:
		return in, false
	case from.Envelope != nil:
		in.raw, ok = p.open(from, src)
		in.proto = true
		return in, ok && p.proto
	case from.Excerpt != nil:
		in.raw, in.options, ok = p.excerpt(from, src)
		return in, ok && p.findIn(in.raw, in.options) && p.json
	}
	return in, false
}

// readWhole reads the shown fields of the one object in an input.
func (p *projector) readWhole(in *opened) bool {
	if in.proto {
		return p.readMessage(in.raw)
	}
	p.reader.Reset(in.raw, in.options)
	return p.readText(&p.reader, in.raw, in.options) && p.ended()
}

// inputOf returns the functions to read parts of an input, or nil if that is not possible or the
// input exceeds the limit.
func (p *projector) inputOf(src []byte) *format.Project {
	if len(src) > p.limits.Size {
		return nil
	}
	if p.from != nil {
		return p.from.Project
	}
	fm, err := p.rep.factory.formatOf(src, "")
	if err != nil {
		return nil
	}
	return fm.Project
}

// open parses an envelope, makes its kind the current one and returns the object in it. An envelope
// with the same beginning as the last one does not have to be parsed, since the beginning states
// the kind.
func (p *projector) open(from *format.Project, src []byte) (message []byte, ok bool) {
	if s := p.source; s != nil && s.projection != nil && len(s.envelope) > 0 {
		if message, ok := s.open(src); ok {
			return message, true
		}
	}
	e, ok := from.Envelope(src)
	if !ok || !p.find(e.APIVersion, e.Kind) {
		return nil, false
	}
	p.source.envelope = envelopeBegin(p.source.name, p.source.apiVersion)
	return e.Raw, true
}

// open parses an envelope that begins and ends like the last one. It compares the end first, so
// that the processor can load both ends at the same time.
func (s *source) open(src []byte) (message []byte, ok bool) {
	end := len(src) - len(envelopeEnd)
	if end <= len(s.envelope) || string(src[end:]) != envelopeEnd || string(src[:len(s.envelope)]) != s.envelope {
		return nil, false
	}
	from := len(s.envelope)
	n, size := binary.Uvarint(src[from:end])
	if from += size; size <= 0 || n != uint64(end-from) {
		return nil, false
	}
	return src[from:end], true
}

// object reads the one object in src, an item of the output. It returns false if it has to be
// decoded.
func (p *projector) object(src []byte) bool {
	in, ok := p.enter(src)
	return ok && p.isItem() && p.readWhole(&in)
}

// isItem reports whether the current kind, converted, is that of the list's items.
func (p *projector) isItem() bool {
	return !p.source.kind.IsList() && p.projection.As() == p.list.item
}

// findIn is find for a text.
func (p *projector) findIn(text []byte, o jsonwire.Options) bool {
	apiVersion, name, err := jsonwire.SniffTypeBytes(text)
	if err != nil || !p.find(apiVersion, name) {
		return false
	}
	// An excerpt omits the shown fields of other kinds.
	return !o.Annotated || p.excerpted(p.projection.From())
}

// ended reports whether the reader has reached the end of its text without problems.
func (p *projector) ended() bool {
	p.reader.End()
	return len(p.reader.Problems()) == 0
}

// excerpt lets a format read only the shown fields. The kind of the document is not known yet, so
// the fields are those of all kinds that the representation can show. Values that are too long are
// left to decoding, which returns the error.
func (p *projector) excerpt(from *format.Project, src []byte) ([]byte, jsonwire.Options, bool) {
	text, o, ok := from.Excerpt(p.scratch[:0], src, p.fieldTree)
	if ok && o.Annotated {
		p.scratch = text
	}
	o.Limits = p.options.Limits
	return text, o, ok && jsonwire.Exceeds(text, o.Limits) == nil
}

// readText reads the shown fields of the object at the reader's position in its text.
func (p *projector) readText(r *jsonwire.Reader, text []byte, o jsonwire.Options) bool {
	if r.Kind() != '{' {
		return false
	}
	p.meta = encodedMeta{}
	if p.table {
		p.objects()
		if reset(p.projection.From(), p.obj) != nil {
			return false
		}
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "kind", "apiVersion": // known already, or irrelevant in lists
			_ = r.Text()
		case "metadata":
			if p.meta.state != metaMissing {
				return false // decoding would merge them
			}
			if !p.textMetadata(r, text, o, key) {
				return false
			}
		default:
			if p.table {
				p.projection.DecodeJSON(r, p.obj, key)
			} else {
				r.Skip()
			}
		}
	}
	return len(r.Problems()) == 0
}

// textMetadata reads the metadata; the reader is at its value.
func (p *projector) textMetadata(r *jsonwire.Reader, text []byte, o jsonwire.Options, key []byte) bool {
	from := r.Offset()
	canonical := 0
	switch {
	case p.out != formText || o.Annotated || p.table && !p.include:
	case p.options.Canonical:
		if p.table {
			p.projection.DecodeJSON(r, p.obj, key)
		} else {
			r.Skip()
		}
		p.meta = encodedMeta{metaCopy, text[from:r.Offset()]}
		return true
	default:
		canonical = rawmeta.CanonicalJSON(text[from:])
	}
	if canonical > 0 {
		p.meta = encodedMeta{metaCopy, text[from : from+canonical]}
	}
	switch {
	case p.table && p.out == formText:
		o.Limits.Depth = r.MaxDepth() - r.Depth()
		p.projection.DecodeJSON(r, p.obj, key)
		if p.include && canonical == 0 {
			p.sub.Reset(text[from:r.Offset()], o)
			return p.decodeText(&p.sub)
		}
		if !p.include {
			p.meta.state = metaDecoded // empty metadata is written
		}
	case p.table:
		p.meta.state = metaDecoded
		p.projection.DecodeJSONMetadata(r, p.obj)
	case canonical > 0:
		r.Advance(canonical)
	default:
		return p.decodeText(r)
	}
	return true
}

// decodeText decodes the metadata at the reader's position.
func (p *projector) decodeText(r *jsonwire.Reader) bool {
	p.objects()
	k := p.projection.From()
	p.meta.state = metaDecoded
	return reset(k, p.metaObj) == nil && p.projection.DecodeJSONMetadata(r, p.metaObj) && len(r.Problems()) == 0
}

// readMessage reads the shown fields of an object in a message.
func (p *projector) readMessage(b []byte) bool {
	p.meta = encodedMeta{}
	k := p.projection.From()
	if p.table {
		p.objects()
		if reset(k, p.obj) != nil {
			return false
		}
	}
	r := &p.message
	r.Reset(b, pbwire.Options{Limits: p.options.Limits})
	for r.Next() {
		if r.Field() != p.number {
			if p.table {
				p.projection.DecodeProto(r, p.obj)
			} else {
				r.Skip()
			}
			continue
		}
		if p.meta.state != metaMissing {
			return false // decoding would merge them
		}
		p.meta = encodedMeta{metaMessage, nil}
		if !p.table {
			p.meta.encoded = r.Text()
			continue
		}
		from := r.Offset()
		if p.out != formText { // the object includes all of the metadata
			saved := r.Message()
			p.projection.DecodeProtoMetadata(r, p.obj)
			r.EndMessage(saved)
			continue
		}
		p.projection.DecodeProto(r, p.obj)
		if _, n := binary.Uvarint(b[from:]); n > 0 && r.Err() == nil && from+n <= r.Offset() {
			p.meta.encoded = b[from+n : r.Offset()]
		}
	}
	return len(r.Problems()) == 0 && p.short(p.meta.encoded)
}

// short reports whether metadata is certainly within the limits: its strings are not longer than
// itself, and its lists and maps have at least two bytes per element. Copied metadata is not
// checked further.
func (p *projector) short(metadata []byte) bool {
	return len(metadata) <= p.limits.String && len(metadata)/2 <= p.limits.Items
}

// decodeMessage decodes metadata in a message.
func (p *projector) decodeMessage() bool {
	p.objects()
	k := p.projection.From()
	r := &p.part
	r.Reset(p.meta.encoded, pbwire.Options{Limits: p.options.Limits})
	p.meta.state = metaDecoded
	return reset(k, p.metaObj) == nil && p.projection.DecodeProtoMetadata(r, p.metaObj) && len(r.Problems()) == 0
}

// decodeMeta ensures that the metadata is in metaObj.
func (p *projector) decodeMeta() bool {
	switch p.meta.state {
	case metaMissing:
		p.objects()
		p.meta.state = metaDecoded
		return reset(p.projection.From(), p.metaObj) == nil
	case metaMessage:
		return p.decodeMessage()
	}
	return p.meta.state == metaDecoded
}

// reset sets an object to the zero value of its type and sets its kind and apiVersion.
func reset(k *runtime.Kind, obj runtime.Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	reflect.ValueOf(obj).Elem().SetZero()
	return k.SetType(obj)
}
