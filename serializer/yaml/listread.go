package yaml

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// readList reads a list and yields its items, each as soon as its lines are there, and then the
// list without them. The text of one item is in memory at a time if the list is written as most
// are: items in block style below a line that says "items:". Some texts can be understood as a
// whole only: a list in flow style, one with directives, anchors in front of the items. That is
// found out when the first item comes; and of an item that has an anchor, which may be meant
// anywhere behind it, or that is broken, when it comes. From there on the rest of the text is in
// memory, up to as many bytes as a document may have at most. What is yielded is the same.
//
// An item that is larger than the limit is yielded as an error. Where it ends is known when it was
// read, so it is in memory even so.
func (s *codec) readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	return func(yield func(format.ListPart, error) bool) {
		l := &listReader{Input: input.New(r), base: located.Start, limits: parsing(o.Limits.Or(s.limits)), yield: yield}
		if err := l.read(); err != nil && !errors.Is(err, errStopped) {
			yield(format.ListPart{}, err)
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// listReader reads one list.
type listReader struct {
	*input.Input
	base   schema.Position // of Buf[0], where a line begins
	limits schema.Limits
	yield  func(format.ListPart, error) bool
	index  int // of the next item

	// When the first item is found, these are set.

	text    []byte    // what comes before the items, and a stand-in for those that were read
	head    *document // that without the items
	early   bool      // the items come before the type
	scanner scanner
}

// parsed are the options for JSON that was made from a text within the limits. Those for what is in
// an item hold when that is decoded.
var parsed = jsonwire.Options{Annotated: true, Limits: schema.Limits{
	Depth: math.MaxInt, Items: math.MaxInt,
	Number: math.MaxInt,
}}

// In the place of the items that were read, what is around them is read with one that says nothing.
const (
	standIn     = "- ~\n"
	standInJSON = "\x01\"~\"" // plainMark, and the text
)

func (l *listReader) read() error {
	if column, ok := l.start(); ok {
		if err := l.items(column); err != nil {
			return err
		}
	}
	return l.rest()
}

// line returns the next line, with its break if it has one. It is empty at the end of the input,
// and cut off if it is longer than all that may be in memory.
func (l *listReader) line() []byte {
	for seen := l.Pos; ; {
		if i := bytes.IndexByte(l.Buf[seen:], '\n'); i >= 0 {
			return l.Buf[l.Pos : seen+i+1]
		}
		if seen = len(l.Buf); seen-l.Pos > l.limits.Size || !l.More() {
			return l.Buf[l.Pos:]
		}
	}
}

// content returns the column in which the content of a line begins, and the line from there on.
// There is none if it is blank or a comment; the line may then still be a part of a scalar.
func content(line []byte) (column int, text []byte) {
	text = bytes.TrimLeft(line, " ")
	if len(text) == 0 || text[0] == '\n' || text[0] == '\r' || text[0] == '#' {
		return 0, nil
	}
	return len(line) - len(text), text
}

// isElement reports whether the content of a line is an element of a list.
func isElement(text []byte) bool {
	return text[0] == '-' && (len(text) == 1 || text[1] == ' ' || text[1] == '\n' || text[1] == '\r')
}

// full reports whether what was looked at, and is still needed, is more than may be in memory.
func (l *listReader) full() bool { return l.Pos > l.limits.Size }

// start goes to the first item and returns the column of the hyphens. ok is false if the text is
// not written in the usual way; nothing of it was dropped then.
func (l *listReader) start() (column int, ok bool) {
	const items = "items:"
	below := false // this line is the first one with content below that of the items
	for line := l.line(); len(line) > 0 && !l.full(); line = l.line() {
		switch column, text := content(line); {
		case text == nil:
		case below && isElement(text):
			return column, l.begin(column)
		case column == 0 && text[0] == '%':
			return 0, false // what tags mean is up to directives
		default:
			below = column == 0 && bytes.HasPrefix(text, []byte(items)) &&
				!hasContent(bytes.TrimRight(text[len(items):], "\r\n"))
		}
		l.Pos += len(line)
	}
	return 0, false
}

// begin reads what comes before the items and reports whether it is what it seems to be: a line
// that looks like a key may stand in a text.
func (l *listReader) begin(column int) bool {
	text := make([]byte, 0, l.Pos+column+len(standIn))
	text = append(text, l.Buf[:l.Pos]...)
	text = append(text, bytes.Repeat([]byte{' '}, column)...)
	text = append(text, standIn...)
	s := newSource(text)
	s.limits = l.limits
	var found []segment
	s.segments(func(seg segment) bool {
		found = append(found, seg)
		return true
	})
	if len(found) != 1 {
		return false
	}
	d := l.alone(s, found[0])
	if d == nil || len(d.duplicates) > 0 {
		return false
	}
	from, to := d.items()
	if string(d.json[from:to]) != "["+standInJSON+"]" {
		return false
	}
	l.text, l.head = text, d.withoutItems(from, to)
	apiVersion, kind, _ := l.head.Type()
	l.early = apiVersion == "" || kind == ""
	l.scanner.json = nil
	l.drop()
	return true
}

// alone reads a document that stands for itself: nothing behind it can refer to what is in it. It
// returns nil for any other one.
func (l *listReader) alone(s *source, seg segment) *document {
	if useFast {
		if a, ok := l.scanner.scan(s.text, seg, false); ok {
			return newDocument(s, seg, a)
		}
	}
	if hasOtherBreaks(s.text) {
		return nil
	}
	d, _ := readSlow(s, seg)
	if d == nil || d.anchors || len(d.problems) > 0 {
		return nil
	}
	return d
}

// hasOtherBreaks reports whether a text has lines that who looks for line feeds does not see.
func hasOtherBreaks(text []byte) bool {
	if bytes.Count(text, []byte{'\r'}) != bytes.Count(text, []byte("\r\n")) {
		return true
	}
	for _, c := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(c)) {
			return true
		}
	}
	return false
}

