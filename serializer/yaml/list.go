package yaml

import (
	"errors"

	"github.com/askind/askind/serializer/format"
)

// errNoList is the error for an object that is encoded without the field of its items.
var errNoList = errors.New("yaml: the object is written without its items")

// appendListHead appends everything before the first item: the preceding members, and the name of
// the items.
func (s *codec) appendListHead(dst []byte, p *format.Parts, _ format.ListSize, _ format.Options) ([]byte,
	error,
) {
	from := len(dst)
	dst, err := s.appendAround(dst, p, true)
	if err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// appendListTail appends everything after the last item.
func (s *codec) appendListTail(dst []byte, p *format.Parts, _ format.Options) ([]byte, error) {
	from := len(dst)
	dst, err := s.appendAround(dst, p, false)
	if err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// appendAround writes the part before or after the items. Every part of a document that is written
// in parts ends with a complete line.
func (s *codec) appendAround(dst []byte, p *format.Parts, head bool) ([]byte, error) {
	e := s.emitter()
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
	from := e.arrange(0)
	for _, o := range e.order[from:] {
		k := o.node
		name := e.tree.bytes(&e.tree.nodes[k])
		switch {
		case string(name) == p.Name():
			found = true
			if head {
				e.startLine(0)
				e.member(k, 0)
				e.dst = e.dst[:len(e.dst)-len(" []")]
			}
		case found != head:
			e.startLine(0)
			e.member(k, 0)
		}
	}
	e.order = e.order[:from]
	if !found {
		return dst, errNoList
	}
	return e.endLine(), nil
}

// endLine ends the current line unless it is empty.
func (e *emitter) endLine() []byte {
	if len(e.dst) > e.line {
		e.dst = append(e.dst, '\n')
		e.line = len(e.dst)
	}
	return e.dst
}

// appendListItems appends the given items.
func (s *codec) appendListItems(dst []byte, p *format.Parts, _ int, _ format.Options) ([]byte, error) {
	e := s.emitter()
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
