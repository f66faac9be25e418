package json

import (
	"errors"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

const byteOrderMark = "\xEF\xBB\xBF"

// start returns the start of the text, after a byte order mark.
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

// document is one object inside an input.
type document struct {
	text []byte          // the input from the object on
	base schema.Position // position of the text
	end  int             // end of the object in text, 0 if unknown

	cut   int             // offset of a gap in text, 0 if none
	after schema.Position // position of the text after the gap
}

var _ format.Document = (*document)(nil)

// documents yields every object in data. The first text that is not an object is yielded as an
// error and ends the sequence, because the start of the next one is unknown. Input of only white
// space yields nothing.
func documents(data []byte) iter.Seq2[format.Document, error] {
	return func(yield func(format.Document, error) bool) {
		rest, base := data, located.Start
		first := skipSpace(data, start(data))
		for i := first; i < len(rest); {
			base, rest = located.At(base, rest, i), rest[i:]
			d := &document{text: rest, base: base}
			switch {
			case rest[0] != '{':
				yield(nil, d.notAnObject())
				return
			case base.Offset > first:
				// The end of the first object is determined by decoding it. Here more objects
				// follow, so each gets only its own text, because the memory allocated for strings
				// depends on the length of the remaining text.
				d.text = rest[:extent(rest)]
			}
			if !yield(d, nil) {
				return
			}
			if d.end == 0 {
				d.end = extent(d.text)
			}
			i = skipSpace(rest, d.end)
		}
	}
}

// first returns the first object in data, or nil if data does not begin with one.
func first(data []byte) format.Document {
	i := skipSpace(data, start(data))
	if i == len(data) || data[i] != '{' {
		return nil
	}
	base := located.Start
	if i > 0 {
		base = located.At(base, data, i)
	}
	return &document{text: data[i:], base: base}
}

// Alone implements [format.Document].
func (d *document) Alone() bool { return d.end > 0 && skipSpace(d.text, d.end) == len(d.text) }

// notAnObject returns the error for a text that does not begin with a brace.
func (d *document) notAnObject() error {
	r := jsonwire.NewReader(d.text, jsonwire.Options{})
	if r.Skip(); r.Err() != nil {
		return d.problem(r.Err())
	}
	return located.Failure(&runtime.Problem{
		Position: d.base, Cause: runtime.ErrWrongType, Message: "expected an object, found another JSON value",
	})
}

// extent returns the length of the object at the start of text, or that of the text if its end
// cannot be found. It examines only braces and strings, which is enough to find the object after a
// malformed one.
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

// Type implements [format.Document].
func (d *document) Type() (apiVersion, kind string, err error) {
	apiVersion, kind, err = jsonwire.SniffType(d.text)
	if err != nil {
		return apiVersion, kind, d.problem(err)
	}
	return apiVersion, kind, nil
}

// KindIn implements [format.Document].
func (d *document) KindIn(s *runtime.Scheme) *runtime.Kind { return s.LookupText(d.text) }

// Decode implements [format.Document].
func (d *document) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	problems, end := located.Decode(d.text, k, obj, o, jsonwire.Options{}, d)
	d.end = end
	return problems
}

// Raw implements [format.Document].
func (d *document) Raw() []byte {
	r := jsonwire.NewReader(d.text, jsonwire.Options{})
	raw := r.Raw()
	if r.Err() != nil {
		return nil
	}
	d.end = r.Offset()
	return raw
}

// Locate implements [format.Document].
func (d *document) Locate(p *schema.Path) schema.Position {
	offset, _, _ := jsonwire.OffsetOf(d.text, p)
	return d.PositionAt(offset)
}

// PositionAt implements [located.Text].
func (d *document) PositionAt(offset int) schema.Position {
	if d.cut > 0 && offset >= d.cut {
		return located.At(d.after, d.text[d.cut:], offset-d.cut)
	}
	return located.At(d.base, d.text, offset)
}

// problem converts an error of a reader of the text.
func (d *document) problem(err error) error {
	p := runtime.Problem{Position: d.base, Cause: runtime.ErrSyntax, Message: err.Error(), Err: err}
	if wire, ok := errors.AsType[*jsonwire.Error](err); ok {
		p = runtime.Problem{
			Position: d.PositionAt(wire.Offset), Path: jsonwire.PathAt(d.text, wire.Offset).String(),
			Cause: runtime.CauseOf(wire.Code), Message: wire.Message, Err: wire.Err,
		}
	}
	return located.Failure(&p)
}
