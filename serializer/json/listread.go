package json

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/serializer/jsonwire"
)

// readAt is how much is asked of a reader at once.
const readAt = 32 << 10

// input is a text that is read as it is needed, and kept no longer.
type input struct {
	r    io.Reader
	buf  []byte          // what has been read and is still needed
	pos  int             // the next byte of it
	base schema.Position // of buf[0]
	err  error           // of the reader, io.EOF at the end
}

// more reads on and reports whether there was anything.
func (in *input) more() bool {
	for empty := 0; in.err == nil; empty++ {
		if cap(in.buf)-len(in.buf) < readAt/4 {
			grown := make([]byte, len(in.buf), max(len(in.buf)+len(in.buf)/2, readAt))
			copy(grown, in.buf)
			in.buf = grown
		}
		n, err := in.r.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf, in.err = in.buf[:len(in.buf)+n], err
		switch {
		case n > 0:
			return true
		case err == nil && empty > 100:
			in.err = io.ErrNoProgress
		}
	}
	return false
}

// ended reports whether there is nothing more behind the white space that was just skipped.
func (in *input) ended() bool { return in.pos == len(in.buf) }

// failed returns the error that kept the text from being read to its end.
func (in *input) failed() error {
	if in.err == io.EOF {
		return nil
	}
	return in.err
}

// drop forgets what comes before the next byte.
func (in *input) drop() {
	in.base = after(in.base, in.buf[:in.pos])
	in.buf = in.buf[:copy(in.buf, in.buf[in.pos:])]
	in.pos = 0
	if cap(in.buf) > 4*readAt && len(in.buf) < readAt {
		in.buf = append(make([]byte, 0, readAt), in.buf...)
	}
}

// after returns the place behind a text that begins at a place. Unlike schema.PositionOf it goes by bytes, so the text may end inside of a
// character.
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
func (in *input) here() schema.Position { return after(in.base, in.buf[:in.pos]) }

// peek returns the next byte that is no white space, 0 at the end.
func (in *input) peek() byte {
	for {
		if in.pos = skipSpace(in.buf, in.pos); in.pos < len(in.buf) {
			return in.buf[in.pos]
		}
		if !in.more() {
			return 0
		}
	}
}

// value goes over the value that begins with the next byte. If it is larger than the limit its bytes are dropped on the way. The
// text is buf[from:pos]; at the end of the input it may be a part of a value.
func (in *input) value(from, limit int) (tooLarge bool) {
	var s scanner
	for {
		n, done := s.next(in.buf[in.pos:])
		in.pos += n
		if tooLarge = tooLarge || in.pos-from > limit; tooLarge {
			in.drop()
			from = 0
		}
		if done || !in.more() {
			return tooLarge
		}
	}
}

// listReader reads one list.
type listReader struct {
	input
	limit int
	yield func(runtime.ListPart, error) bool
	head  document
}

// ReadList reads a list and yields its items, each as a document as soon as it is there, and then the list without them. An item that is larger
// than the limit is yielded as an error, and the next one read. An error of r, and one that leaves unclear where the next item begins, is
// the last that is yielded. A text that is no list is yielded as the last part, with all that it holds.
func (*Serializer) ReadList(r io.Reader, o runtime.ListReadOptions) iter.Seq2[runtime.ListPart, error] {
	return func(yield func(runtime.ListPart, error) bool) {
		l := &listReader{input: input{r: r, base: located.Start}, limit: o.MaxItem, yield: yield}
		if err := l.read(); err != nil && !errors.Is(err, errStopped) {
			yield(runtime.ListPart{}, err)
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

func (l *listReader) read() error {
	for len(l.buf) < len(byteOrderMark) && l.more() {
	}
	l.pos = start(l.buf)
	l.drop()
	l.base.Column = 1 // a byte order mark has no column
	c := l.peek()
	l.drop()
	switch {
	case l.failed() != nil:
		return l.err
	case l.ended():
		return nil
	case c != '{':
		l.value(0, l.limit)
		d := &document{text: l.buf, base: l.base}
		return d.notAnObject()
	}
	l.head.base = l.base
	l.pos = 1
	for c := l.peek(); c == '"'; c = l.peek() {
		from := l.pos
		if l.value(from, l.limit) {
			return l.tooLarge()
		}
		items := l.head.cut == 0 && string(l.buf[from:l.pos]) == `"items"`
		if l.peek() != ':' {
			break
		}
		l.pos++
		if c := l.peek(); items && c == '[' {
			if err := l.items(); err != nil {
				return err
			}
		} else if l.value(l.pos, l.limit) {
			return l.tooLarge()
		}
		if l.keep(); len(l.head.text) > l.limit {
			return l.tooLarge()
		}
		if l.peek() != ',' {
			break
		}
		l.pos++
	}
	// Whatever is wrong with the syntax is found out by decoding.
	if l.peek() == '}' {
		l.pos++
		l.keep()
		if l.peek(); !l.ended() {
			return l.fail(runtime.ErrSyntax, "unexpected text behind the list")
		}
	} else {
		l.pos = len(l.buf)
		l.keep()
	}
	if l.failed() != nil {
		return l.err
	}
	if !l.yield(runtime.ListPart{Head: &l.head}, nil) {
		return errStopped
	}
	return nil
}

func (l *listReader) tooLarge() error {
	return l.fail(runtime.ErrLimit, "the list without its items is larger than %d bytes", l.limit)
}

// keep moves what was read into the text of the head.
func (l *listReader) keep() {
	l.head.text = append(l.head.text, l.buf[:l.pos]...)
	l.drop()
}

// items yields the items; the next byte is the opening bracket.
func (l *listReader) items() error {
	l.pos++
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
		part := runtime.ListPart{Item: d, Head: &l.head}
		var err error
		if l.value(0, l.limit) {
			part.Item, err = nil, failed(d.base, runtime.ErrLimit, schema.NewPath("items").Index(i).String(), "the item is larger than %d bytes", l.limit)
		} else if d.text = l.buf[:l.pos:l.pos]; string(d.text) == "null" {
			d.text = []byte("{}") // as a null among the items of a list that is decoded as a whole
		} else if early {
			d.text = bytes.Clone(d.text)
		}
		if l.failed() != nil {
			return l.err
		}
		if !l.yield(part, err) {
			return errStopped
		}
		switch c = l.peek(); c {
		case ',':
			l.pos++
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
	l.pos = 1
	return nil
}

// broken is the error for a text that goes on with something else than it must.
func (l *listReader) broken(want string) error {
	switch {
	case l.pos < len(l.buf):
		return l.fail(runtime.ErrSyntax, "unexpected character %q, expected %s", rune(l.buf[l.pos]), want)
	case l.failed() != nil:
		return l.err
	}
	return l.fail(runtime.ErrSyntax, "unexpected end of text, expected %s", want)
}

// fail is the error for the next byte.
func (l *listReader) fail(cause error, format string, args ...any) error {
	return failed(l.here(), cause, "", format, args...)
}

func failed(at schema.Position, cause error, path, format string, args ...any) error {
	return &runtime.DecodeError{Problems: []runtime.Problem{{Position: at, Path: path, Cause: cause, Message: fmt.Sprintf(format, args...)}}}
}
