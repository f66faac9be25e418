package serializer

import (
	"encoding/binary"
	"errors"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/rawmeta"
	"github.com/askind/askind/wire/pbwire"
)

// errNotProjected reports that objects have to be decoded.
var errNotProjected = errors.New("serializer: the objects have to be decoded")

// comma appends the separator between items of a text.
func (p *projector) comma(dst []byte) []byte {
	if p.list.n++; p.list.n > 1 {
		return append(dst, ',')
	}
	return dst
}

// writeItem appends the shown form of the current object to a list. On failure it returns dst
// unchanged.
func (p *projector) writeItem(dst []byte) ([]byte, bool) {
	from, n := len(dst), p.list.n
	out, ok := p.appendItem(dst)
	if !ok {
		p.list.n = n
		return dst[:from], false
	}
	return out, true
}

func (p *projector) appendItem(dst []byte) ([]byte, bool) {
	l := &p.list
	switch {
	case p.out == formEnvelope:
		return p.appendMessage(dst, l.envelope.items, l.envelope.metadata)
	case p.table && p.out == formText:
		dst, err := p.appendRows(dst)
		return dst, err == nil
	case p.table:
		return dst, p.projection.Add(p.obj, l.whole, p.scope) == nil
	case p.out == formText:
		dst = append(p.comma(dst), p.opening...)
		dst, ok := p.appendMetadata(dst)
		return append(dst, '}'), ok
	}
	obj, ok := p.partial()
	if ok {
		l.shown = append(l.shown, obj)
	}
	return dst, ok
}

