package yaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Change is one change of a text, see [Edit].
type Change struct {
	_ struct{} // literals name their fields

	// Document is the index of the document to change, from 0. Documents that contain only comments
	// do not count.
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
// compared by key; new members are added after the others. Elements of lists that are removed, or
// inserted before others, leave those alone; other elements are compared by index. If a member is
// removed and one with an equal value is added, and no others have this value, the key is renamed
// in place. Values in flow style, in braces and brackets, stay in flow style, and a document in
// JSON stays JSON. New lines have the line ending of the first line of the text: LF or CR LF.
//
// A comment inside a value that is replaced or removed cannot be kept; that is an error unless the
// change permits it. The comment after a single value, and those above it, are kept. A value that
// cannot be changed without changing another place is an error too: an alias, a member that comes
// from a merge key, a key that occurs twice. The error is an [*EditError], or a
// [*runtime.DecodeError] for text that cannot be read. On error no change is made.
func Edit(text []byte, changes ...Change) ([]byte, error) {
	if s := newSource(text); s.wide || hasOtherBreaks(text) {
		return nil, &EditError{Err: errors.New("the text must be UTF-8 with line feeds at the ends of lines")}
	}
	for i := range changes {
		var err error
		if text, err = changes[i].apply(text); err != nil {
			return nil, err
		}
	}
	return bytes.Clone(text), nil
}

// maxEdited bounds the bytes that are parsed repeatedly for one change.
const maxEdited = 256 << 20

// apply makes one change in steps: each finds the first value that differs from the wanted one and
// corrects it. The result is therefore either correct or an error, for any layout of the text.
func (c *Change) apply(text []byte) ([]byte, error) {
	path, err := schema.ParsePath(c.Path)
	if err != nil {
		return nil, &EditError{Path: c.Path, Err: err}
	}
	e, err := c.open(text)
	if err != nil {
		return nil, err
	}
	want, err := e.wanted(path, c.Value)
	if err != nil {
		return nil, err
	}
	original := e
	for done := 0; !reflect.DeepEqual(e.value, want); {
		if done += len(text); done > maxEdited {
			return nil, e.fail(nil, -1, "too many differences; split the change, or write a new text")
		}
		if text, err = e.step(want); err != nil {
			return nil, err
		}
		last := e
		e, err = c.open(text)
		if d, ok := errors.AsType[*runtime.DecodeError](err); ok && len(d.Problems) > 0 {
			return nil, last.fail(path, -1, "the surrounding text cannot be changed in parts: %s", d.Problems[0].Message)
		}
		if err != nil || reflect.DeepEqual(e.value, last.value) {
			return nil, last.fail(path, -1, "the surrounding text cannot be changed in parts")
		}
	}
	if c.DropComments {
		return text, nil
	}
	kept := map[string]int{}
	for _, comment := range e.comments() {
		kept[comment.text]++
	}
	for _, comment := range original.comments() {
		if kept[comment.text]--; kept[comment.text] < 0 {
			return nil, original.fail(path, comment.at, "%w: %.80s", ErrComment, comment.text)
		}
	}
	return text, nil
}

// editing is one document of a text.
type editing struct {
	*source
	segment segment
	lines   *lines
	root    *yaml.Node
	value   any         // the value of the document
	opaque  []textRange // ranges of quotes and blocks, which contain no comments
	json    bool        // the document is in the style of JSON, see inJSON
	crlf    bool        // the lines of the text end with a carriage return and a line feed
}

// textRange is a part of the text.
type textRange struct{ from, to int }

// open reads the document of the change.
func (c *Change) open(text []byte) (*editing, error) {
	s := newSource(text)
	e := &editing{source: s, crlf: bytes.HasSuffix(text[:lineEnd(text, 0)], []byte("\r\n"))}
	n := 0
	var err error
	s.segments(func(seg segment) bool {
		l := newLines(text[seg.from:seg.to])
		m := newMemory(seg.to-seg.from, s.limits)
		if !m.nodes(text[seg.from:seg.to]) {
			err = &runtime.DecodeError{Problems: []runtime.Problem{s.exceeded(seg, seg.from, m.exceeded())}}
			return false
		}
		root, problem := compose(s, seg, l, m)
		switch {
		case problem != nil && n == c.Document:
			err = &runtime.DecodeError{Problems: []runtime.Problem{*problem}}
			return false
		case problem == nil && root == nil:
			return true
		case n == c.Document:
			e.segment, e.lines, e.root = seg, l, root
			if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
				e.root = root.Content[0]
			}
			return false
		}
		n++
		return true
	})
	if err != nil {
		return nil, err
	}
	if e.root == nil {
		return nil, &EditError{Path: c.Path, Err: fmt.Errorf("document %d does not exist; the text has %d", c.Document, n)}
	}
	object, err := ToJSON(text[e.segment.from:e.segment.to])
	if err != nil {
		return nil, err
	}
	if e.value, err = valueOf(object); err != nil {
		return nil, err
	}
	e.hide(e.root)
	e.json = e.root.Style&(yaml.FlowStyle|yaml.DoubleQuotedStyle) != 0 && inJSON(e.root)
	return e, nil
}

