package yaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/located"
)

// editing is one document of a text, to be changed.
type editing struct {
	*source  // the text is that of the document
	segment  segment
	lines    *lines
	root     *yaml.Node
	object   []byte      // the value in JSON
	opaque   []textRange // quotes and blocks, which contain no comments
	json     bool        // the document is in the style of JSON, see inJSON
	document *document   // with the positions in the user's text
}

// textRange is a part of the text.
type textRange struct {
	from, to int
	keep     bool // it is a block that includes all blank lines after it
}

// open reads the text of a document, which begins at a position of the user's text.
func open(text []byte, base schema.Position) (*editing, error) {
	e := &editing{
		source:  &source{text: text, limits: parsing(schema.Limits{})},
		segment: segment{to: len(text), base: base},
	}
	problem := tooLarge(e.source, e.segment)
	if problem == nil {
		e.document, e.root, e.lines, problem = readNodes(e.source, e.segment)
	}
	if problem != nil {
		return nil, located.Failure(problem)
	}
	var err error
	if e.object, err = e.document.object(); err != nil {
		return nil, err
	}
	if e.root.Kind == yaml.DocumentNode && len(e.root.Content) == 1 {
		e.root = e.root.Content[0]
	}
	e.hide(e.root, 0)
	e.json = inJSON(e.root)
	return e, nil
}

// fail returns an error at an offset of the text, or without a position if it is negative.
func (e *editing) fail(path *schema.Path, offset int, format string, args ...any) error {
	out := &EditError{Path: path.String(), Err: fmt.Errorf(format, args...)}
	switch {
	case offset >= 0 && e.document.source != e.source: // in an edited text
		out.Position = e.document.Locate(path)
	case offset >= 0:
		out.Position = e.position(e.segment, offset)
	}
	return out
}

// offset returns the start of a node.
func (e *editing) offset(n *yaml.Node) int { return e.lines.offset(n.Line, n.Column) }

// end returns the end of the document's lines, without the mark that ends it.
func (e *editing) end() int {
	end := len(e.text)
	if from := lineStart(e.text, max(0, end-1)); isMark(bytes.TrimRight(e.text[from:end], "\r\n"), '.') {
		end = from
	}
	return end
}

// blank returns the end of the blank lines that begin at an offset.
func (e *editing) blank(at int) int {
	for at < len(e.text) {
		next := lineEnd(e.text, at)
		if len(bytes.TrimSpace(e.text[at:next])) > 0 {
			break
		}
		at = next
	}
	return at
}

// column returns the number of bytes before an offset on its line.
func (e *editing) column(at int) int { return at - lineStart(e.text, at) }

// comment returns the start of the first comment in a part of the text, or -1.
func (e *editing) comment(from, to int) int {
	for at := from; at < to; at++ {
		i := bytes.IndexByte(e.text[at:to], '#')
		if i < 0 {
			break
		}
		at += i
		if (at == 0 || bytes.IndexByte([]byte(" \t\n"), e.text[at-1]) >= 0) && e.around(at) == nil {
			return at
		}
	}
	return -1
}

// comments returns the starts of all comments in a part of the text.
func (e *editing) comments(from, to int) (out []int) {
	for at := e.comment(from, to); at >= 0; at = e.comment(lineEnd(e.text, at), to) {
		out = append(out, at)
	}
	return out
}

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

// isQuoted reports whether a scalar is in quotes.
func isQuoted(n *yaml.Node) bool { return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 }

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

// hide records the ranges of quotes and blocks in a node. A block with an indentation indicator is
// indented relative to the mapping or list around it, whose column is indent.
func (e *editing) hide(n *yaml.Node, indent int) {
	switch {
	case n.Kind == yaml.ScalarNode && isQuoted(n):
		from := e.content(n)
		e.opaque = append(e.opaque, textRange{from: from, to: quoteEnd(e.text, from)})
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		mark := e.content(n)
		from := lineEnd(e.text, mark) // the line with the mark may have a comment
		r, width := textRange{from: from}, -1
		for _, c := range e.text[mark+1 : min(mark+3, from)] {
			if r.keep = r.keep || c == '+'; isDigit(c) {
				width = indent + int(c-'0')
			}
		}
		r.to = blockEnd(e.text, from, width, r.keep)
		e.opaque = append(e.opaque, r)
	case n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode:
		for _, inner := range n.Content {
			e.hide(inner, n.Column-1)
		}
	}
}

// around returns the quotes or block that contain an offset, or nil.
func (e *editing) around(offset int) *textRange {
	i, _ := slices.BinarySearchFunc(e.opaque, offset, func(r textRange, at int) int { return r.from - at - 1 })
	if i > 0 && offset < e.opaque[i-1].to {
		return &e.opaque[i-1]
	}
	return nil
}

// quoteEnd returns the end of the quotes that open at an offset.
//
//go:noinline
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

// blockEnd returns the end of a block whose first line begins at an offset, with trailing blank
// lines if keep is set. Its lines are indented by a width, or as the first one that is not blank if
// the width is negative.
func blockEnd(text []byte, at, width int, keep bool) int {
	end := at
	for at < len(text) {
		next := lineEnd(text, at)
		body := bytes.TrimLeft(text[at:next], " ")
		blank := len(bytes.TrimSpace(body)) == 0
		if !blank {
			indent := next - at - len(body)
			if width < 0 {
				width = indent
			}
			if indent < width || width == 0 {
				break
			}
		}
		if !blank || keep {
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
//
//go:noinline
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// space returns the offset of the next text that is not white space or a comment.
func (e *editing) space(at int) int {
	for at < len(e.text) {
		switch c := e.text[at]; {
		case c == '#' && e.comment(at, at+1) == at:
			at = lineEnd(e.text, at)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		default:
			return at
		}
	}
	return at
}

// flowEnd returns the end of a value in flow style or of a scalar.
func (e *editing) flowEnd(n *yaml.Node) (int, bool) {
	at := e.content(n)
	switch {
	case n.Kind == yaml.AliasNode:
		end := bytes.IndexAny(e.text[at:], " \t\r\n,]}")
		return at + max(end, 0), end > 0
	case n.Kind == yaml.ScalarNode && isQuoted(n):
		return quoteEnd(e.text, at), true
	case n.Kind == yaml.ScalarNode:
		text := []byte(n.Value)
		if len(text) == 0 && at != e.offset(n) { // only an anchor or tag
			return 0, false
		}
		if n.Style&^(yaml.FlowStyle|yaml.TaggedStyle) != 0 || !bytes.HasPrefix(e.text[at:], text) {
			return 0, false
		}
		return at + len(text), true
	case at >= len(e.text) || n.Style&yaml.FlowStyle == 0:
		return 0, false
	}
	brackets := strings.IndexByte("{[", e.text[at]) >= 0
	end := at + 1
	if len(n.Content) > 0 {
		var ok bool
		if end, ok = e.flowEnd(n.Content[len(n.Content)-1]); !ok || !brackets {
			return end, ok
		}
	} else if !brackets {
		return 0, false
	}
	if end = e.space(end); end < len(e.text) && e.text[end] == ',' {
		end = e.space(end + 1)
	}
	return end + 1, end < len(e.text) && strings.IndexByte("}]", e.text[end]) >= 0
}