// appendRows appends the rows of the current object to a text.
func (p *projector) appendRows(dst []byte) ([]byte, error) {
	table := p.rows()
	if err := p.projection.Add(p.obj, table, p.scope); err != nil {
		return dst, err
	}
	for i := range table.Rows {
		dst = p.comma(dst)
		p.embed(&table.Rows[i])
		var err error
		if dst, err = metav1.AppendJSONTableRow(dst, &table.Rows[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// writeShown appends an object that is shown as metadata to a list.
func (p *projector) writeShown(dst []byte, obj runtime.Object) ([]byte, error) {
	k := p.list.kind.ItemKind()
	switch p.out {
	case formText:
		return k.AppendJSON(p.comma(dst), obj)
	case formEnvelope:
		p.writer.Reset(nil)
		if err := k.PrependProto(&p.writer, obj); err != nil {
			return dst, err
		}
		dst = binary.AppendUvarint(appendTag(dst, p.list.envelope.items), uint64(p.writer.Len()))
		return append(dst, p.writer.Bytes()...), nil
	}
	p.list.shown = append(p.list.shown, obj)
	return dst, nil
}

// writeSingle appends the shown form of the current object, alone.
func (p *projector) writeSingle(dst []byte) ([]byte, bool) {
	k, err := p.rep.factory.scheme.Kind(p.single)
	if err != nil {
		return dst, false
	}
	from := len(dst)
	fm, o := p.rep.format, p.rep.encodeOptions()
	switch {
	case p.table:
		c := p.projection.Collector()
		whole, err := c.Begin(p.scope)
		if err != nil || p.projection.Add(p.obj, whole, p.scope) != nil {
			return dst, false
		}
		if table, ok := whole.(*metav1.Table); ok && p.out == formText {
			for i := range table.Rows {
				p.embed(&table.Rows[i])
			}
		}
		k, shown, err := c.Finish(whole, nil, p.scope)
		if err != nil {
			return dst, false
		}
		dst, err = fm.Append(dst, k, shown, o)
		return dst, err == nil
	case p.out == formText:
		if !p.setOpening(k) {
			return dst, false
		}
		dst, ok := p.appendMetadata(append(dst, p.opening...))
		if !ok {
			return dst[:from], false
		}
		dst, err = p.writes.Finish(append(dst, '}'), from, o)
		return dst, err == nil
	case p.out == formEnvelope && oneByte(k.Info().ProtoMetadata):
		gap := openEnvelope(&dst, k)
		dst, ok := p.appendMessage(dst, 0, k.Info().ProtoMetadata)
		if !ok {
			return dst[:from], false
		}
		return gap.close(dst), true
	}
	obj, ok := p.partial()
	if !ok {
		return dst, false
	}
	dst, err = fm.Append(dst, k, obj, o)
	return dst, err == nil
}

// partial returns a new object with the current metadata.
func (p *projector) partial() (runtime.Object, bool) {
	if p.meta.state == metaCopy || !p.decodeMeta() {
		return nil, false
	}
	out := new(metav1.PartialObjectMetadata)
	out.ObjectMeta = *p.metadata() // the memory behind it is not reused
	k, err := p.rep.factory.scheme.Kind(p.single)
	return out, err == nil && k.SetType(out) == nil
}

// rows returns a table for the rows of one object. It already has columns, so that none are added.
func (p *projector) rows() *metav1.Table {
	table := p.list.whole.(*metav1.Table)
	clear(table.Rows)
	table.Rows = table.Rows[:0]
	return table
}

// appendMetadata appends the current metadata as JSON.
func (p *projector) appendMetadata(dst []byte) ([]byte, bool) {
	switch p.meta.state {
	case metaCopy:
		return append(dst, p.meta.encoded...), true
	case metaWritten:
		return p.written(dst), true
	case metaMissing:
		return append(dst, "{}"...), true
	case metaMessage:
		if out, ok := rawmeta.AppendJSON(dst, p.meta.encoded); ok {
			return out, true
		}
		if !p.decodeMessage() {
			return dst, false
		}
	}
	dst, err := metav1.AppendJSONObjectMeta(dst, p.metadata())
	return dst, err == nil
}

// embeddedKind writes the current metadata of a projector as the object of a row.
var embeddedKind = runtime.KindSpec[projector]{
	GroupVersionKind: metav1.GroupVersion.WithKind("PartialObjectMetadata"),
	TypeMeta:         func(*projector) (apiVersion, kind *string) { return new(string), new(string) },
	AppendJSONFields: func(dst []byte, p *projector) ([]byte, error) {
		dst, ok := p.appendMetadata(append(dst, `,"metadata":`...))
		if !ok {
			return dst, errNotProjected
		}
		return dst, nil
	},
}

// embed sets the object of a row to the current metadata, if rows have objects.
func (p *projector) embed(row *metav1.TableRow) {
	if p.include {
		row.Object = runtime.Embed(&embeddedKind, p)
	}
}

// appendMessage appends the current metadata as a field with that number. Unless items is 0, the
// field is part of an item in the field with the number items.
func (p *projector) appendMessage(dst []byte, items, number int) ([]byte, bool) {
	if p.meta.state == metaMessage {
		out := appendHead(dst, items, number, len(p.meta.encoded))
		from := len(out)
		out = append(out, p.meta.encoded...)
		// Check the copy, all at once, since it is in the processor's cache.
		if l := &p.list; l.trusted || rawmeta.CanonicalProto(out[from:]) {
			l.canonical = true
			return out, true
		}
		dst = out[:len(dst)]
	}
	if !p.decodeMeta() {
		return dst, false
	}
	p.writer.Reset(nil)
	metav1.PrependProtoObjectMeta(&p.writer, p.metadata())
	b := p.writer.Bytes()
	return append(appendHead(dst, items, number, len(b)), b...), p.writer.Err() == nil
}

// appendHead appends the bytes before n bytes of metadata, see appendMessage.
func appendHead(dst []byte, items, number, n int) []byte {
	if items != 0 {
		dst = binary.AppendUvarint(appendTag(dst, items), uint64(1+pbwire.SizeBytes(n)))
	}
	return binary.AppendUvarint(appendTag(dst, number), uint64(n))
}

// oneByte reports whether the tag of a field with that number has one byte.
func oneByte(number int) bool { return number > 0 && number < 16 }

// appendTag appends the tag of a field that is written with a length.
func appendTag(dst []byte, number int) []byte { return append(dst, byte(number<<3|2)) }

// envelopeGap is the gap for the length of an object in an envelope, which is written after the
// object.
type envelopeGap struct {
	at, width       int
	items, metadata int // numbers of fields, for a list
}

// openEnvelope appends the bytes before the length of an object, and leaves a gap for the length.
// The size of the gap is estimated from the free part of the buffer; if it is wrong, the object is
// moved.
func openEnvelope(dst *[]byte, k *runtime.Kind) envelopeGap {
	out := append(*dst, envelopeBegin(k.Name(), k.APIVersion())...)
	gap := envelopeGap{at: len(out), width: pbwire.SizeVarint(uint64(max(1, (cap(out)-len(out))/2)))}
	for range gap.width {
		out = append(out, 0)
	}
	*dst = out
	return gap
}

// close fills the gap before the object at the end of dst, and appends the bytes after it.
func (g *envelopeGap) close(dst []byte) []byte { return append(g.fill(dst, 0), envelopeEnd...) }

// fill fills the gap before an object. missing is how many of its bytes are not in dst yet.
func (g *envelopeGap) fill(dst []byte, missing int) []byte {
	body := g.at + g.width
	n := len(dst) - body
	if width := pbwire.SizeVarint(uint64(n + missing)); width != g.width {
		for range width - g.width {
			dst = append(dst, 0)
		}
		copy(dst[g.at+width:], dst[body:body+n])
		dst = dst[:g.at+width+n]
	}
	binary.AppendUvarint(dst[:g.at], uint64(n+missing))
	return dst
}

// envelopeBegin returns the bytes of an envelope before the length of its object. envelopeEnd holds
// those after the object: contentEncoding and contentType.
func envelopeBegin(kind, apiVersion string) string {
	var w pbwire.Writer
	w.String(2, kind)
	w.String(1, apiVersion)
	w.Message(1, 0)
	const object = 2 // the field that holds the object
	return pbwire.Magic + string(appendTag(w.Bytes(), object))
}

const envelopeEnd = "\x1a\x00\x22\x00"

// beginEnvelope appends the bytes before the items of a list.
func (p *projector) beginEnvelope(dst []byte) ([]byte, bool) {
	l := &p.list
	from, items, metadata := len(dst), l.kind.Info().ProtoItems, l.kind.ItemKind().Info().ProtoMetadata
	if !oneByte(items) || !oneByte(metadata) {
		return dst, false
	}
	p.writer.Reset(nil)
	if l.kind.PrependProto(&p.writer, l.shell) != nil {
		return dst, false
	}
	// Fields are in the order of their numbers.
	shell, split := p.writer.Bytes(), 0
	r := &p.part
	for r.Reset(shell, pbwire.Options{}); r.Next() && r.Field() < items; split = r.Offset() {
		r.Skip()
	}
	if r.Err() != nil {
		return dst[:from], false
	}
	l.envelope = openEnvelope(&dst, l.kind)
	l.envelope.items, l.envelope.metadata = items, metadata
	l.tail = append(l.tail[:0], shell[split:]...)
	return append(dst, shell[:split]...), true
}

func (p *projector) endEnvelope(dst []byte) []byte {
	return p.list.envelope.close(append(dst, p.list.tail...))
}
