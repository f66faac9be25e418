package protobuf

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/listing"
	"github.com/askind/askind/wire/pbwire"
)

// listReader reads one list.
type listReader struct {
	*listing.Reader
	kind func(apiVersion, kind string) *runtime.Kind

	head   document // everything around the items
	object bool     // whether the object of the envelope has been read
	list   *runtime.Kind
}

// readList reads a list and yields its items, each as a document as soon as it has been read, and
// then the list without them. An item that exceeds the limit is yielded as an error, and reading
// continues with the next one. An error of r, or one after which the start of the next item is
// unknown, is yielded last. An object that is not a list of a known kind is yielded whole as the
// last part.
//
// Items of a List of objects of any kind are envelopes themselves. Items that are not, because JSON
// was stored in the List unchanged, are yielded as errors; decoding the List as a whole keeps them.
func readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	return listing.Read(r, o.Limits, func(r *listing.Reader) error {
		l := listReader{Reader: r, kind: o.Kind}
		return l.read()
	})
}

// The fields of an envelope.
const (
	fieldType     = 1
	fieldObject   = 2
	fieldEncoding = 3
	fieldContent  = 4
)

// The wire types.
const (
	wireVarint   = 0
	wireFixed64  = 1
	wireBytes    = 2
	wireGroup    = 3
	wireEndGroup = 4
	wireFixed32  = 5
)

func (l *listReader) read() error {
	if !l.Need(1) {
		return l.Err()
	}
	l.Need(len(pbwire.Magic))
	switch {
	case l.Err() != nil:
		return l.Err()
	case !pbwire.HasMagic(l.Buf):
		_, err := open(l.Buf, 0)
		return err
	}
	// The envelope without its object, to be checked like any envelope.
	around := append([]byte(nil), l.Buf[:len(pbwire.Magic)]...)
	l.Pos = len(pbwire.Magic)
	for l.Drop(); l.Need(1); l.Drop() {
		field, wire, size, err := l.tag(-1)
		if err != nil {
			return err
		}
		if field == fieldObject && wire == wireBytes {
			if l.object {
				return l.fail(runtime.ErrSyntax,
					"the envelope contains another object after the list, which would replace it, so its items cannot be read one by one")
			}
			l.object = true
			e, err := open(append(around, emptyObject...), 0)
			if err != nil {
				return err
			}
			l.head = *e
			l.head.Base = l.At()
			if err := l.message(size); err != nil {
				return err
			}
			continue
		}
		from := l.At()
		if err := l.value(field, wire, size, 0); err != nil {
			return err
		}
		if l.At()-from+len(around) > l.Limit {
			return l.tooLarge()
		}
		around = append(around, l.Buf[:l.Pos]...)
	}
	if l.Err() != nil {
		return l.Err()
	}
	e, err := open(append(around, emptyObject...), 0)
	switch {
	case err != nil:
		return err
	case !l.object:
		l.head = *e
	case string(e.envelope.Kind) != string(l.head.envelope.Kind) ||
		string(e.envelope.APIVersion) != string(l.head.envelope.APIVersion):
		return l.fail(runtime.ErrSyntax,
			"the envelope states the type of the list after it, so its items cannot be read one by one")
	}
	return l.End(&l.head)
}

// emptyObject is an object without fields in an envelope.
var emptyObject = []byte{fieldObject<<3 | wireBytes, 0}

// tag reads the tag of a field, and the length of its value if it has one. end is the end of the
// message in the input, or -1 if unknown.
func (l *listReader) tag(end int) (field int, wire uint8, size int, err error) {
	at := l.At()
	tag, err := l.varint(end)
	if err != nil {
		return 0, 0, 0, err
	}
	if field, wire = int(tag>>3), uint8(tag&7); tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return 0, 0, 0, failed(problem(at, runtime.ErrSyntax, fmt.Sprintf("the field number %d does not exist", tag>>3),
			nil))
	}
	if wire != wireBytes {
		return field, wire, 0, nil
	}
	at = l.At()
	n, err := l.varint(end)
	switch {
	case err != nil:
		return 0, 0, 0, err
	case end >= 0 && n > uint64(end-l.At()):
		return 0, 0, 0, failed(problem(at, runtime.ErrSyntax,
			fmt.Sprintf("a field states a length of %d bytes, but %d are left in its message", n, end-l.At()), nil))
	case n > math.MaxInt/2:
		return 0, 0, 0, failed(problem(at, runtime.ErrSyntax, fmt.Sprintf("a field states a length of %d bytes", n),
			nil))
	}
	return field, wire, int(n), nil
}

// varint reads a number.
func (l *listReader) varint(end int) (uint64, error) {
	at := l.At()
	var v uint64
	for i := range binary.MaxVarintLen64 {
		if end >= 0 && l.At() >= end || !l.Need(1) {
			return 0, l.cutOff()
		}
		c := l.Buf[l.Pos]
		l.Pos++
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break
		}
		if v |= uint64(c&0x7F) << (7 * i); c < 0x80 {
			return v, nil
		}
	}
	return 0, failed(problem(at, runtime.ErrSyntax, "a number of more than 64 bits", nil))
}

