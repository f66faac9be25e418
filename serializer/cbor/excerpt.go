package cbor

import (
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// maxExcerptDepth is the nesting beyond which items are decoded completely. It is less than every
// limit that may be set for items that are read in part.
const maxExcerptDepth = 250

// excerpt appends the wanted fields of the one item in data to dst, as annotated JSON. It skips all
// other fields. It returns false for an uncommon item.
func excerpt(dst, data []byte, fields func() *format.FieldTree) (text []byte,
	o jsonwire.Options, ok bool,
) {
	o = jsonwire.Options{Annotated: true, RawForm: appendRawForm}
	s := skimmers.Get().(*skimmer)
	item, ok := s.skim(data, 0)
	s.release()
	if !ok || !item.isMap || item.end != len(data) || item.depth > maxExcerptDepth {
		return nil, o, false
	}
	r := readers.Get().(*reader)
	own := r.out
	r.data, r.out = data, dst
	e := excerpter{source: source{data: data, pos: item.from}, reader: r}
	ok = e.value(fields())
	text, r.out = r.out, own // the pool must not keep the caller's memory
	r.release()
	return text, o, ok
}

// excerpter walks an item that was skimmed, and lets a reader write the text of the wanted fields.
type excerpter struct {
	source source
	reader *reader
}

// value writes the wanted part of the value at the position. It returns false for a value that
// requires decoding the whole item.
func (e *excerpter) value(tree *format.FieldTree) bool {
	s, r := &e.source, e.reader
	if !tree.Whole() {
		switch s.Kind() {
		case '{':
			return e.object(tree)
		case '[':
			return e.array(tree)
		}
	}
	r.pos = s.pos
	err := r.item()
	s.pos = r.pos
	return err == nil && len(r.problems) == 0
}

func (e *excerpter) object(tree *format.FieldTree) bool {
	s, r := &e.source, e.reader
	n, found := s.head(majorMap)
	if found != jsonwire.ValueFound {
		return false
	}
	r.out = append(r.out, '{')
	for empty := true; n > 0; n-- {
		key, found := s.Text()
		if found != jsonwire.ValueFound {
			return false
		}
		below, wanted := tree.Member(key)
		if !wanted {
			if !s.Skip() {
				return false
			}
			continue
		}
		if !empty {
			r.out = append(r.out, ',')
		}
		empty = false
		r.out = append(appendQuoted(r.out, key), ':')
		if !e.value(below) {
			return false
		}
	}
	r.out = append(r.out, '}')
	return true
}

// array writes a list. If the tree expects fields, the text gets an empty list, which shows the
// type of the value.
func (e *excerpter) array(tree *format.FieldTree) bool {
	s, r := &e.source, e.reader
	n, found := s.head(majorArray)
	if found != jsonwire.ValueFound {
		return false
	}
	below, wanted := tree.Element()
	r.out = append(r.out, '[')
	for i := range n {
		if !wanted {
			if !s.Skip() {
				return false
			}
			continue
		}
		if i > 0 {
			r.out = append(r.out, ',')
		}
		if !e.value(below) {
			return false
		}
	}
	r.out = append(r.out, ']')
	return true
}
