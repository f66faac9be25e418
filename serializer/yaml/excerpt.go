package yaml

import (
	"bytes"

	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// maxExcerptDepth is the nesting beyond which documents are decoded completely. It is less than
// every limit that may be set for documents that are read in part.
const maxExcerptDepth = 250

// excerpt appends the wanted fields of the one document in data to dst, as annotated JSON. It skips
// all other fields. It returns false for several documents, for one that the fast scanner does not
// read, and for one that may exceed the limits of the format.
func (s *codec) excerpt(dst, data []byte, fields func() *format.FieldTree) (text []byte,
	o jsonwire.Options, ok bool,
) {
	o = jsonwire.Options{Annotated: true}
	source := newSource(data, parsing(s.limits))
	if source.wide || source.limits.Depth < maxExcerptDepth {
		return nil, o, false
	}
	var found []segment
	for seg := range source.segments {
		if found = append(found, seg); len(found) == 2 {
			break
		}
	}
	if len(found) != 1 || found[0].to-found[0].from > source.limits.Size {
		return nil, o, false
	}
	in := scanner{text: source.text, pos: found[0].from, end: found[0].to, json: dst, maxDepth: maxExcerptDepth}
	in.fields = fields()
	if !in.document() {
		return nil, o, false
	}
	return in.json, o, true
}

// wanted selects the wanted part of a value. The zero value selects all of it.
type wanted struct {
	fields *format.FieldTree
	skip   bool // nothing of it
}

// member returns the wanted part of the value of a key, which is given as JSON. It returns false
// for a key with escapes, which can be compared only after decoding.
func (w wanted) member(key []byte) (below wanted, known bool) {
	if bytes.IndexByte(key, '\\') >= 0 {
		return w, false
	}
	fields, in := w.fields.Member(key[1 : len(key)-1])
	return wanted{fields, !in}, true
}

// element replaces the wanted part by that of the elements of the current list, and returns the
// previous one. If the tree expects fields, the text gets an empty list, which shows the type of
// the value.
func (w *wanted) element() (outer wanted) {
	outer = *w
	if !w.skip && w.fields != nil {
		fields, in := w.fields.Element()
		*w = wanted{fields, !in}
	}
	return outer
}
