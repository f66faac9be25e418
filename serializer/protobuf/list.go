package protobuf

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/pbwire"
)

// errNotApart is the error for a message in which the items cannot be told from the rest.
var errNotApart = errors.New("protobuf: the message cannot be written item by item")

// message appends an object without an envelope.
func message(dst []byte, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	w := writers.Get().(*pbwire.Writer)
	w.Reset(nil)
	err := k.PrependProto(w, obj)
	if err == nil {
		dst = append(dst, w.Bytes()...)
	}
	if w.Cap() <= maxPooled {
		writers.Put(w)
	}
	return dst, err
}

// items returns where the items that were taken stand in the message of bare, and their field number: it is the one that the shell does not
// have. Fields are in the order of their numbers.
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

// around returns what comes before the items and behind them in the message of a list.
func around(p *runtime.Parts) (before, after []byte, err error) {
	shell, err := message(nil, p.Kind(), p.Shell())
	if err != nil {
		return nil, nil, err
	}
	bare, err := message(nil, p.Kind(), p.Bare())
	if err != nil {
		return nil, nil, err
	}
	_, _, number, err := items(bare, shell)
	if err != nil {
		return nil, nil, err
	}
	split := 0
	for r := pbwire.NewReader(shell, pbwire.Options{}); r.Next() && r.Field() < number; split = r.Offset() {
		r.Skip()
	}
	return shell[:split], shell[split:], nil
}

// AppendListHead appends what comes before the first item: the opening of the envelope, which states how long all is.
func (*Serializer) AppendListHead(dst []byte, p *runtime.Parts, size runtime.ListSize, _ runtime.EncodeOptions) ([]byte, error) {
	before, after, err := around(p)
	if err != nil {
		return dst, err
	}
	var w pbwire.Writer
	w.String(2, p.Kind().Name())
	w.String(1, p.Kind().APIVersion())
	w.Message(1, 0)
	dst = append(append(dst, pbwire.Magic...), w.Bytes()...)
	const object = 2<<3 | 2 // the tag of the field that holds the object
	dst = binary.AppendUvarint(append(dst, object), uint64(len(before)+size.Bytes+len(after)))
	return append(dst, before...), nil
}

// AppendListItems appends the items that were taken.
func (*Serializer) AppendListItems(dst []byte, p *runtime.Parts, _ int, _ runtime.EncodeOptions) ([]byte, error) {
	start := len(dst)
	dst, err := message(dst, p.Kind(), p.Bare())
	if err != nil {
		return dst[:start], err
	}
	shell, err := message(nil, p.Kind(), p.Shell())
	if err != nil {
		return dst[:start], err
	}
	from, to, _, err := items(dst[start:], shell)
	if err != nil {
		return dst[:start], err
	}
	n := copy(dst[start:], dst[start+from:start+to])
	return dst[:start+n], nil
}

// measured keeps buffers for items that are encoded for the sake of their size.
var measured = sync.Pool{New: func() any { return new([]byte) }}

// MeasureListItems returns how long the items are that were taken.
func (s *Serializer) MeasureListItems(p *runtime.Parts, o runtime.EncodeOptions) (int, error) {
	buf := measured.Get().(*[]byte)
	out, err := s.AppendListItems((*buf)[:0], p, 0, o)
	if *buf = out[:0]; cap(out) <= maxPooled {
		measured.Put(buf)
	}
	return len(out), err
}

// AppendListTail appends what comes behind the last item.
func (*Serializer) AppendListTail(dst []byte, p *runtime.Parts, _ runtime.EncodeOptions) ([]byte, error) {
	_, after, err := around(p)
	if err != nil {
		return dst, err
	}
	var w pbwire.Writer
	w.OpenEnvelope()
	return append(append(dst, after...), w.Bytes()...), nil
}
