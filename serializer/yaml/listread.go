package yaml

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/listing"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// readList reads a list and yields its items, each as soon as its lines have been read, and then
// the list without them. One item is in memory at a time if the list has the common form: items in
// block style below a line "items:". Some texts must be read as a whole: a list in flow style, with
// directives, or with anchors before the items. These are detected at the first item. An item that
// has an anchor, which later text may refer to, or that is malformed, is detected when it is read.
// From that point on the rest of the text is read into memory, up to the size limit of a document.
// The yielded values are the same.
//
// An item that exceeds the limit is yielded as an error. It is in memory nevertheless, because its
// end is known only after it has been read.
func (s *codec) readList(r io.Reader, o format.ListReadOptions) iter.Seq2[format.ListPart, error] {
	limits := parsing(o.Limits.Or(s.limits))
	return listing.Read(r, limits, func(r *listing.Reader) error {
		l := listReader{Reader: r, base: located.Start, limits: limits}
		return l.read()
	})
}

// listReader reads one list.
type listReader struct {
	*listing.Reader
	base   schema.Position // of Buf[0], the start of a line
	limits schema.Limits

	// These are set when the first item is found.

	text    []byte    // the text before the items, and a placeholder for the items already read
	head    *document // the document without the items
	early   bool      // whether the items precede the type
	scanner scanner
}

// parsed are the options for JSON converted from a text that is within the limits. Limits for the
// content of an item apply when it is decoded.
var parsed = jsonwire.Options{Annotated: true, Limits: schema.Limits{
	Depth: math.MaxInt, Items: math.MaxInt,
	Number: math.MaxInt,
}}

// The text around the items is parsed with a placeholder for the items already read.
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
// and truncated if it exceeds the memory limit.
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

// content returns the column in which the content of a line begins, and the line from there on. The
// text is nil if the line is blank or a comment; the line may then still be part of a scalar.
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

// full reports whether the text that has been consumed but is still needed exceeds the memory
// limit.
func (l *listReader) full() bool { return l.Pos > l.limits.Size }

// start moves to the first item and returns the column of the hyphens. ok is false if the text does
// not have the common form; no text has been dropped then.
func (l *listReader) start() (column int, ok bool) {
	const items = "items:"
	below := false // whether this is the first line with content below "items:"
	for line := l.line(); len(line) > 0 && !l.full(); line = l.line() {
		switch column, text := content(line); {
		case text == nil:
		case below && isElement(text):
			return column, l.begin(column)
		case column == 0 && text[0] == '%':
			return 0, false // directives define the meaning of tags
		default:
			below = column == 0 && bytes.HasPrefix(text, []byte(items)) &&
				!hasContent(bytes.TrimRight(text[len(items):], "\r\n"))
		}
		l.Pos += len(line)
	}
	return 0, false
}

// begin reads the text before the items and reports whether the line "items:" is what it seems: a
// line that looks like a key may be part of a scalar.
func (l *listReader) begin(column int) bool {
	text := make([]byte, 0, l.Pos+column+len(standIn))
	text = append(text, l.Buf[:l.Pos]...)
	text = append(text, bytes.Repeat([]byte{' '}, column)...)
	text = append(text, standIn...)
	s := newSource(text, l.limits)
	found := slices.Collect(s.segments)
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
	l.drop()
	return true
}

