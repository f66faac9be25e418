package json

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// textInput is an input that knows its lines.
type textInput struct {
	*input.Input
	base schema.Position // of Buf[0]
}

// ended reports whether there is nothing more behind the white space that was just skipped.
func (in *textInput) ended() bool { return in.Pos == len(in.Buf) }

// drop forgets what comes before the next byte.
func (in *textInput) drop() {
	in.base = after(in.base, in.Buf[:in.Pos])
	in.Drop()
}

// after returns the place behind a text that begins at a place. Unlike schema.PositionOf it goes by
// bytes, so the text may end inside a character.
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

// here is the place of the next byte.
func (in *textInput) here() schema.Position { return after(in.base, in.Buf[:in.Pos]) }

// peek returns the next byte that is not white space, 0 at the end.
func (in *textInput) peek() byte {
	for {
		if in.Pos = skipSpace(in.Buf, in.Pos); in.Pos < len(in.Buf) {
			return in.Buf[in.Pos]
		}
		if !in.More() {
			return 0
		}
	}
}

// value goes over the value that begins with the next byte. If it is larger than the limit its
// bytes are dropped on the way, and large is how many they are; else it is 0, and the text is
// Buf[from:Pos]. At the end of the input it may be a part of a value.
func (in *textInput) value(from, limit int) (large int) {
	var s scanner
	start := in.Offset + from
	for {
		n, done := s.next(in.Buf[in.Pos:])
		in.Pos += n
		if size := in.At() - start; size > limit {
			large = size
			in.drop()
		}
		if done || !in.More() {
			return large
		}
	}
}

// listReader reads one list.
type listReader struct {
	textInput
	limit int
	yield func(format.ListPart, error) bool
	head  document
}

// readList reads a list and yields its items, each as a document as soon as it is there, and then
// the list without them. An item that is larger than the limit is yielded as an error, and the next
// one read. An error of r, and one that leaves unclear where the next item begins, is the last that
// is yielded. A text that is not a list is yielded as the last part, with all that it holds.
func readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	return func(yield func(format.ListPart, error) bool) {
		l := &listReader{
			textInput: textInput{input.New(r), located.Start}, limit: o.Limits.OrDefaults().Item,
			yield: yield,
		}
		if err := l.read(); err != nil && !errors.Is(err, errStopped) {
			yield(format.ListPart{}, err)
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

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
	case l.ended():
		return nil
	case c != '{':
		l.value(0, l.limit)
		d := &document{text: l.Buf, base: l.base}
		return d.notAnObject()
	}
	l.head.base = l.base
	l.Pos = 1
	for c := l.peek(); c == '"'; c = l.peek() {
		from, at := l.Pos, l.here()
		if l.value(from, l.limit) > 0 {
			return l.tooLarge()
		}
		items := isItems(l.Buf[from:l.Pos])
		if items && l.head.cut > 0 {
			return failed(at, runtime.ErrDuplicateField, "items",
				`the list has another field "items" here, which would replace the items that were read`)
		}
		if l.peek() != ':' {
			break
		}
		l.Pos++
		if c := l.peek(); items && c == '[' {
			if err := l.items(); err != nil {
				return err
			}
		} else if l.value(l.Pos, l.limit) > 0 {
			return l.tooLarge()
		}
		if l.keep(); len(l.head.text) > l.limit {
			return l.tooLarge()
		}
		if l.peek() != ',' {
			break
		}
		l.Pos++
	}
	// Whatever is wrong with the syntax is found out by decoding.
	if l.peek() == '}' {
		l.Pos++
		l.keep()
		if l.peek(); !l.ended() {
			return l.fail(runtime.ErrSyntax, "unexpected text behind the list")
		}
	} else {
		l.Pos = len(l.Buf)
		l.keep()
	}
	if l.Err() != nil {
		return l.Err()
	}
	if !l.yield(format.ListPart{Head: &l.head}, nil) {
		return errStopped
	}
	return nil
}

// isItems reports whether the name of a member, in its quotes, is that of the items.
func isItems(name []byte) bool {
	return string(name) == `"items"` || bytes.IndexByte(name, '\\') > 0 &&
		jsonwire.NewReader(name, jsonwire.Options{}).String("") == "items"
}

func (l *listReader) tooLarge() error {
	return &runtime.DecodeError{Problems: []runtime.Problem{located.Exceeded(l.here(), "", located.LargeHead(l.limit))}}
}

// keep moves what was read into the text of the head.
func (l *listReader) keep() {
	l.head.text = append(l.head.text, l.Buf[:l.Pos]...)
	l.drop()
}

// items yields the items; the next byte is the opening bracket.
func (l *listReader) items() error {
	l.Pos++
	l.keep()
	apiVersion, kind, _ := jsonwire.SniffType(l.head.text)
	early := apiVersion == "" || kind == "" // the items come before the type
	l.head.cut = len(l.head.text)
	for i, c := 0, l.peek(); c != ']'; i++ {
		if c == 0 || c == ',' || c == '}' || c == ':' {
			return l.broken("a value")
		}
		l.drop()
		d := &document{base: l.base}
		part := format.ListPart{Item: d, Head: &l.head}
		var err error
		if n := l.value(0, l.limit); n > 0 {
			large := located.Exceeded(d.base, schema.NewPath("items").Index(i).String(), located.LargeItem(n, l.limit))
			part.Item, err = nil, &runtime.DecodeError{Problems: []runtime.Problem{large}}
		} else if d.text = l.Buf[:l.Pos:l.Pos]; string(d.text) == "null" {
			d.text = []byte("{}") // as a null among the items of a list that is decoded as a whole
		} else if early {
			d.text = bytes.Clone(d.text)
		}
		if l.Err() != nil {
			return l.Err()
		}
		if !l.yield(part, err) {
			return errStopped
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

// broken is the error for a text that goes on with something else than it must.
func (l *listReader) broken(want string) error {
	switch {
	case l.Pos < len(l.Buf):
		return l.fail(runtime.ErrSyntax, "unexpected character %q, expected %s", rune(l.Buf[l.Pos]), want)
	case l.Err() != nil:
		return l.Err()
	}
	return l.fail(runtime.ErrSyntax, "unexpected end of text, expected %s", want)
}

// fail is the error for the next byte.
func (l *listReader) fail(cause error, format string, args ...any) error {
	return failed(l.here(), cause, "", format, args...)
}

func failed(at schema.Position, cause error, path, format string, args ...any) error {
	return &runtime.DecodeError{Problems: []runtime.Problem{{
		Position: at, Path: path, Cause: cause,
		Message: fmt.Sprintf(format, args...),
	}}}
}
