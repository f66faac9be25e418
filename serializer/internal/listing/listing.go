// Package listing reads a list item by item. Each format finds the items in its own syntax. This
// package yields the parts and creates the errors for an item or a list that is too large.
package listing

import (
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
)

// Reader reads one list. It is not safe for concurrent use.
type Reader struct {
	*input.Input
	Limit int // maximum bytes of one item, and of everything around the items
	Index int // of the next item
	yield func(format.ListPart, error) bool
}

// errStopped ends reading when the caller stops the iteration.
var errStopped = errors.New("stopped")

// Read yields the parts that the function read passes to its Reader, and then the error that it
// returns, if any.
func Read(r io.Reader, l schema.Limits, read func(*Reader) error) iter.Seq2[format.ListPart, error] {
	return func(yield func(format.ListPart, error) bool) {
		reader := &Reader{Input: input.New(r), Limit: l.OrDefaults().Item, yield: yield}
		if err := read(reader); err != nil && !errors.Is(err, errStopped) {
			yield(format.ListPart{}, err)
		}
	}
}

// Give yields the next item, or an error in its place. The paths of the error are relative to the
// item.
func (r *Reader) Give(head, item format.Document, err error) error {
	if broken, ok := errors.AsType[*runtime.DecodeError](err); ok {
		path := schema.NewPath("items").Index(r.Index).String()
		for i := range broken.Problems {
			p := &broken.Problems[i]
			if p.Path != "" && !strings.HasPrefix(p.Path, "[") {
				p.Path = "." + p.Path
			}
			p.Path = path + p.Path
		}
	}
	r.Index++
	return r.part(format.ListPart{Item: item, Head: head}, err)
}

// End yields the list without its items, which is the last part.
func (r *Reader) End(head format.Document) error { return r.part(format.ListPart{Head: head}, nil) }

func (r *Reader) part(p format.ListPart, err error) error {
	if !r.yield(p, err) {
		return errStopped
	}
	return nil
}

// LargeItem returns the error for an item of n bytes that exceeds the limit.
func (r *Reader) LargeItem(n int) *schema.LimitError {
	return &schema.LimitError{Limit: "Item", What: "the item", Unit: "bytes", Max: r.Limit, Got: n}
}

// LargeHead returns the error for a list whose parts around the items exceed the limit.
func (r *Reader) LargeHead() *schema.LimitError {
	return &schema.LimitError{Limit: "Item", What: "the list without its items", Unit: "bytes", Max: r.Limit}
}

// Repeated is the message for a second field with items.
const Repeated = `the list has another field "items" here, which would replace the items already read`
