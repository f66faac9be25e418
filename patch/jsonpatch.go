package patch

import (
	"strconv"

	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// operation is one operation of a JSON patch.
type operation struct {
	op         string
	path, from pointer
	value      tree.Node // not open; Absent without a value
	offset     int       // in the text of the patch
}

// parseOperations reads a JSON patch. Every mistake that does not depend on the document is found
// here, before anything is changed.
func (p *Patch) parseOperations(data []byte) error {
	l := &p.limits
	if err := l.CheckSize("the patch", len(data)); err != nil {
		return &Error{Type: JSON, Operation: -1, Err: err}
	}
	p.text = string(data)
	r := jsonwire.NewReader(data, jsonwire.Options{Limits: l.Limits})
	if k := r.Kind(); k != '[' && k != 0 {
		return p.malformed(r.Offset(), "a JSON patch is an array of operations")
	}
	for more := r.Array(); more; more = r.NextElem() {
		if len(p.ops) == l.Operations {
			return &Error{Type: JSON, Operation: -1, Err: exceeded("Operations", "the patch", "operations",
				l.Operations)}
		}
		if k := r.Kind(); k != '{' && k != 0 {
			return p.malformed(r.Offset(), "an operation is an object")
		}
		o, message := readOperation(r, p.text)
		p.ops = append(p.ops, o)
		if message != "" && len(r.Problems()) == 0 {
			return p.failed(len(p.ops)-1, ErrOperation, message)
		}
	}
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		e := p.malformed(problems[0].Offset, problems[0].Message)
		if problems[0].Code == wire.Limit {
			e.Err = problems[0].Err
		}
		return e
	}
	return nil
}

// readOperation reads one operation. The message says what the operation lacks; it is blank for a
// complete one. The reader records problems of the JSON.
func readOperation(r *jsonwire.Reader, text string) (o operation, message string) {
	var path, from string
	var hasPath, hasFrom bool
	o.offset = r.Offset()
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "op":
			o.op = r.String("")
		case "path":
			hasPath = !isNull(r)
			path = r.String("")
		case "from":
			hasFrom = !isNull(r)
			from = r.String("")
		case "value":
			r.Kind() // moves to the value
			start := r.Offset()
			if r.Skip(); r.Err() == nil {
				o.value = tree.Sound(text[start:r.Offset()])
			}
		default:
			r.Skip()
		}
	}
	switch o.op {
	case "add", "replace", "test":
		if o.value.Kind == tree.Absent {
			return o, `it needs a member "value"`
		}
	case "move", "copy":
		if !hasFrom {
			return o, `it needs a member "from"`
		}
		if o.from, message = parsePointer(from); message != "" {
			return o, `"from": ` + message
		}
	case "remove":
	case "":
		return o, `it needs a member "op"`
	default:
		return o, unknownOperation(o.op)
	}
	if !hasPath {
		return o, `it needs a member "path"`
	}
	if o.path, message = parsePointer(path); message != "" {
		return o, `"path": ` + message
	}
	return o, ""
}

func isNull(r *jsonwire.Reader) bool { return r.Kind() == 'n' }

func unknownOperation(op string) string {
	message := "unknown operation " + schema.Quote(op)
	if near, ok := schema.Nearest(op, []string{"add", "remove", "replace", "move", "copy", "test"}); ok {
		return message + ", did you mean " + strconv.Quote(near) + "?"
	}
	return message + ", expected add, remove, replace, move, copy or test"
}

// failed returns the error of an operation.
func (p *Patch) failed(i int, cause error, message string) *Error {
	o := &p.ops[i]
	return &Error{
		Type: JSON, Operation: i, Op: o.op, Path: o.path.text, From: o.from.text, Err: cause, Message: message,
		Position: schema.PositionOf([]byte(p.text), o.offset),
	}
}

// malformed returns the error for a text that is not a JSON patch.
func (p *Patch) malformed(offset int, message string) *Error {
	return &Error{
		Type: JSON, Operation: -1, Err: ErrSyntax, Message: message,
		Position: schema.PositionOf([]byte(p.text), offset),
	}
}
