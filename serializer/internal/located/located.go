// Package located converts the problems of a jsonwire reader to those of package runtime. The
// formats that decode through that reader share it; each format maps offsets in the text that the
// reader saw to positions in the user's text.
package located

import (
	"cmp"
	"sync"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Limit returns the maximum number of problems in the options.
func Limit(o runtime.ReadOptions) int { return o.Limits.OrDefaults().Problems }

// Exceeded returns the problem of an input that exceeds a limit.
func Exceeded(at schema.Position, path string, e *schema.LimitError) runtime.Problem {
	return runtime.Problem{Position: at, Path: path, Cause: runtime.ErrLimit, Message: e.Error(), Err: e}
}

// Failure returns the error for one problem. Inlined it would take 3 KB.
//
//go:noinline
func Failure(p *runtime.Problem) error {
	return &runtime.DecodeError{Problems: []runtime.Problem{*p}}
}

// Start is the position at the start of a text.
var Start = schema.Position{Line: 1, Column: 1}

// At returns the position of text[offset] in a larger text, in which text begins at base. Unlike
// schema.PositionOf it does not scan the text before base, so that the cost of a position depends
// only on its document, not on the stream before it.
func At(base schema.Position, text []byte, offset int) schema.Position {
	p := schema.PositionOf(text, offset)
	if p.Line == 1 {
		p.Column += base.Column - 1
	}
	p.Line += base.Line - 1
	p.Offset += base.Offset
	return p
}

// readers pools readers to reuse their scratch memory.
var readers = sync.Pool{New: func() any { return new(jsonwire.Reader) }}

// Text is the user's text from which a JSON text was made; it may be the same text.
type Text interface {
	// PositionAt maps an offset in the JSON text to a position in the user's text.
	PositionAt(offset int) schema.Position
}

// PositionFunc adapts a function to a [Text].
type PositionFunc func(offset int) schema.Position

// PositionAt implements [Text].
func (f PositionFunc) PositionAt(offset int) schema.Position { return f(offset) }

// Decode fills obj, of the kind k, from the value at the start of text. It sets the options of the
// reader that follow from o. It returns the problems with their paths, and the end of the value, or
// 0 if that is unknown.
func Decode(text []byte, k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions, wire jsonwire.Options,
	at Text,
) (problems []runtime.Problem, end int) {
	if large := o.Limits.CheckSize("the input", cmp.Or(wire.Size, len(text))); large != nil {
		return []runtime.Problem{Exceeded(at.PositionAt(0), "", large)}, 0
	}
	if long := jsonwire.Exceeds(text, o.Limits); long != nil {
		return []runtime.Problem{wireProblem(text, at, &jsonwire.Problem{
			Code: long.Code, Offset: long.Offset,
			Message: long.Message, Err: long.Err,
		}, new(Paths))}, 0
	}
	r := readers.Get().(*jsonwire.Reader)
	defer func() {
		r.Release()
		readers.Put(r)
	}()
	wire.Strict, wire.Limits, wire.Checker = o.Strict, o.Limits, o.Checker()
	r.Reset(text, wire)
	if err := k.DecodeJSON(r, obj); err != nil {
		return []runtime.Problem{{
			Position: at.PositionAt(0), Cause: runtime.ErrInvalidValue, Message: err.Error(),
			Err: err,
		}}, 0
	}
	if r.Err() == nil {
		end = r.Offset()
	}
	found := r.Problems()
	if len(found) == 0 {
		return nil, end
	}
	problems = make([]runtime.Problem, 0, len(found))
	paths := Paths{Room: r.Room()}
	for i := range found {
		problems = append(problems, wireProblem(text, at, &found[i], &paths))
	}
	if n := r.Dropped(); n > 0 {
		problems = append(problems, runtime.Problem{More: n})
	}
	return problems, end
}

// Sort sorts problems by their positions, and last those that only count others.
func Sort(problems []runtime.Problem) {
	sorted.Func(problems, func(a, b runtime.Problem) int {
		return cmp.Or(cmp.Compare(a.More, b.More), cmp.Compare(a.Position.Offset, b.Position.Offset))
	})
}

// wireProblem converts a problem in the JSON text to one in the user's text.
func wireProblem(text []byte, at Text, p *jsonwire.Problem, paths *Paths) runtime.Problem {
	return runtime.Problem{
		Position: at.PositionAt(p.Offset), Path: paths.At(text, p.Offset, nil, 0),
		Cause: runtime.CauseOf(p.Code), Message: p.Message, Nearest: p.Nearest, Err: p.Err,
	}
}

// Paths makes the paths of the problems of one text, up to some memory: in a text with deep nesting
// or long names, the paths of a hundred problems are hundreds of times as long as the text. The
// zero Paths allows a MiB.
type Paths struct {
	Room  int // the bytes that the paths may take, at least a MiB
	spent int
}

const (
	leastRoom = 1 << 20
	// levelBytes is the approximate memory for each step of a path before it is a string, and
	// textBytes that for each byte of the string: in a step, in a buffer, and in the string.
	levelBytes = 160
	textBytes  = 3
)

// At returns the path at an offset of a text, with a tail of some levels below it. It is blank if
// there is no room left, but never for the first problem.
func (p *Paths) At(text []byte, offset int, tail *schema.Path, levels int) string {
	n := levelBytes * (jsonwire.Levels(text, offset) + levels)
	if p.spent > 0 && p.spent+n > max(p.Room, leastRoom) {
		return ""
	}
	path := jsonwire.PathAt(text, offset).Join(tail).String()
	p.spent += n + textBytes*len(path)
	return path
}
