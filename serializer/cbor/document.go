package cbor

import (
	"errors"
	"iter"
	"math"
	"reflect"
	"sort"
	"strconv"
	"sync"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// document is one item of a sequence.
type document struct {
	data []byte // the input up to the end of the item
	from int    // of the item, with its tags

	skimmed      // results of the first scan
	usual   bool // whether skimmed is valid

	input.Place // of data

	// reader holds the text. It returns to the pool when the object has been decoded, and is taken
	// again if the text is needed once more.
	reader *reader
}

var _ format.Document = (*document)(nil)

// problemAt returns a problem at an offset in the data.
func problemAt(p input.Place, offset int, cause error, message string) runtime.Problem {
	return newProblem(p.At(offset), cause, message)
}

// documents yields every item of a sequence in order. An item that is not a map is yielded as an
// error; an item that is truncated or not CBOR ends the sequence, because the start of the next one
// is unknown. An empty input yields nothing.
func documents(data []byte) iter.Seq2[format.Document, error] {
	return func(yield func(format.Document, error) bool) {
		for pos := 0; pos < len(data); {
			d, err := documentAt(data, pos, input.Place{})
			if d == nil {
				yield(nil, err)
				return
			}
			pos = len(d.data)
			if err != nil && !yield(nil, err) || err == nil && !yield(d, nil) {
				return
			}
		}
	}
}

// skimmers pools skimmers to reuse their memory.
var skimmers = sync.Pool{New: func() any { return new(skimmer) }}

// documentAt returns the item at a position as a document. With an error it returns a document only
// if the item is valid but not a map; the document then has the end of the item.
func documentAt(data []byte, pos int, p input.Place) (*document, error) {
	s := skimmers.Get().(*skimmer)
	item, ok := s.skim(data, pos)
	s.release()
	if ok && item.isMap && !plain.Enabled {
		return &document{data: data[:item.end], from: pos, skimmed: item, usual: true, Place: p}, nil
	}
	r, err := read(data, pos, p)
	if err != nil {
		return nil, err
	}
	d := &document{data: data[:r.pos], from: pos, reader: r, Place: p}
	if r.out[0] != '{' {
		return d, d.notAMap()
	}
	return d, nil
}

// read reads the item at a position. The error is a [*runtime.DecodeError].
func read(data []byte, pos int, at input.Place) (*reader, error) {
	r := readers.Get().(*reader)
	r.data, r.pos = data, pos
	if err := r.item(); err != nil {
		p := brokenAt(r, err, at)
		r.release()
		return nil, failed(p)
	}
	return r, nil
}

// brokenAt converts the error that ended a reader to a problem.
func brokenAt(r *reader, err error, at input.Place) runtime.Problem {
	broken, ok := errors.AsType[*brokenError](err)
	if !ok {
		return problemAt(at, r.pos, runtime.ErrSyntax, err.Error())
	}
	p := problemAt(at, broken.offset, broken.cause, broken.message)
	if len(r.stack) <= mostNamed {
		p.Path = jsonwire.PathAt(r.out, len(r.out)).String()
	}
	return p
}

// mostNamed is the nesting beyond which the problem that ends an input has no path, which would
// take a hundred times the memory of the input.
const mostNamed = 2000

// newProblem returns a problem at an offset in the input. A position without a line is not printed,
// so the message states the offset.
func newProblem(offset int, cause error, message string) runtime.Problem {
	return runtime.Problem{Position: schema.Position{Offset: offset}, Cause: cause, Message: atByte(offset, message)}
}

// exceeded returns the problem of an item that exceeds a limit.
func exceeded(offset int, e *schema.LimitError) runtime.Problem {
	p := newProblem(offset, runtime.ErrLimit, e.Error())
	p.Err = e
	return p
}

func atByte(offset int, message string) string {
	return "at byte " + strconv.Itoa(offset) + ": " + message
}

func failed(problems ...runtime.Problem) error { return &runtime.DecodeError{Problems: problems} }

// notAMap returns the error for an item that is not an object.
func (d *document) notAMap() error {
	defer d.release()
	r := reader{data: d.data, pos: d.from}
	major, info, argument, err := r.head()
	for err == nil && major == majorTag && argument != tagTimeText && argument != tagTimeEpoch {
		major, info, argument, err = r.head()
	}
	return failed(problemAt(d.Place, d.from, runtime.ErrWrongType, "expected a map, found "+describe(major, info)))
}

func (d *document) release() {
	if d.reader != nil {
		d.reader.release()
		d.reader = nil
	}
}

// text returns the annotated JSON text of the item.
func (d *document) text() []byte {
	if d.reader == nil {
		r, err := read(d.data, d.from, d.Place)
		if err != nil { // the caller has modified the input
			r = &reader{out: []byte("null")}
		}
		d.reader = r
	}
	return d.reader.out
}

// Type implements [format.Document].
func (d *document) Type() (apiVersion, kind string, err error) {
	if d.usual {
		return string(d.skimmed.apiVersion), string(d.skimmed.kind), nil
	}
	text := d.text()
	apiVersion, kind, err = jsonwire.SniffType(text)
	if wire, ok := errors.AsType[*jsonwire.Error](err); ok {
		p := problemAt(d.Place, d.offset(wire.Offset), runtime.CauseOf(wire.Code), wire.Message)
		p.Path = jsonwire.PathAt(text, wire.Offset).String()
		return apiVersion, kind, failed(p)
	}
	return apiVersion, kind, err
}

// KindIn implements [format.Document].
func (d *document) KindIn(s *runtime.Scheme) *runtime.Kind {
	if !d.usual {
		return nil
	}
	return s.LookupStated(d.skimmed.apiVersion, d.skimmed.kind)
}

// decoder decodes an item without an intermediate text.
type decoder struct {
	reader jsonwire.Reader
	source source
}

// decoders pools decoders to reuse their memory.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decode fills obj from an item that was skimmed. It returns false if it cannot, or if there is a
// problem to report; obj may then be filled in part. If the object exceeds the memory limit, it
// returns that problem only.
func (d *document) decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) (ok bool,
	large *runtime.Problem,
) {
	if !d.within(o.Limits.OrDefaults()) {
		return false, nil
	}
	x := decoders.Get().(*decoder)
	x.source.reset(d.data, d.skimmed.from)
	x.source.strict = o.Strict
	x.reader.Reset(nil, jsonwire.Options{Strict: o.Strict, Limits: o.Limits, Checker: o.Checker(), Source: &x.source})
	err := k.DecodeJSON(&x.reader, obj)
	wireErr := x.reader.Err()
	x.reader.Release()
	x.release()
	// reading it again would use the same amount of memory once more
	if large, ok := errors.AsType[*schema.LimitError](wireErr); ok {
		p := exceeded(d.At(d.from), large)
		return false, &p
	}
	return err == nil && wireErr == nil, nil
}

