package cbor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/listing"
	"github.com/askind/askind/wire/jsonwire"
)

// listReader reads one list.
type listReader struct {
	*listing.Reader
	head document // everything around the items, with an empty array in their place
}

// readList reads a list and yields its items, each as a document as soon as it has been read, and
// then the list without them. An item that exceeds the limit is yielded as an error, and reading
// continues with the next one. An error of r, or one after which the start of the next item is
// unknown, is yielded last. An item that is not a list is yielded whole as the last part.
func readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	return listing.Read(r, o.Limits, func(r *listing.Reader) error {
		l := listReader{Reader: r}
		return l.read()
	})
}

func (l *listReader) read() error {
	if !l.Need(1) {
		return l.Err()
	}
	major, info, count, tagged, err := l.openHead()
	switch {
	case err != nil:
		return err
	case tagged != nil:
		return tagged
	case major != majorMap:
		return failed(newProblem(l.Offset, runtime.ErrWrongType, "expected a map, found "+describe(major, info)))
	}
	l.head.usual = true // applies to its type only
	indefinite := info == 31
	for i := uint64(0); indefinite || i < count; i++ {
		if indefinite && l.Need(1) && l.Buf[l.Pos] == breakCode {
			l.Pos++
			break
		}
		if err := l.member(); err != nil {
			return err
		}
		if len(l.head.data) > l.Limit {
			return l.tooLarge()
		}
	}
	l.keep()
	if l.Need(1) {
		return l.fail(runtime.ErrSyntax, "unexpected bytes after the list")
	}
	if l.Err() != nil {
		return l.Err()
	}
	// The head is complete, so it is read like any document.
	whole, err := documentAt(l.head.data, 0, l.head.Place)
	if err != nil {
		return err
	}
	l.head = *whole
	return l.End(&l.head)
}

// openHead reads the tags of an item and its head. tagged is the error to return if the item is
// opened but has a tag with an effect on its content.
func (l *listReader) openHead() (major, info byte, argument uint64, tagged, err error) {
	for {
		l.Need(9) // a whole head, unless the input ends
		if l.Err() != nil {
			return 0, 0, 0, nil, l.Err()
		}
		r := reader{data: l.Buf[l.Pos:]}
		major, info, argument, err := r.head()
		if err != nil {
			if b, ok := errors.AsType[*brokenError](err); ok {
				err = failed(newProblem(l.At()+b.offset, b.cause, b.message))
			}
			return 0, 0, 0, nil, err
		}
		if major != majorTag {
			l.Pos += r.pos
			return major, info, argument, tagged, nil
		}
		if tagged == nil && (argument <= tagBigNint || tagBase64URL <= argument && argument <= tagBase16) {
			tagged = l.fail(runtime.ErrInvalidValue,
				"the tag %d on a list is not supported where items are read one by one", argument)
		}
		if l.Pos += r.pos; l.Pos > l.Limit {
			return 0, 0, 0, nil, l.tooLarge()
		}
	}
}

// member reads a member of the list into the head. If the member holds the items, it yields them.
func (l *listReader) member() error {
	l.keep()
	at := l.At()
	key, err := l.whole()
	if err != nil {
		return err
	}
	var note *[]byte // where to store apiVersion or kind
	switch string(nameOf(key)) {
	case "items":
		if l.head.Cut > 0 {
			p := newProblem(at, runtime.ErrDuplicateField, listing.Repeated)
			p.Path = "items"
			return failed(p)
		}
		if found, err := l.items(); found || err != nil {
			return err
		}
	case "kind":
		note = &l.head.skimmed.kind
	case "apiVersion":
		note = &l.head.skimmed.apiVersion
	}
	l.keep()
	value, err := l.whole()
	if err != nil {
		return err
	}
	if note != nil && *note == nil {
		*note = bytes.Clone(textOf(value))
	}
	l.keep()
	return nil
}

