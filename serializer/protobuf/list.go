package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/pbwire"
)

// errNotApart is the error for a message in which the items cannot be separated from the rest.
var errNotApart = errors.New("protobuf: the message cannot be written item by item")

// message returns an object without an envelope.
func message(k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	w := writers.Get().(*pbwire.Writer)
	w.Reset(nil)
	err := k.PrependProto(w, obj)
	out := bytes.Clone(w.Bytes())
	if w.Cap() <= maxPooled {
		writers.Put(w)
	}
	return out, err
}

// items returns the range of the items in the message of bare, and their field number: it is the
// one that the shell does not have. Fields are in the order of their numbers.
func items(bare, shell []byte) (from, to, number int, err error) {
	known := make([]int, 0, 8)
	var r pbwire.Reader
	for r.Reset(shell, pbwire.Options{}); r.Next(); r.Skip() {
		known = append(known, r.Field())
	}
	r.Reset(bare, pbwire.Options{})
	for start := 0; r.Next(); start = r.Offset() {
		field := r.Field()
		r.Skip()
		if slices.Contains(known, field) {
			continue
		}
		if number == 0 {
			from, number = start, field
		}
		if field != number {
			return 0, 0, 0, errNotApart
		}
		to = r.Offset()
	}
	if r.Err() != nil || number == 0 {
		return 0, 0, 0, errNotApart
	}
	return from, to, number, nil
}

// frame holds the parts around the items in the message of a list, and the field number of the
// items. It is the same for all items, so it is computed once.
type frame struct {
	before, after []byte
	number        int
	bare          int // length of the message of bare without items
	largest       int // length of the longest message measured
}

func frameOf(p *format.Parts) (*frame, error) {
	memo := p.Memo()
	if f, ok := (*memo).(*frame); ok {
		return f, nil
	}
	shell, err := message(p.Kind(), p.Shell())
	if err != nil {
		return nil, err
	}
	bare, err := message(p.Kind(), p.Bare())
	if err != nil {
		return nil, err
	}
	from, to, number, err := items(bare, shell)
	if err != nil {
		return nil, err
	}
	split := 0
	for r := pbwire.NewReader(shell, pbwire.Options{}); r.Next() && r.Field() < number; split = r.Offset() {
		r.Skip()
	}
	f := &frame{before: shell[:split], after: shell[split:], number: number, bare: len(bare) - (to - from)}
	*memo = f
	return f, nil
}

// appendListHead appends everything before the first item: the opening of the envelope, which
// includes its length.
func appendListHead(dst []byte, p *format.Parts, size format.ListSize, _ format.Options) ([]byte,
	error,
) {
	f, err := frameOf(p)
	if err != nil {
		return dst, err
	}
	var w pbwire.Writer
	w.String(2, p.Kind().Name())
	w.String(1, p.Kind().APIVersion())
	w.Message(1, 0)
	dst = append(append(dst, pbwire.Magic...), w.Bytes()...)
	const object = 2<<3 | 2 // the tag of the field that holds the object
	dst = binary.AppendUvarint(append(dst, object), uint64(len(f.before)+size.Bytes+len(f.after)))
	return append(dst, f.before...), nil
}

// taken encodes the items that were taken with w and returns their message, which is valid until
// the next use of w.
func (f *frame) taken(w *pbwire.Writer, p *format.Parts) ([]byte, error) {
	if err := p.Kind().PrependProto(w, p.Bare()); err != nil {
		return nil, err
	}
	bare := w.Bytes()
	from, to := -1, 0
	var r pbwire.Reader
	r.Reset(bare, pbwire.Options{})
	for start := 0; r.Next(); start = r.Offset() {
		isItem := r.Field() == f.number
		if r.Skip(); isItem {
			if from < 0 {
				from = start
			} else if to != start {
				return nil, errNotApart
			}
			to = r.Offset()
		}
	}
	if r.Err() != nil || from < 0 {
		return nil, errNotApart
	}
	return bare[from:to], nil
}

// appendListItems appends the items that were taken.
func appendListItems(dst []byte, p *format.Parts, _ int, _ format.Options) ([]byte, error) {
	f, err := frameOf(p)
	if err != nil {
		return dst, err
	}
	// The items are written at the end of the free part of dst and moved to its beginning, so that
	// a large one is in memory once.
	if cap(dst)-len(dst) < f.largest {
		dst = append(make([]byte, 0, len(dst)+f.largest), dst...)
	}
	w := writers.Get().(*pbwire.Writer)
	own := w.Swap(dst[len(dst):cap(dst)])
	out, err := f.taken(w, p)
	if err == nil {
		dst = append(dst, out...)
	}
	w.Swap(own)
	writers.Put(w)
	return dst, err
}

// measureListItems returns the encoded size of the items that were taken.
func measureListItems(p *format.Parts, _ format.Options) (int, error) {
	f, err := frameOf(p)
	if err != nil {
		return 0, err
	}
	n, err := measure(p.Kind(), p.Bare())
	f.largest = max(f.largest, n)
	return n - f.bare, err
}

// measure returns the size of the message of an object.
func measure(k *runtime.Kind, obj runtime.Object) (int, error) {
	w := writers.Get().(*pbwire.Writer)
	own := w.Measure()
	err := k.PrependProto(w, obj)
	n := w.Len()
	w.Swap(own)
	writers.Put(w)
	return n, err
}

// appendListTail appends everything after the last item.
func appendListTail(dst []byte, p *format.Parts, _ format.Options) ([]byte, error) {
	f, err := frameOf(p)
	if err != nil {
		return dst, err
	}
	var w pbwire.Writer
	w.OpenEnvelope()
	return append(append(dst, f.after...), w.Bytes()...), nil
}