// valueOf decodes JSON to a value that can be compared.
func valueOf(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}

// fail returns an error at an offset of the text, or without a position if it is negative.
func (e *editing) fail(path *schema.Path, offset int, format string, args ...any) error {
	out := &EditError{Path: path.String(), Err: fmt.Errorf(format, args...)}
	if offset >= 0 {
		out.Position = e.position(e.segment, offset)
	}
	return out
}

// offset returns the start of a node.
func (e *editing) offset(n *yaml.Node) int { return e.segment.from + e.lines.offset(n.Line, n.Column) }

// content returns the start of the value of a node, after its anchor and its tag.
func (e *editing) content(n *yaml.Node) int {
	at := e.offset(n)
	if n.Kind == yaml.AliasNode || n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return at
	}
	for at < len(e.text) && (e.text[at] == '&' || e.text[at] == '!') {
		for at < len(e.text) && bytes.IndexByte([]byte(" \t\r\n,[]{}"), e.text[at]) < 0 {
			at++
		}
		at = e.space(at)
	}
	return at
}

// inJSON reports whether a node is written as JSON, except for comments and trailing commas: in
// flow style, with all strings in double quotes.
func inJSON(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		return false
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle == 0:
		return n.Style == 0 && json.Valid([]byte(n.Value))
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0:
		return false
	}
	for i, inner := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0
		if key && inner.Style&yaml.DoubleQuotedStyle == 0 || !inJSON(inner) {
			return false
		}
	}
	return true
}

// hide records the ranges of quotes and blocks in a node.
func (e *editing) hide(n *yaml.Node) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		from := e.content(n)
		e.opaque = append(e.opaque, textRange{from, quoteEnd(e.text, from)})
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		from := lineEnd(e.text, e.content(n)) // the line with the mark may have a comment
		e.opaque = append(e.opaque, textRange{from, blockEnd(e.text, from)})
	}
	if n.Kind != yaml.AliasNode {
		for _, inner := range n.Content {
			e.hide(inner)
		}
	}
}

// hidden reports whether an offset is inside of quotes or a block.
func (e *editing) hidden(offset int) bool {
	i, _ := slices.BinarySearchFunc(e.opaque, offset, func(r textRange, at int) int { return r.from - at - 1 })
	return i > 0 && offset < e.opaque[i-1].to
}

// quoteEnd returns the end of the quotes that open at an offset.
func quoteEnd(text []byte, at int) int {
	if at >= len(text) {
		return len(text)
	}
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// blockEnd returns the end of a block whose first line begins at an offset, without trailing blank
// lines.
func blockEnd(text []byte, at int) int {
	indent, end := -1, at
	for at < len(text) {
		next := lineEnd(text, at)
		body := bytes.TrimLeft(text[at:next], " ")
		width := next - at - len(body)
		if len(bytes.TrimSpace(body)) > 0 {
			if indent < 0 {
				indent = width
			}
			if width < indent || indent == 0 {
				break
			}
			end = next
		}
		at = next
	}
	return end
}

// lineEnd returns the start of the line after the one that contains an offset.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// lineStart returns the start of the line that contains an offset.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// remark is a comment.
type remark struct {
	text string
	at   int
}

// comments returns the comments of the document.
func (e *editing) comments() (out []remark) {
	for at := e.segment.from; at < e.segment.to; at = lineEnd(e.text, at) {
		if i := e.comment(at); i >= 0 {
			end := lineEnd(e.text, i)
			out = append(out, remark{string(bytes.TrimSpace(e.text[i:end])), i})
		}
	}
	return out
}

// comment returns the start of the comment on the rest of a line, or -1.
func (e *editing) comment(at int) int {
	for i, end := at, lineEnd(e.text, at); i < end; i++ {
		if e.text[i] == '#' && (i == 0 || bytes.IndexByte([]byte(" \t\n"), e.text[i-1]) >= 0) && !e.hidden(i) {
			return i
		}
	}
	return -1
}
