package serializer

import (
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// scalarFields are the paths of the metadata that is neither an object nor a list.
var scalarFields = []string{
	"metadata.name", "metadata.generateName", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
	"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp",
	"metadata.deletionGracePeriodSeconds",
}

var (
	metadataKey   = []byte("metadata")
	errNotScalars = errors.New("serializer: the fields that EncodeRows was passed are not those of metadata")
)

// EncodeRows writes to w what [Representation.EncodeProjected] writes, if that is a table in
// compact JSON whose rows hold metadata and whose columns read only scalar fields of it, such as
// the name and the age. Otherwise it returns false, and nothing has been written.
//
// For each object the sequence yields the scalar fields of its metadata, as an object in JSON, and
// a function that appends all of its metadata as this module writes it. The rest of the metadata is
// then copied without being read. The fields and the function need only be valid until the next
// ones are requested.
func (r *Representation) EncodeRows(w io.Writer, head runtime.Object,
	items iter.Seq2[[]byte, func(dst []byte) []byte],
) (ok bool, err error) {
	p := r.projector(&DecodeOptions{})
	if p == nil {
		return false, nil
	}
	defer p.release()
	buf := r.factory.buffer()
	defer r.factory.release(buf)
	out, ok := p.beginRows((*buf)[:0], head)
	if !ok {
		return false, nil
	}
	i := 0
	for scalars, metadata := range items {
		if out, err = p.appendRow(out, scalars, metadata); err != nil {
			return true, atItem(err, i)
		}
		if out, err = p.flush(w, out); err != nil {
			return true, err
		}
		i++
	}
	if out, err = p.end(out); err != nil {
		return true, err
	}
	*buf = out
	return true, writeAll(w, out)
}

// beginRows appends the output before the rows, unless EncodeRows does not apply to the items of a
// list.
func (p *projector) beginRows(dst []byte, head runtime.Object) ([]byte, bool) {
	k, err := p.rep.factory.scheme.KindOf(head)
	if err != nil || k.ItemKind() == nil || !p.table || !p.include || !p.flushes() {
		return dst, false
	}
	s := p.project(k.ItemKind())
	if s == nil || !s.HasJSON() || s.From() != s.As() ||
		slices.ContainsFunc(s.Fields(), func(path string) bool { return !slices.Contains(scalarFields, path) }) {
		return dst, false
	}
	shell, ok := format.WithoutItems(k, head)
	if !ok {
		return dst, false
	}
	p.source = &source{kind: k.ItemKind(), projection: s}
	p.objects()
	return p.begin(dst, shell)
}

// appendRow appends the rows of one object, see [Representation.EncodeRows].
func (p *projector) appendRow(dst, scalars []byte, metadata func([]byte) []byte) ([]byte, error) {
	if err := reset(p.projection.From(), p.obj); err != nil {
		return dst, err
	}
	p.meta, p.written = encodedMeta{metaWritten, nil}, metadata
	p.reader.Reset(scalars, jsonwire.Options{Limits: p.options.Limits})
	p.projection.DecodeJSON(&p.reader, p.obj, metadataKey)
	if len(p.reader.Problems()) > 0 {
		return dst, errNotScalars
	}
	return p.appendRows(dst)
}