// alone reads a document that is self-contained: later text cannot refer to it. It returns nil for
// any other one.
func (l *listReader) alone(s *source, seg segment) *document {
	if useFast {
		if a, ok := l.scanner.scan(s.text, seg, false); ok {
			return &document{source: s, segment: seg, annotated: a}
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

// hasOtherBreaks reports whether a text has line breaks other than line feeds.
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

// drop discards the lines before the next one.
func (l *listReader) drop() {
	l.base.Offset += l.Pos
	l.base.Line += bytes.Count(l.Buf[:l.Pos], []byte{'\n'})
	l.Drop()
}

// items yields the items whose hyphens are in a column, up to text that has to be read in another
// way.
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
			if l.Pos = 0; l.Index == 0 {
				l.text = l.text[:len(l.text)-column-len(standIn)] // there are no items to replace
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

// lines moves to the line after the next item and reports whether that line begins another item.
// Only a line deeper than the hyphen can continue an item, with two exceptions that the library
// accepts against the rules. One is text in quotes or brackets, a part of which is not an item. The
// other is a value in the column of a hyphen that nothing follows: open reports whether such a
// value may follow.
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

// item reads the lines before the next one, as a list of one element. It returns nil for text that
// is not an item, or cannot be read by itself.
func (l *listReader) item() *document {
	text := l.Buf[:l.Pos:l.Pos]
	if l.early {
		text, l.scanner.json = bytes.Clone(text), nil
	}
	limits := l.limits
	limits.Depth-- // the list is in an object
	d := l.alone(&source{text: text, limits: limits}, segment{to: len(text), base: l.base})
	// the scanner, which records no marks, recognizes the same lines as this reader
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

// give yields the item at d.json[from:to].
func (l *listReader) give(d *document, from, to int, head *document) error {
	item := d.part(from, to)
	if item.json[0] != '{' && jsonwire.NewReader(item.json, parsed).Null() {
		item.json = []byte("{}") // like a null item of a list that is decoded as a whole
	}
	if n := len(item.json); n > l.Limit {
		return l.Give(head, nil, located.Failure(d.source.exceeded(d.segment, item.text(0), l.LargeItem(n))))
	}
	return l.Give(head, item, nil)
}

// rest reads the remaining text, together with the text before the items.
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
		return located.Failure(&p)
	}
	text := l.Buf
	if l.text != nil {
		text = append(l.text, l.Buf...)
	}
	s := newSource(text, l.limits)
	if l.Index > 0 {
		s.cut, s.after = len(l.text), l.base
	}
	var list *document
	for doc, err := range s.documents() {
		if d, ok := doc.(*document); ok && list != nil {
			err = d.second(" list")
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

// parts yields the parts of the list in a document, without the items already yielded.
func (l *listReader) parts(d *document) error {
	if err := l.replaced(d); err != nil {
		return err
	}
	from, to := d.items()
	if from == to {
		return l.End(d)
	}
	head := d.withoutItems(from, to)
	r := jsonwire.NewReader(d.json[from:to], parsed)
	standIn := l.Index > 0
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
	if e, ok := errors.AsType[*jsonwire.Error](r.Err()); ok {
		return located.Failure(d.problem(from+e.Offset, runtime.CauseOf(e.Code), e.Message))
	}
	return l.End(head)
}

// replaced returns an error for a list that has a second field "items" after the one whose items
// were yielded. The last one would replace them.
func (l *listReader) replaced(d *document) error {
	if l.Index == 0 {
		return nil
	}
	for _, dup := range d.duplicates {
		if dup.name == "items" && dup.in == nil && jsonwire.PathAt(d.json, dup.json).String() == "items" {
			p := d.source.problem(d.segment, dup.text, runtime.ErrDuplicateField, listing.Repeated)
			p.Path = "items"
			return located.Failure(p)
		}
	}
	return nil
}

// items returns the range of the list of items in the JSON text, with its brackets, or 0 and 0 if
// the list has no items.
func (d *document) items() (from, to int) {
	start, end, ok := jsonwire.OffsetOf(d.json, schema.NewPath("items"))
	if !ok || d.json[start] != '[' {
		return 0, 0
	}
	return start, end
}

// withoutItems returns the list without its items, which are json[from:to] with their brackets.
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
			continue // it belongs to an item
		}
		head.duplicates = append(head.duplicates, dup)
	}
	return head
}

// part returns the value at json[from:to] as a document of its own.
func (d *document) part(from, to int) *document {
	p := &document{source: d.source, segment: d.segment, whole: d, from: from}
	p.json = d.json[from:to:to]
	first := sort.Search(len(d.duplicates), func(i int) bool { return d.duplicates[i].json >= from })
	for _, dup := range d.duplicates[first:] {
		if dup.json >= to {
			break
		}
		dup.json -= from
		p.duplicates = append(p.duplicates, dup)
	}
	return p
}
