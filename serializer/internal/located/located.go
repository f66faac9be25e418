// Package located turns what a jsonwire reader found into problems of the runtime package. The
// formats that decode through that reader share it; each of them knows where an offset of the text
// that the reader saw lies in the text of the user.
package located

import (
	"fmt"
	"math"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Limit returns how many problems the options allow.
func Limit(o runtime.ReadOptions) int { return o.Limits.OrDefaults().Problems }

// Exceeded returns the problem of an input that is beyond a limit.
func Exceeded(at schema.Position, path string, e *schema.LimitError) runtime.Problem {
	return runtime.Problem{Position: at, Path: path, Cause: runtime.ErrLimit, Message: e.Error(), Err: e}
}

// LargeItem returns the error for an item of a stream of n bytes, 0 if that is not known, that is
// larger than the limit, and LargeHead that for all that is around the items.
func LargeItem(n, limit int) *schema.LimitError {
	return &schema.LimitError{Limit: "Item", What: "the item", Unit: "bytes", Max: limit, Got: n}
}

// LargeHead is as [LargeItem] says.
func LargeHead(limit int) *schema.LimitError {
	return &schema.LimitError{Limit: "Item", What: "the list without its items", Unit: "bytes", Max: limit}
}

// Start is the place where a text begins.
var Start = schema.Position{Line: 1, Column: 1}

// At returns the place of text[offset] in a larger text, in which text begins at base. Unlike
// schema.PositionOf it does not look at what comes before the base, so that the places in each
// document of a long stream are found in time that depends on that document only.
func At(base schema.Position, text []byte, offset int) schema.Position {
	p := schema.PositionOf(text, offset)
	if p.Line == 1 {
		p.Column += base.Column - 1
	}
	p.Line += base.Line - 1
	p.Offset += base.Offset
	return p
}

// readers keeps readers for the sake of their scratch memory.
var readers = sync.Pool{New: func() any { return new(jsonwire.Reader) }}

// Text is a text of the user that a text in JSON was made from, or that it is.
type Text interface {
	// PositionAt maps an offset in the JSON text to a place in the user's text.
	PositionAt(offset int) schema.Position
}

// PositionFunc is a function as a [Text].
type PositionFunc func(offset int) schema.Position

// PositionAt implements [Text].
func (f PositionFunc) PositionAt(offset int) schema.Position { return f(offset) }

// Decode fills obj, of the kind k, from the value at the start of text and returns what is wrong
// with it, each problem with its path, and where the value ends, 0 if that is not known.
func Decode(text []byte, k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions, annotated bool,
	at Text,
) (problems []runtime.Problem, end int) {
	return DecodeWith(text, k, obj, o, jsonwire.Options{Annotated: annotated}, at)
}

// DecodeWith is [Decode] with those options of the reader that o does not have.
func DecodeWith(text []byte, k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions, wire jsonwire.Options,
	at Text,
) (problems []runtime.Problem, end int) {
	problems, end, dropped := decode(text, k, obj, &o, &wire, at)
	if dropped == 0 || !o.Strict {
		return problems, end
	}
	last := problems[len(problems)-1]
	return append(problems, runtime.Problem{
		Position: last.Position, Cause: runtime.ErrUnknownField,
		Message: fmt.Sprintf("and %d more problems", dropped),
	}), end
}

// decode also returns how many problems were found beyond those that are kept. It fills in what the
// options of the reader take from the others.
func decode(text []byte, k *runtime.Kind, obj runtime.Object, o *runtime.ReadOptions, wire *jsonwire.Options,
	at Text,
) (problems []runtime.Problem, end, dropped int) {
	if large := o.Limits.CheckSize("the input", len(text)); large != nil {
		return []runtime.Problem{Exceeded(at.PositionAt(0), "", large)}, 0, 0
	}
	if long := jsonwire.Exceeds(text, o.Limits); long != nil {
		room := math.MaxInt
		return []runtime.Problem{wireProblem(text, at, &jsonwire.Problem{
			Code: long.Code, Offset: long.Offset,
			Message: long.Message, Err: long.Err,
		}, &room)}, 0, 0
	}
	r := readers.Get().(*jsonwire.Reader)
	defer func() {
		r.Release()
		readers.Put(r)
	}()
	wire.Strict, wire.Limits, wire.Checker = o.Strict, o.Limits, o.Checker()
	r.Reset(text, *wire)
	if err := k.DecodeJSON(r, obj); err != nil {
		return []runtime.Problem{{
			Position: at.PositionAt(0), Cause: runtime.ErrInvalidValue, Message: err.Error(),
			Err: err,
		}}, 0, 0
	}
	if r.Err() == nil {
		end = r.Offset()
	}
	found := r.Problems()
	if len(found) == 0 {
		return nil, end, 0
	}
	problems = make([]runtime.Problem, 0, len(found))
	room := max(r.Room(), 1<<20)
	for i := range found {
		if i == 0 { // the first problem always has its path
			room = max(room, levelBytes*jsonwire.Levels(text, found[0].Offset))
		}
		problems = append(problems, wireProblem(text, at, &found[i], &room))
	}
	return problems, end, r.Dropped()
}

// wireProblem is a problem in a text as one in the text of the user. See [PathAt] for room.
func wireProblem(text []byte, at Text, p *jsonwire.Problem, room *int) runtime.Problem {
	return runtime.Problem{
		Position: at.PositionAt(p.Offset), Path: PathAt(text, p.Offset, room),
		Cause: runtime.CauseOf(p.Code), Message: p.Message, Nearest: p.Nearest, Err: p.Err,
	}
}

// levelBytes is about what a path takes for each of its steps until it is a string.
const levelBytes = 160

// PathAt returns the path at an offset of a text as a string. It is blank if the path takes more
// bytes than room has, from which it is subtracted: in a deep text the paths of a hundred problems
// are thousands of times the text.
func PathAt(text []byte, offset int, room *int) string {
	n := levelBytes * jsonwire.Levels(text, offset)
	if n > *room {
		return ""
	}
	*room -= n
	return jsonwire.PathAt(text, offset).String()
}
