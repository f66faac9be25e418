package yaml

import (
	"bytes"
	"errors"
	"slices"

	"github.com/askind/askind/runtime"
)

// errNoList is the error for an object that is written without the field that its items are in.
var errNoList = errors.New("yaml: the object is written without its items")

// AppendListHead appends everything that comes before the first item: the members whose names sort before that of the items, and that name.
func (*Serializer) AppendListHead(dst []byte, p *runtime.Parts, _ runtime.ListSize, _ runtime.EncodeOptions) ([]byte, error) {
	from := len(dst)
	dst, err := appendAround(dst, p, true)
	if err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// AppendListTail appends everything that comes behind the last item.
func (*Serializer) AppendListTail(dst []byte, p *runtime.Parts, _ runtime.EncodeOptions) ([]byte, error) {
	from := len(dst)
	dst, err := appendAround(dst, p, false)
	if err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// appendAround writes one half of what is around the items. Every part of a document that is written in parts ends with its line.
func appendAround(dst []byte, p *runtime.Parts, head bool) ([]byte, error) {
	e := emitters.Get().(*emitter)
	defer e.release()
	json, err := p.Kind().AppendJSON(e.scratch[:0], p.Shell())
	e.scratch = json
	if err != nil {
		return dst, err
	}
	if err := e.tree.parse(json); err != nil {
		return dst, err
	}
	e.dst, e.line = dst, len(dst)
	found := false
	for _, k := range e.sorted() {
		name := e.tree.bytes(&e.tree.nodes[k])
		switch {
		case string(name) == p.Name():
			found = true
			if head {
				e.startLine(0)
				e.member(name, k+1, 0)
				e.dst = e.dst[:len(e.dst)-len(" []")]
			}
		case found != head:
			e.startLine(0)
			e.member(name, k+1, 0)
		}
	}
	if !found {
		return dst, errNoList
	}
	return e.endLine(), nil
}

// sorted returns the keys of the object that the tree is, in the order in which they are written; of equal ones the last.
func (e *emitter) sorted() []int {
	var keys []int
	for k := 1; k < len(e.tree.nodes); k = e.tree.nodes[k+1].next {
		keys = append(keys, k)
	}
	text := func(k int) []byte { return e.tree.bytes(&e.tree.nodes[k]) }
	slices.SortStableFunc(keys, func(a, b int) int { return compareKeys(text(a), text(b)) })
	out := keys[:0]
	for i, k := range keys {
		if i+1 == len(keys) || !bytes.Equal(text(k), text(keys[i+1])) {
			out = append(out, k)
		}
	}
	return out
}

// endLine ends the current line unless nothing stands on it.
func (e *emitter) endLine() []byte {
	if len(e.dst) > e.line {
		e.dst = append(e.dst, '\n')
		e.line = len(e.dst)
	}
	return e.dst
}

// AppendListItems appends the items that were taken.
func (*Serializer) AppendListItems(dst []byte, p *runtime.Parts, _ int, _ runtime.EncodeOptions) ([]byte, error) {
	e := emitters.Get().(*emitter)
	defer e.release()
	json, err := p.AppendJSON(append(e.scratch[:0], '['))
	e.scratch = json
	if err != nil {
		return dst, err
	}
	e.scratch = append(e.scratch, ']')
	if err := e.tree.parse(e.scratch); err != nil {
		return dst, err
	}
	e.dst, e.line = dst, len(dst)
	if e.tree.nodes[0].next > 1 {
		e.list(0, 0, false)
	}
	return e.endLine(), nil
}