func (x *decoder) release() {
	x.source.release()
	decoders.Put(x)
}

// Decode implements [format.Document].
func (d *document) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	o.Limits.Number = math.MaxInt // the limit is for digits; only the text has them
	if large := o.Limits.CheckSize("the input", len(d.data)-d.from); large != nil {
		return []runtime.Problem{exceeded(d.At(d.from), large)}
	}
	if d.usual {
		ok, large := d.decode(k, obj, o)
		switch {
		case ok:
			return nil
		case large != nil:
			return []runtime.Problem{*large}
		}
		// Decode again through the text, which has positions.
		reflect.ValueOf(obj).Elem().SetZero()
	}
	text := d.text()
	problems, _ := located.Decode(text, k, obj, o, jsonwire.Options{
		Annotated: true, RawForm: appendRawForm,
		Size: len(d.data) - d.from,
	}, located.PositionFunc(func(offset int) schema.Position {
		return schema.Position{Offset: d.At(d.offset(offset))}
	}))
	for i := range problems {
		if p := &problems[i]; p.More == 0 {
			p.Message = atByte(p.Position.Offset, p.Message)
		}
	}
	if found := d.found(located.Limit(o)); len(found) > 0 {
		problems = append(problems, found...)
		located.Sort(problems)
	}
	if problems == nil {
		d.release()
	}
	return problems
}

// found returns the problems of the reader, the first ones up to a limit.
func (d *document) found(limit int) []runtime.Problem {
	var out []runtime.Problem
	kept := d.reader.problems[:min(limit, len(d.reader.problems))]
	var paths located.Paths
	for _, p := range kept {
		problem := problemAt(d.Place, p.item, p.cause, p.message)
		problem.Path = paths.At(d.reader.out, p.text, nil, 0)
		out = append(out, problem)
	}
	if more := len(d.reader.problems) - len(kept) + d.reader.more; more > 0 {
		out = append(out, runtime.Problem{More: more})
	}
	return out
}

// Raw implements [format.Document].
func (d *document) Raw() []byte {
	raw, problems := d.raw()
	if problems != nil {
		return nil
	}
	return raw
}

// raw returns the item as JSON, or its problems.
func (d *document) raw() ([]byte, []runtime.Problem) {
	if d.usual {
		x := decoders.Get().(*decoder)
		defer x.release()
		x.source.reset(d.data, d.skimmed.from)
		if raw, ok := x.source.AppendRaw(nil); ok {
			return raw, nil
		}
	}
	text := d.text()
	if found := d.found(located.Limit(runtime.ReadOptions{})); found != nil {
		return nil, found
	}
	r := jsonwire.NewReader(text, jsonwire.Options{Annotated: true})
	r.Skip()
	var problems []runtime.Problem
	var paths located.Paths
	for _, p := range r.Problems() {
		problem := problemAt(d.Place, d.offset(p.Offset), runtime.CauseOf(p.Code), p.Message)
		problem.Path = paths.At(text, p.Offset, nil, 0)
		problems = append(problems, problem)
	}
	if problems != nil {
		return nil, problems
	}
	raw, err := appendRawForm(nil, text)
	if err != nil {
		return nil, []runtime.Problem{problemAt(d.Place, d.from, runtime.ErrLimit, err.Error())}
	}
	return raw, nil
}

// Locate implements [format.Document].
func (d *document) Locate(p *schema.Path) schema.Position {
	offset, _, _ := jsonwire.OffsetOf(d.text(), p)
	return schema.Position{Offset: d.At(d.offset(offset))}
}

// places returns the maximum number of values and keys in a text.
func places(text []byte) int {
	n := 1
	for _, c := range text {
		if c == ',' || c == ':' || c == '[' || c == '{' {
			n++
		}
	}
	return n
}

// offset returns the offset in the input of the value or key at an offset of the text.
func (d *document) offset(text int) int {
	d.text()
	r := d.reader
	if !r.noting {
		// The reader records no marks until they are needed. It has read the item before, so it
		// reads it once more.
		again := reader{
			data: d.data, pos: d.from, out: make([]byte, 0, len(r.out)), noting: true,
			marks: make([]mark, 0, places(r.out)),
		}
		if err := again.item(); err != nil {
			return d.from
		}
		r.marks, r.noting = again.marks, true
	}
	i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].text > text })
	if i == 0 {
		return d.from
	}
	return r.marks[i-1].item
}

// Alone implements [format.Document].
func (d *document) Alone() bool { return false }
