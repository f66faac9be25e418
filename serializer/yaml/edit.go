package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Change is one change of a text, see [Edit].
type Change struct {
	_ struct{} // literals name their fields

	// Document is the index of the document to change, from 0. Documents that contain only comments
	// do not count. The index after the last document writes a new one at the end of the text.
	Document int
	// Path is the value to change, such as spec.containers[2].image or metadata.labels[app]. A
	// blank path is the whole document. Missing members are added, with the mappings around them.
	// The index after the last element of a list appends an element.
	Path string
	// Value is the new value in JSON; nil removes the member or element.
	Value []byte
	// DropComments permits the loss of comments inside values that are replaced or removed.
	DropComments bool
}

// EditError reports why a text cannot be edited. Find it with errors.AsType[*yaml.EditError](err).
type EditError struct {
	_ struct{} // literals name their fields

	// Path is the place of the failed change, and Position its position in the text. The position
	// is zero if the path does not exist in the text.
	Path     string
	Position schema.Position
	// Err is the reason. It is [ErrComment] if a comment would be lost.
	Err error
}

// Error returns "yaml: 7:13: spec.replicas: …".
func (e *EditError) Error() string {
	text := "yaml: "
	if e.Position.Line > 0 {
		text += e.Position.String() + ": "
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + fmt.Sprint(e.Err)
}

// Unwrap returns the reason.
func (e *EditError) Unwrap() error { return e.Err }

// ErrComment is the reason of an [EditError] if a comment would be lost.
var ErrComment = errors.New("a comment would be lost")

// Edit returns a copy of a text with some values changed. Everything else is preserved, byte for
// byte: comments, order, quotes, indentation, and other documents.
//
// A change may cover the whole document: only values that differ are rewritten. Mappings are
// compared by key; new members are added after the others. Elements of lists are matched if they
// are equal, then if they are mappings with the same member name, then in their order. Values in
// flow style, in braces and brackets, stay in flow style, and a document in JSON stays JSON. New
// lines have the line ending of the first line of the text: LF or CR LF. The changes of a document
// are made at once, so that thousands take little longer than one.
//
// An entry that is removed at one place and added at exactly one other, with the same name and
// value, moves as it is written, with the comments on its lines and directly above it: a member
// that is nested deeper or less deep, an element of a list in another order. Without the name, a
// value moves within its mapping: the key of the member is renamed in place, or a string, list or
// mapping moves into a new member or out of a removed one, such as the value that becomes the only
// element of a new list. Entries inside braces and brackets do not move: they are written anew.
//
// Any other comment inside a value that is replaced or removed cannot be kept; that is an error
// unless the change permits it. The comment after a single value, and those above it, are kept. A
// value that cannot be changed without changing another place is an error too: an alias, a member
// that comes from a merge key, a key that occurs twice. The error is an [*EditError], or a
// [*runtime.DecodeError] for text that cannot be read. On error no change is made.
func Edit(text []byte, changes ...Change) ([]byte, error) {
	s := newSource(text, parsing(schema.Limits{}))
	if s.wide || hasOtherBreaks(text) {
		return nil, &EditError{Err: errors.New("the text must be UTF-8 with line feeds at the ends of lines")}
	}
	order := make([]*Change, len(changes))
	last := -1 // the last document that changes
	for i := range changes {
		order[i] = &changes[i]
		last = max(last, changes[i].Document)
	}
	sorted.Func(order, func(a, b *Change) int { return a.Document - b.Document })
	var documents []*stretch
	end := 0
	for seg := range s.segments {
		if d, problem := read(s, seg); d != nil || problem != nil {
			documents = append(documents, &stretch{text[end:seg.from], text[seg.from:seg.to], seg.base})
			end = seg.to
		}
		if len(documents) > last {
			break
		}
	}
	crlf, count, rest := bytes.HasSuffix(text[:lineEnd(text, 0)], []byte("\r\n")), len(documents), text[end:]
	for len(order) > 0 {
		first, n := order[0], 1
		for n < len(order) && order[n].Document == first.Document && order[n].DropComments == first.DropComments {
			n++
		}
		var err error
		switch i := first.Document; {
		case i < 0 || i > len(documents):
			err = &EditError{Path: first.Path, Err: fmt.Errorf("document %d does not exist; the text has %d", i, count)}
		case i < len(documents):
			err = documents[i].edit(order[:n], crlf)
		default:
			d := &stretch{before: rest}
			if i > 0 {
				err = documents[i-1].endLine(crlf)
				d.text = documents[i-1].text
			}
			if err == nil {
				err = d.begin(order[:n], crlf)
			}
			documents, rest = append(documents, d), nil
		}
		if err != nil {
			return nil, err
		}
		order = order[n:]
	}
	var out []byte
	for _, d := range documents {
		out = append(append(out, d.before...), d.text...)
	}
	return append(out, rest...), nil
}

// stretch is a document and the text between it and the document before.
type stretch struct {
	before, text []byte
	base         schema.Position // of the document in the user's text
}

// endLine ends the last line of the document. A text in a block that ends there gets the line break
// too, so it is edited to keep its value.
func (d *stretch) endLine(crlf bool) error {
	if bytes.HasSuffix(d.text, []byte("\n")) {
		return nil
	}
	object, err := ToJSON(d.text)
	if err != nil {
		return err
	}
	d.text = append(bytes.Clone(d.text), lineBreaks("\n", crlf)...)
	return d.edit([]*Change{{Value: object}}, crlf)
}

// begin makes d a new document, given the text of the document before, or nil, and the text after
// that. If a document without content begins there, it is this one.
func (d *stretch) begin(changes []*Change, crlf bool) (err error) {
	var data any
	for _, c := range changes {
		if data, err = c.put(data); err != nil {
			return err
		}
	}
	begun, before := d.text == nil, string(d.before)
	for line := range strings.Lines(before) { // marks, directives, comments
		switch line[0] {
		case '-':
			begun = true
		case '.', '%':
			begun = false
		}
	}
	lines := ""
	if text := strings.TrimPrefix(string(d.text)+before, "\uFEFF"); text != "" && !strings.HasSuffix(text, "\n") {
		lines = "\n"
	}
	if !begun {
		lines += "---\n"
	}
	before += lineBreaks(lines, crlf)
	text := lineBreaks(written(data), crlf)
	d.before, d.text = []byte(before), []byte(text)
	_, err = ToJSON([]byte(before + text)) // there may be wrong directives
	return err
}

// maxRounds bounds how often a document is planned for the same changes.
const maxRounds = 8

// edit changes some values of the document, all at once. Another round is needed only if that also
// changes other places, where aliases and merge keys refer to the values.
func (d *stretch) edit(changes []*Change, crlf bool) error {
	e, err := open(d.text, d.base)
	if err != nil {
		return err
	}
	data, err := decodeJSON(e.object)
	for i := 0; i < len(changes) && err == nil; i++ {
		data, err = changes[i].put(data)
	}
	if err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	is, err := parseValue(seed, e.object)
	if err != nil {
		return err
	}
	for round, move := 0, true; ; round++ {
		want := valueOf(seed, data) // a plan marks its parts
		if is.id == want.id {
			return nil
		}
		text, err := e.plan(seed, is, want, move).apply(changes[0].DropComments, crlf)
		if err != nil {
			return err
		}
		object, err := ToJSON(text)
		if d, ok := errors.AsType[*runtime.DecodeError](err); ok && len(d.Problems) > 0 {
			if move { // an alias may have moved before its anchor
				move = false
				continue
			}
			return unchangeable(changes, ": "+d.Problems[0].Message)
		}
		d.text = text
		was := is.id
		if is, err = parseValue(seed, object); err != nil || is.id == want.id {
			return err
		}
		first := e.document
		if e, err = open(d.text, d.base); err != nil {
			return err
		}
		if e.document = first; is.id == was || round == maxRounds {
			return unchangeable(changes, "")
		}
	}
}

// unchangeable returns the error for a document that has another value than it should.
func unchangeable(changes []*Change, reason string) error {
	err := &EditError{Err: errors.New("the surrounding text cannot be changed in parts" + reason)}
	if len(changes) == 1 {
		err.Path = changes[0].Path
	}
	return err
}