// drop forgets the lines that come before the next one.
func (l *listReader) drop() {
	l.base.Offset += l.Pos
	l.base.Line += bytes.Count(l.Buf[:l.Pos], []byte{'\n'})
	l.Drop()
}

// items yields the items whose hyphens are in a column, up to what has to be read in another way.
func (l *listReader) items(column int) error {
	for more := true; more; {
		var open bool
		more, open = l.lines(column)
		if l.Err() != nil && l.Pos == len(l.Buf) {
			return l.Err()
		}
		var d *document
		if !l.full() {
			d = l.item()
		}
		if d == nil || open && d.json[1] != '{' && d.json[1] != '[' {
			if l.Pos = 0; l.index == 0 {
				l.text = l.text[:len(l.text)-column-len(standIn)] // there is nothing to stand in for
			}
			return nil
		}
		if err := l.give(d, 1, len(d.json)-1, l.head); err != nil {
			return err
		}
		l.drop()
	}
	return nil
}

// lines goes to the line behind the next item and reports whether that is one more. Nothing that is
// not deeper than the hyphen can go on with an item, but for what the library takes in spite of the
// rules. One is text in quotes or brackets, of which a part is not an item; the other is a value in
// the column of the hyphen behind which there is none: open says that one may stand there.
func (l *listReader) lines(column int) (more, open bool) {
	l.Pos = len(l.line())
	for line := l.line(); len(line) > 0 && !l.full(); line = l.line() {
		if at, text := content(line); text != nil && at <= column && text[0] != '\t' {
			more = at == column && isElement(text)
			return more, at == column && !more
		}
		l.Pos += len(line)
	}
	return false, false
}

// item reads the lines before the next one, as a list of one element. It returns nil for what is
// none, or cannot be read by itself.
func (l *listReader) item() *document {
	text := l.Buf[:l.Pos:l.Pos]
	if l.early {
		text, l.scanner.json = bytes.Clone(text), nil
	}
	limits := l.limits
	limits.Depth-- // the list is in an object
	d := l.alone(&source{text: text, limits: limits}, segment{to: len(text), base: l.base})
	// the scanner, which keeps no marks, sees the lines that are seen here
	if d == nil || d.marks != nil && !d.hasOneElement() {
		return nil
	}
	return d
}

// hasOneElement reports whether the document is a list of one element.
func (d *document) hasOneElement() bool {
	r := jsonwire.NewReader(d.json, parsed)
	if !r.Array() {
		return false
	}
	r.Skip()
	return !r.NextElem() && r.Err() == nil
}

// give yields the item that stands at d.json[from:to].
func (l *listReader) give(d *document, from, to int, head *document) error {
	item := d.part(from, to)
	if item.json[0] != '{' && jsonwire.NewReader(item.json, parsed).Null() {
		item.json = []byte("{}") // as a null among the items of a list that is decoded as a whole
	}
	part, err := format.ListPart{Item: item, Head: head}, error(nil)
	if n := len(item.json); n > l.limits.Item {
		p := d.source.exceeded(d.segment, item.text(0), located.LargeItem(n, l.limits.Item))
		p.Path = schema.NewPath("items").Index(l.index).String()
		part.Item, err = nil, &runtime.DecodeError{Problems: []runtime.Problem{p}}
	}
	l.index++
	if !l.yield(part, err) {
		return errStopped
	}
	return nil
}