// nameOf returns the text of a key.
func nameOf(key []byte) []byte {
	if text := textOf(key); text != nil {
		return text
	}
	text, err := ToJSON(key) // the key has several pieces, or tags
	if err != nil {
		return nil
	}
	return []byte(jsonwire.NewReader(text, jsonwire.Options{}).String(""))
}

// textOf returns the content of an item that is a string of definite length, or nil for any other
// item.
func textOf(item []byte) []byte {
	s := source{data: item}
	text, found := s.Text()
	if found != jsonwire.ValueFound || s.pos != len(item) {
		return nil
	}
	return text
}

// whole reads the next item, which must not exceed the limit, and returns it.
func (l *listReader) whole() ([]byte, error) {
	from := l.Pos
	large, err := l.item()
	switch {
	case err != nil:
		return nil, err
	case large > 0:
		return nil, l.tooLarge()
	}
	return l.Buf[from:l.Pos], nil
}

// item reads the next item. If it exceeds the limit its bytes are dropped while they are read, and
// large is its size; otherwise large is 0.
func (l *listReader) item() (large int, err error) {
	var s scanner
	size := 0
	for {
		n, done := s.next(l.Buf[l.Pos:])
		l.Pos += n
		if size += n; size > l.Limit {
			large = size
			l.Drop()
		}
		if done {
			return large, nil
		}
		if !l.More() {
			if l.Err() != nil {
				return 0, l.Err()
			}
			return 0, l.fail(runtime.ErrSyntax, "unexpected end of the input")
		}
	}
}

// keep moves the bytes just read to the head.
func (l *listReader) keep() {
	l.head.data = append(l.head.data, l.Buf[:l.Pos]...)
	l.Drop()
}

// items yields the items if the next value is an array, with or without tags. Any other value, and
// an empty array with a tag, is not consumed; found is then false.
func (l *listReader) items() (found bool, err error) {
	l.keep()
	major, info, count, tagged, err := l.openHead()
	switch {
	case err != nil:
		return false, err
	case major != majorArray || tagged != nil && info == 0:
		l.Pos = 0
		return false, nil
	case tagged != nil:
		return false, tagged
	}
	from := l.Offset
	l.head.data = append(l.head.data, majorArray)
	l.head.Cut = len(l.head.data)
	l.Drop()
	early := l.head.skimmed.apiVersion == nil || l.head.skimmed.kind == nil // the items come before the type
	for i := uint64(0); info == 31 || i < count; i++ {
		if info == 31 && l.Need(1) && l.Buf[l.Pos] == breakCode {
			l.Pos++
			l.Drop()
			break
		}
		at := l.Offset
		large, err := l.item()
		if err != nil {
			return true, err
		}
		var item format.Document
		if large > 0 {
			err = failed(exceeded(at, l.LargeItem(large)))
		} else {
			data := l.Buf[:l.Pos:l.Pos]
			if early {
				data = bytes.Clone(data)
			}
			item, err = itemDocument(data, at)
		}
		if err := l.Give(&l.head, item, err); err != nil {
			return true, err
		}
		l.Drop()
	}
	l.head.Gap = l.Offset - from - 1
	return true, nil
}

// itemDocument returns the document of a list item at an offset of the input.
func itemDocument(data []byte, at int) (format.Document, error) {
	if data[len(data)-1] == headNull && (len(data) == 1 || data[0]&0xE0 == majorTag) {
		r := reader{data: data}
		if r.item() == nil && string(r.out) == "null" && r.problems == nil {
			data = emptyMap // like a null item of a list that is decoded as a whole
		}
	}
	d, err := documentAt(data, 0, input.Place{Base: at})
	if err != nil {
		return nil, err
	}
	return d, nil
}

var emptyMap = []byte{majorMap}

func (l *listReader) tooLarge() error {
	return failed(exceeded(l.At(), l.LargeHead()))
}

// fail returns an error at the next byte.
func (l *listReader) fail(cause error, format string, args ...any) error {
	return failed(newProblem(l.At(), cause, fmt.Sprintf(format, args...)))
}
