package yaml

import (
	"io"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/serializer/jsonwire"
)

// ReadList reads a list and yields its items, and then the list without them. The text must be read to its end before anything can be said about
// it, since anchors may stand anywhere, so it is in memory as a whole; what is decoded of it is not. An item that is larger
// than the limit is yielded as an error. The text may have as many bytes as a document may have at most.
func (s *Serializer) ReadList(r io.Reader, o runtime.ListReadOptions) iter.Seq2[runtime.ListPart, error] {
	return func(yield func(runtime.ListPart, error) bool) {
		l := o.Limits.Or(s.limits)
		data, err := io.ReadAll(io.LimitReader(r, int64(parsing(l).Size)+1))
		if err != nil {
			yield(runtime.ListPart{}, err)
			return
		}
		var list *document
		for doc, err := range documents(data, l) {
			if d, ok := doc.(*document); ok && list != nil {
				p := d.source.problem(d.segment, d.text(0), runtime.ErrSyntax, "a second document begins here, expected one list only")
				err = &runtime.DecodeError{Problems: []runtime.Problem{p}}
			} else if ok {
				list = d
			}
			if err != nil {
				yield(runtime.ListPart{}, err)
				return
			}
		}
		if list != nil {
			list.parts(parsing(l).Item, yield)
		}
	}
}

// parts yields the parts of the list that the document is.
func (d *document) parts(limit int, yield func(runtime.ListPart, error) bool) {
	from, to := d.items()
	if from == to {
		yield(runtime.ListPart{Head: d}, nil)
		return
	}
	head := d.part(0, len(d.json))
	head.json = append(append(make([]byte, 0, from+1+len(d.json)-to), d.json[:from+1]...), d.json[to-1:]...)
	head.cut, head.gap = from+1, to-from-2
	head.problems = d.problems
	head.duplicates = nil
	for _, dup := range d.duplicates {
		if dup.json < from || dup.json >= to {
			head.duplicates = append(head.duplicates, dup)
		}
	}
	if to-from > 2 {
		r := jsonwire.NewReader(d.json[from:to], jsonwire.Options{Annotated: true, Limits: d.source.limits})
		index := 0
		for more := r.Array(); more; more = r.NextElem() {
			start := from + r.Offset()
			r.Skip()
			item := d.part(start, from+r.Offset())
			part, err := runtime.ListPart{Item: item, Head: head}, error(nil)
			if len(item.json) > limit {
				p := d.source.exceeded(d.segment, item.text(0), located.LargeItem(len(item.json), limit))
				p.Path = schema.NewPath("items").Index(index).String()
				part.Item, err = nil, &runtime.DecodeError{Problems: []runtime.Problem{p}}
			}
			if !yield(part, err) {
				return
			}
			index++
		}
	}
	yield(runtime.ListPart{Head: head}, nil)
}

// items returns where the list of items stands in the JSON text, with its brackets; 0 and 0 if there is none.
func (d *document) items() (from, to int) {
	start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("items"))
	if !ok || d.json[start] != '[' {
		return 0, 0
	}
	return start, end
}

// part is the value at json[from:to] as a document of its own.
func (d *document) part(from, to int) *document {
	p := &document{source: d.source, segment: d.segment, annotated: &annotated{json: d.json[from:to:to]}, whole: d, from: from}
	if text := p.json; string(text) == "null" {
		p.json = []byte("{}") // as a null among the items of a list that is decoded as a whole
	}
	for _, dup := range d.duplicates {
		if from <= dup.json && dup.json < to {
			dup.json -= from
			p.duplicates = append(p.duplicates, dup)
		}
	}
	return p
}
