package protobuf

import (
	"errors"
	"iter"
	"strconv"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/wire/pbwire"
)

// document is an envelope and the object in it.
type document struct {
	envelope    pbwire.Envelope
	input.Place // of the data to which the offset of the envelope is relative
}

var _ format.Document = (*document)(nil)

func documents(data []byte) iter.Seq2[format.Document, error] {
	return func(yield func(format.Document, error) bool) {
		if len(data) == 0 {
			return
		}
		d, err := open(data, 0)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(d, nil)
	}
}

// first returns the document in data, or nil for anything but a valid envelope, for which documents
// returns the error.
func first(data []byte) format.Document {
	if d, err := open(data, 0); err == nil {
		return d
	}
	return nil
}

// Alone implements [format.Document]: an envelope extends to the end of the input.
func (*document) Alone() bool { return true }

// open parses an envelope, which begins at base in the input. The error is a
// [*runtime.DecodeError].
func open(data []byte, base int) (*document, error) {
	e, err := pbwire.ParseEnvelope(data)
	if err != nil {
		if wire, ok := errors.AsType[*pbwire.Error](err); ok {
			return nil, failed(problem(base+wire.Offset, runtime.CauseOf(wire.Code), wire.Message, nil))
		}
		return nil, failed(problem(base, runtime.ErrSyntax, err.Error(), err))
	}
	switch {
	case len(data) == len(pbwire.Magic):
		return nil, failed(problem(base+len(data), runtime.ErrSyntax, "the envelope is empty", nil))
	case len(e.ContentEncoding) > 0:
		return nil, failed(problem(base, runtime.ErrInvalidValue, "the object has the content encoding "+
			schema.Quote(string(e.ContentEncoding))+", which is not supported", nil))
	case len(e.ContentType) > 0 && string(e.ContentType) != MediaType:
		return nil, failed(problem(base, runtime.ErrInvalidValue, "the object in the envelope is not protobuf but "+
			schema.Quote(string(e.ContentType)), nil))
	}
	return &document{envelope: e, Place: input.Place{Base: base}}, nil
}

// Type implements [format.Document].
func (d *document) Type() (apiVersion, kind string, err error) {
	e := &d.envelope
	text := make([]byte, 0, 64) // one allocation for both
	text = append(append(text, e.APIVersion...), e.Kind...)
	both := string(text)
	return both[:len(e.APIVersion)], both[len(e.APIVersion):], nil
}

// KindIn implements [format.Document].
func (d *document) KindIn(s *runtime.Scheme) *runtime.Kind {
	return s.LookupStated(d.envelope.APIVersion, d.envelope.Kind)
}

// readers pools readers, so that decoding does not allocate one.
var readers = sync.Pool{New: func() any { return new(pbwire.Reader) }}

// Decode implements [format.Document].
func (d *document) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	if large := o.Limits.CheckSize("the object", len(d.envelope.Raw)); large != nil {
		return []runtime.Problem{exceeded(d.At(d.envelope.Offset), large)}
	}
	r := readers.Get().(*pbwire.Reader)
	problems := d.decode(r, k, obj, o)
	r.Release()
	readers.Put(r)
	return problems
}

// decode is Decode with a reader, which may be reused afterwards: the problems do not refer to it.
func (d *document) decode(r *pbwire.Reader, k *runtime.Kind, obj runtime.Object,
	o runtime.ReadOptions,
) []runtime.Problem {
	r.Reset(d.envelope.Raw, pbwire.Options{Strict: o.Strict, Limits: o.Limits, Checker: o.Checker()})
	if err := k.DecodeProto(r, obj); err != nil {
		return []runtime.Problem{problem(d.At(d.envelope.Offset), runtime.ErrInvalidValue, err.Error(), err)}
	}
	found := r.Problems()
	if len(found) == 0 {
		return nil
	}
	problems := make([]runtime.Problem, len(found))
	for i := range found {
		p := &found[i]
		problems[i] = problem(d.At(d.envelope.Offset+p.Offset), runtime.CauseOf(p.Code), p.Message, p.Err)
		problems[i].Nearest = p.Nearest
	}
	if n := r.Dropped(); n > 0 {
		problems = append(problems, runtime.Problem{More: n})
	}
	return problems
}

// Raw implements [format.Document]: a message cannot be interpreted without its type.
func (*document) Raw() []byte { return nil }

// Locate implements [format.Document]: positions in a message have no line and column.
func (*document) Locate(*schema.Path) schema.Position { return schema.Position{} }

// problem returns a problem at an offset in the input. A position without a line is not printed, so
// the message states the offset.
func problem(offset int, cause error, message string, err error) runtime.Problem {
	return runtime.Problem{
		Position: schema.Position{Offset: offset}, Cause: cause,
		Message: "at byte " + strconv.Itoa(offset) + ": " + message, Err: err,
	}
}

// exceeded returns the problem of an input that exceeds a limit.
func exceeded(offset int, e *schema.LimitError) runtime.Problem {
	return problem(offset, runtime.ErrLimit, e.Error(), e)
}

func failed(p runtime.Problem) error {
	return &runtime.DecodeError{Problems: []runtime.Problem{p}}
}
