package json

import (
	"errors"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/serializer/jsonwire"
)

const byteOrderMark = "\xEF\xBB\xBF"

// start returns where the text begins: behind a byte order mark.
func start(data []byte) int {
	if len(data) >= len(byteOrderMark) && string(data[:len(byteOrderMark)]) == byteOrderMark {
		return len(byteOrderMark)
	}
	return 0
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// document is one object inside of an input.
type document struct {
	input []byte // the whole text of the user
	text  []byte // the input from the object on
	end   int    // where the object ends in text, 0 if that has not been found out
}

var _ runtime.Document = (*document)(nil)

func documents(data []byte) iter.Seq2[runtime.Document, error] {
	return func(yield func(runtime.Document, error) bool) {
		for i := skipSpace(data, start(data)); i < len(data); {
			if data[i] != '{' {
				yield(nil, notAnObject(data, i))
				return
			}
			d := &document{input: data, text: data[i:]}
			if !yield(d, nil) {
				return
			}
			if d.end == 0 {
				d.end = extent(d.text)
			}
			i = skipSpace(data, i+d.end)
		}
	}
}

// notAnObject is the error for the text at i, where an object was expected.
func notAnObject(data []byte, i int) error {
	r := jsonwire.NewReader(data[i:], jsonwire.Options{})
	if r.Skip(); r.Err() == nil {
		return problem(data, i, runtime.ErrWrongType, "expected an object, found another JSON value")
	}
	return readerProblem(data, i, r.Err())
}

// extent returns the length of the object at the start of text, that of the text if its end cannot be found. It looks at braces and strings
// only, which is enough to find the next object behind one that is broken.
func extent(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return len(text)
}

// Type implements [runtime.Document].
func (d *document) Type() (apiVersion, kind string, err error) {
	apiVersion, kind, err = jsonwire.SniffType(d.text)
	if err != nil {
		return apiVersion, kind, readerProblem(d.input, d.from(), err)
	}
	return apiVersion, kind, nil
}

// Decode implements [runtime.Document].
func (d *document) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	problems, end := located.Decode(d.text, k, obj, o, false, d.position)
	d.end = end
	return problems
}

// Raw implements [runtime.Document].
func (d *document) Raw() []byte {
	r := jsonwire.NewReader(d.text, jsonwire.Options{})
	raw := r.Raw()
	if r.Err() != nil {
		return nil
	}
	d.end = r.Offset()
	return raw
}

// Locate implements [runtime.Document].
func (d *document) Locate(p *schema.Path) schema.Position {
	offset, _, _ := jsonwire.OffsetOf(d.text, p)
	return d.position(offset)
}

// from returns where the object starts in the input.
func (d *document) from() int { return len(d.input) - len(d.text) }

func (d *document) position(offset int) schema.Position {
	return schema.PositionOf(d.input, d.from()+offset)
}

// readerProblem is the error of a reader of the text from an offset of the input on.
func readerProblem(input []byte, from int, err error) error {
	wire, ok := errors.AsType[*jsonwire.Error](err)
	if !ok {
		return problem(input, from, runtime.ErrSyntax, err.Error())
	}
	e := problem(input, from+wire.Offset, located.Cause(wire.Code), wire.Message)
	e.Problems[0].Path = jsonwire.PathAt(input[from:], wire.Offset).String()
	return e
}

func problem(input []byte, offset int, cause error, message string) *runtime.DecodeError {
	return &runtime.DecodeError{Problems: []runtime.Problem{{Position: schema.PositionOf(input, offset), Cause: cause, Message: message}}}
}