// rest reads what is left of the text, with what came before the items.
func (l *listReader) rest() error {
	most := l.limits.Size
	for len(l.text)+len(l.Buf) <= most && l.More() {
	}
	switch {
	case l.Err() != nil:
		return l.Err()
	case len(l.text)+len(l.Buf) > most:
		p := located.Exceeded(located.Start, "", &schema.LimitError{
			Limit: "Size", What: "the document", Unit: "bytes",
			Max: most,
		})
		return &runtime.DecodeError{Problems: []runtime.Problem{p}}
	}
	text := l.Buf
	if l.text != nil {
		text = append(l.text, l.Buf...)
	}
	s := newSource(text)
	s.limits = l.limits
	if l.index > 0 {
		s.cut, s.after = len(l.text), l.base
	}
	var list *document
	for doc, err := range s.documents() {
		if d, ok := doc.(*document); ok && list != nil {
			p := s.problem(d.segment, d.text(0), runtime.ErrSyntax,
				"a second document begins here, expected one list only")
			err = &runtime.DecodeError{Problems: []runtime.Problem{p}}
		} else if ok {
			list = d
		}
		if err != nil {
			return err
		}
	}
	if list == nil {
		return nil
	}
	return l.parts(list)
}

// parts yields the parts of the list that a document is, without the items that were read before.
func (l *listReader) parts(d *document) error {
	if err := l.replaced(d); err != nil {
		return err
	}
	from, to := d.items()
	if from == to {
		return l.last(d)
	}
	head := d.withoutItems(from, to)
	r := jsonwire.NewReader(d.json[from:to], parsed)
	standIn := l.index > 0
	for more := r.Array(); more; more = r.NextElem() {
		start := from + r.Offset()
		r.Skip()
		if standIn {
			standIn = false
			continue
		}
		if err := l.give(d, start, from+r.Offset(), head); err != nil {
			return err
		}
	}
	if wire, ok := errors.AsType[*jsonwire.Error](r.Err()); ok {
		return &runtime.DecodeError{Problems: []runtime.Problem{d.source.problem(d.segment, d.text(from+wire.Offset),
			runtime.CauseOf(wire.Code), "%s", wire.Message)}}
	}
	return l.last(head)
}

// replaced is the error for a list that has a second list of items behind the one whose items were
// read. The last one would be that of the list.
func (l *listReader) replaced(d *document) error {
	if l.index == 0 {
		return nil
	}
	for _, dup := range d.duplicates {
		if dup.name == "items" && dup.path(d.json).String() == "items" {
			p := d.source.problem(d.segment, dup.text, runtime.ErrDuplicateField,
				`the list has another field "items" here, which would replace the items that were read`)
			p.Path = "items"
			return &runtime.DecodeError{Problems: []runtime.Problem{p}}
		}
	}
	return nil
}

// last yields the last part.
func (l *listReader) last(head *document) error {
	if !l.yield(format.ListPart{Head: head}, nil) {
		return errStopped
	}
	return nil
}

// items returns where the list of items stands in the JSON text, with its brackets; 0 and 0 if
// there is none.
func (d *document) items() (from, to int) {
	start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("items"))
	if !ok || d.json[start] != '[' {
		return 0, 0
	}
	return start, end
}

// withoutItems is the list without its items, which are json[from:to] with their brackets.
func (d *document) withoutItems(from, to int) *document {
	head := d.part(0, len(d.json))
	head.json = append(append(make([]byte, 0, from+2+len(d.json)-to), d.json[:from+1]...), d.json[to-1:]...)
	head.cut, head.gap = from+1, to-from-2
	head.problems = d.problems
	head.duplicates = nil
	for _, dup := range d.duplicates {
		switch {
		case dup.json >= to:
			dup.json -= head.gap
		case dup.json >= from:
			continue // it is that of an item
		}
		head.duplicates = append(head.duplicates, dup)
	}
	return head
}

// part is the value at json[from:to] as a document of its own.
func (d *document) part(from, to int) *document {
	p := newDocument(d.source, d.segment, annotated{json: d.json[from:to:to]})
	p.whole, p.from = d, from
	for _, dup := range d.duplicates {
		if from <= dup.json && dup.json < to {
			dup.json -= from
			p.duplicates = append(p.duplicates, dup)
		}
	}
	return p
}
