package json

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/listing"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// listReader reads one list.
type listReader struct {
	*listing.Reader
	base schema.Position // of Buf[0]
	head document
}

// drop discards the bytes before the next one.
func (l *listReader) drop() {
	l.base = after(l.base, l.Buf[:l.Pos])
	l.Drop()
}

// after returns the position after a text that begins at p. Unlike schema.PositionOf it counts byte
// by byte, so the text may end inside a character.
func after(p schema.Position, text []byte) schema.Position {
	p.Offset += len(text)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += bytes.Count(text, []byte{'\n'})
		p.Column, text = 1, text[i+1:]
	}
	for _, c := range text {
		if c&0xC0 != 0x80 {
			p.Column++
		}
	}
	return p
}

// here returns the position of the next byte.
func (l *listReader) here() schema.Position { return after(l.base, l.Buf[:l.Pos]) }

// peek returns the next byte that is not white space, 0 at the end. White space over the limit ends
// the input with an error.
func (l *listReader) peek() byte {
	for from := l.Pos; ; {
		if l.Pos = skipSpace(l.Buf, l.Pos); l.Pos-from > l.Limit {
			l.Pos = from + l.Limit
			l.Stop(l.tooLarge())
			l.Pos = len(l.Buf)
		}
		if l.Pos < len(l.Buf) {
			return l.Buf[l.Pos]
		}
		if !l.More() {
			return 0
		}
	}
}

// value scans the value that begins with the next byte. If it exceeds the limit its bytes are
// dropped while they are read, and large is its size; otherwise large is 0, and the text is
// Buf[from:Pos]. At the end of the input the value may be incomplete.
func (l *listReader) value(from int) (large int) {
	var s scanner
	start := l.Offset + from
	for {
		n, done := s.next(l.Buf[l.Pos:])
		l.Pos += n
		if size := l.At() - start; size > l.Limit {
			large = size
			l.drop()
		}
		if done || !l.More() {
			return large
		}
	}
}

// readList reads a list and yields its items, each as a document as soon as it has been read, and
// then the list without them. An item that exceeds the limit is yielded as an error, and reading
// continues with the next one. An error of r, or one after which the start of the next item is
// unknown, is yielded last. A text that is not a list is yielded whole as the last part.
func readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	return listing.Read(r, o.Limits, func(r *listing.Reader) error {
		l := listReader{Reader: r, base: located.Start}
		return l.read()
	})
}

func (l *listReader) read() error {
	for len(l.Buf) < len(byteOrderMark) && l.More() {
	}
	l.Pos = start(l.Buf)
	l.drop()
	l.base.Column = 1 // a byte order mark has no column
	c := l.peek()
	l.drop()
	switch {
	case l.Err() != nil:
		return l.Err()
	case l.Pos == len(l.Buf):
		return nil
	case c != '{':
		l.value(0)
		d := &document{text: l.Buf, base: l.base}
		return d.notAnObject()
	}
	l.head.base = l.base
	l.Pos = 1
	for c := l.peek(); c == '"'; c = l.peek() {
		from, at := l.Pos, l.here()
		if l.value(from) > 0 {
			return l.tooLarge()
		}
		found := isItems(l.Buf[from:l.Pos])
		if found && l.head.cut > 0 {
			return failed(at, runtime.ErrDuplicateField, "items", listing.Repeated)
		}
		if l.peek() != ':' {
			break
		}
		l.Pos++
		if c := l.peek(); found && c == '[' {
			if err := l.items(); err != nil {
				return err
			}
		} else if l.value(l.Pos) > 0 {
			return l.tooLarge()
		}
		if l.keep(); len(l.head.text) > l.Limit {
			return l.tooLarge()
		}
		if l.peek() != ',' {
			break
		}
		l.Pos++
	}
	// Syntax errors are found by decoding.
	if l.peek() == '}' {
		l.Pos++
		l.keep()
		if l.peek(); l.Pos < len(l.Buf) {
			return l.fail(runtime.ErrSyntax, "unexpected text after the list")
		}
	} else {
		l.Pos = len(l.Buf)
		l.keep()
	}
	if l.Err() != nil {
		return l.Err()
	}
	return l.End(&l.head)
}

// isItems reports whether the name of a member, with its quotes, is that of the items.
func isItems(name []byte) bool {
	return string(name) == `"items"` || bytes.IndexByte(name, '\\') > 0 &&
		jsonwire.NewReader(name, jsonwire.Options{}).String("") == "items"
}

func (l *listReader) tooLarge() error {
	large := located.Exceeded(l.here(), "", l.LargeHead())
	return located.Failure(&large)
}

// keep moves the bytes just read to the text of the head.
func (l *listReader) keep() {
	l.head.text = append(l.head.text, l.Buf[:l.Pos]...)
	l.drop()
}

// items yields the items; the next byte is the opening bracket.
func (l *listReader) items() error {
	l.Pos++
	l.keep()
	apiVersion, kind, _ := jsonwire.SniffType(l.head.text)
	early := apiVersion == "" || kind == "" // whether the items precede the type
	l.head.cut = len(l.head.text)
	for c := l.peek(); c != ']'; {
		if c == 0 || c == ',' || c == '}' || c == ':' {
			return l.broken("a value")
		}
		l.drop()
		d := &document{base: l.base}
		item, err := format.Document(d), error(nil)
		n := l.value(0)
		d.text = l.Buf[:l.Pos:l.Pos]
		if c != '{' && c != '[' && c != '"' { // text may follow a word or a number immediately
			r := jsonwire.NewReader(d.text, jsonwire.Options{})
			if r.Skip(); r.Offset() < len(d.text) {
				l.Pos = r.Offset()
				return l.broken("',' or ']'")
			}
		}
		switch {
		case n > 0:
			large := located.Exceeded(d.base, "", l.LargeItem(n))
			item, err = nil, located.Failure(&large)
		case string(d.text) == "null":
			d.text = []byte("{}") // like a null item of a list that is decoded as a whole
		case early:
			d.text = bytes.Clone(d.text)
		}
		if l.Err() != nil {
			return l.Err()
		}
		if err := l.Give(&l.head, item, err); err != nil {
			return err
		}
		switch c = l.peek(); c {
		case ',':
			l.Pos++
			if c = l.peek(); c == ']' {
				return l.broken("a value")
			}
		case ']':
		default:
			return l.broken("',' or ']'")
		}
	}
	l.drop()
	l.head.after = l.base
	l.Pos = 1
	return nil
}

// broken returns the error for an unexpected next byte.
func (l *listReader) broken(want string) error {
	switch {
	case l.Pos < len(l.Buf):
		l.Need(utf8.UTFMax)
		c, _ := utf8.DecodeRune(l.Buf[l.Pos:])
		return l.fail(runtime.ErrSyntax, "unexpected character %q, expected %s", c, want)
	case l.Err() != nil:
		return l.Err()
	}
	return l.fail(runtime.ErrSyntax, "unexpected end of text, expected %s", want)
}

// fail returns an error at the next byte.
func (l *listReader) fail(cause error, format string, args ...any) error {
	return failed(l.here(), cause, "", format, args...)
}

func failed(at schema.Position, cause error, path, format string, args ...any) error {
	return located.Failure(&runtime.Problem{
		Position: at, Path: path, Cause: cause,
		Message: fmt.Sprintf(format, args...),
	})
}