// value reads the value of a field whose tag has been read.
func (l *listReader) value(field int, wire uint8, size, depth int) error {
	switch wire {
	case wireVarint:
		_, err := l.varint(-1)
		return err
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	case wireBytes:
	case wireGroup:
		return l.group(field, depth+1)
	default:
		return l.fail(runtime.ErrSyntax, "unexpected wire type %d", wire)
	}
	if size > l.Limit {
		return l.tooLarge()
	}
	if !l.Need(size) {
		return l.cutOff()
	}
	l.Pos += size
	return nil
}

// maxGroups bounds the nesting of groups.
const maxGroups = 100

// group reads the fields of a group, the form of nested messages that ends with a tag instead of
// having a length.
func (l *listReader) group(number, depth int) error {
	if depth > maxGroups {
		return l.fail(runtime.ErrLimit, "groups nest deeper than %d", maxGroups)
	}
	for {
		field, wire, size, err := l.tag(-1)
		switch {
		case err != nil:
			return err
		case wire != wireEndGroup:
			err = l.value(field, wire, size, depth)
		case field != number:
			return l.fail(runtime.ErrSyntax, "group %d ends as group %d", number, field)
		default:
			return nil
		}
		if err != nil {
			return err
		}
		if l.Pos > l.Limit {
			return l.tooLarge()
		}
	}
}

// message reads the object, which has n bytes: it yields the items and keeps the rest in the head.
func (l *listReader) message(n int) error {
	end := l.At() + n
	number := 0
	if l.kind != nil {
		if l.list = l.kind(string(l.head.envelope.APIVersion), string(l.head.envelope.Kind)); l.list != nil {
			number = itemsField(l.list)
		}
	}
	raw := []byte{}
	for l.Drop(); l.At() < end; l.Drop() {
		from := l.At()
		field, wire, size, err := l.tag(end)
		if err != nil {
			return err
		}
		if field == number && wire == wireBytes {
			if err := l.item(size); err != nil {
				return err
			}
			switch gap := l.At() - from; {
			case len(raw) == 0:
				l.head.Base += gap
			case l.head.Cut == 0:
				l.head.Cut = len(raw)
				fallthrough
			default:
				l.head.Gap += gap
			}
			continue
		}
		if err := l.value(field, wire, size, 0); err != nil {
			return err
		}
		if raw = append(raw, l.Buf[:l.Pos]...); len(raw) > l.Limit {
			return l.tooLarge()
		}
	}
	if l.At() > end {
		return l.cutOff()
	}
	l.head.envelope.Raw, l.head.envelope.Offset = raw, 0
	return nil
}

// itemsField returns the number of the field that has the items of a list kind, or 0 if it cannot
// be determined.
func itemsField(k *runtime.Kind) int {
	if !k.IsList() || !k.Info().Proto {
		return 0
	}
	none, one := k.New(), k.New()
	k.Items(one).Resize(1)
	shell, err := message(k, none)
	if err != nil {
		return 0
	}
	bare, err := message(k, one)
	if err != nil {
		return 0
	}
	_, _, number, err := items(bare, shell)
	if err != nil {
		return 0
	}
	return number
}

// item yields the next item, which has n bytes.
func (l *listReader) item(n int) error {
	at := l.At()
	if n > l.Limit {
		if !l.Skip(n) {
			return l.cutOff()
		}
		return l.Give(&l.head, nil, failed(exceeded(at, l.LargeItem(n))))
	}
	if !l.Need(n) {
		return l.cutOff()
	}
	raw := l.Buf[l.Pos : l.Pos+n : l.Pos+n]
	l.Pos += n
	if l.list.ItemKind() != nil {
		return l.Give(&l.head, &document{envelope: pbwire.Envelope{Raw: raw}, Place: input.Place{Base: at}}, nil)
	}
	item, err := embedded(raw, at)
	return l.Give(&l.head, item, err)
}

// embedded returns the object that is the only field of an item of any kind.
func embedded(item []byte, at int) (format.Document, error) {
	var raw []byte
	begins := at
	r := pbwire.NewReader(item, pbwire.Options{})
	for r.Next() {
		if r.Field() == 1 {
			raw = r.Text()
			begins = at + r.Offset() - len(raw)
		} else {
			r.Skip()
		}
	}
	if problems := r.Problems(); len(problems) > 0 {
		p := &problems[0]
		return nil, failed(problem(at+p.Offset, runtime.CauseOf(p.Code), p.Message, p.Err))
	}
	if !pbwire.HasMagic(raw) {
		return nil, failed(problem(begins, runtime.ErrInvalidValue,
			"the item is not protobuf; decode the list as a whole to get it unchanged", nil))
	}
	d, err := open(raw, begins)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (l *listReader) cutOff() error {
	if l.Err() != nil {
		return l.Err()
	}
	return l.fail(runtime.ErrSyntax, "unexpected end of the input")
}

func (l *listReader) tooLarge() error {
	return failed(exceeded(l.At(), l.LargeHead()))
}

// fail returns an error at the next byte.
func (l *listReader) fail(cause error, format string, args ...any) error {
	return failed(problem(l.At(), cause, fmt.Sprintf(format, args...), nil))
}
