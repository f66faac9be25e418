package yaml

import (
	"bytes"
	"errors"

	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// errNoList is the error for an object that is encoded without the field of its items.
var errNoList = errors.New("yaml: the object is written without its items")

// appendListHead appends everything before the first item: the preceding members, and the name of
// the items.
func (s *codec) appendListHead(dst []byte, p *format.Parts, _ format.ListSize, _ format.Options) ([]byte,
	error,
) {
	return s.appendAround(dst, p, true)
}

// appendListTail appends everything after the last item.
func (s *codec) appendListTail(dst []byte, p *format.Parts, _ format.Options) ([]byte, error) {
	return s.appendAround(dst, p, false)
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
	before := len(dst)
	if dst, err = e.append(dst, json); err != nil {
		return dst, err
	}
	line, err := e.append([]byte{'\n'}, append(jsonwire.AppendString([]byte{'{'}, p.Name()), ":[]}"...))
	if err != nil {
		return dst[:before], err
	}
	// No other line is the same, because the lines of members are indented.
	from := 0
	if text := dst[before:]; !bytes.HasPrefix(text, line[1:]) {
		if from = bytes.Index(text, line) + 1; from == 0 {
			return dst[:before], errNoList
		}
	}
	from += before
	to := from + len(line) - 1
	if head {
		return append(dst[:to-len(" []\n")], '\n'), nil
	}
	return append(dst[:before], dst[to:]...), nil
}

// appendListItems appends the given items.
func (s *codec) appendListItems(dst []byte, p *format.Parts, _ int, _ format.Options) ([]byte, error) {
	e := s.emitter()
	defer e.release()
	json, err := p.AppendJSON(append(e.scratch[:0], '['))
	e.scratch = json
	if err != nil || len(json) == 1 {
		return dst, err
	}
	e.scratch = append(json, ']')
	return e.append(dst, e.scratch)
}
