package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// compose parses a document with the YAML library and returns its root node. If the node is nil,
// the second result is the problem of the document, or nil if the document is empty.
func compose(s *source, seg segment, l *lines, m *memory) (*yaml.Node, *runtime.Problem) {
	loader, err := yaml.NewLoader(bytes.NewReader(withoutVersion(l.text)), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(m))
	if err != nil {
		return nil, s.problem(seg, seg.from, runtime.ErrSyntax, "%v", err)
	}
	doc, err := load(loader)
	if err == io.EOF {
		return nil, nil
	}
	if err == nil {
		var rest *yaml.Node
		switch rest, err = load(loader); {
		case err == io.EOF:
			return doc, nil
		case err == nil:
			return nil, s.problem(seg, seg.from+l.offset(rest.Line, rest.Column), runtime.ErrSyntax,
				"a second document begins here without a line of three hyphens before it")
		}
	}
	return nil, syntaxProblem(s, seg, l, m, err)
}

func tooDeep(limit int) *schema.LimitError {
	return &schema.LimitError{Limit: "Depth", What: "the nesting", Unit: "levels", Max: limit, Got: limit + 1}
}

// load reads the next document. The library uses panics for errors internally; should one escape,
// it is returned as an error.
func load(l *yaml.Loader) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	doc = new(yaml.Node)
	if err := l.Load(doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// syntaxProblem locates an error of the library and rephrases it for users who do not know how YAML
// is scanned.
func syntaxProblem(s *source, seg segment, l *lines, m *memory, err error) *runtime.Problem {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return s.problem(seg, seg.from, runtime.ErrSyntax, "%s", err.Error())
	}
	at := seg.from + l.offset(e.Mark.Line, e.Mark.Column)
	context, begin := e.ContextMsg, seg.from+l.offset(e.ContextMark.Line, e.ContextMark.Column)
	if e.Mark.Line == 0 {
		at, begin = begin, at
	}
	switch message := e.Message; {
	case strings.HasPrefix(message, depthExceeded):
		return s.exceeded(seg, at, tooDeep(s.limits.Depth))
	case strings.HasPrefix(message, memoryExceeded):
		return s.exceeded(seg, at, m.exceeded())
	case message == "found character that cannot start any token" && at < seg.to && s.text[at] == '\t':
		return s.problem(seg, at, runtime.ErrSyntax, "a tab cannot indent a line, write spaces")
	case message == "found character that cannot start any token" && at < seg.to:
		return s.problem(seg, at, runtime.ErrSyntax, "a value cannot begin with %q, put it in quotes", s.text[at])
	case message == "mapping values are not allowed in this context":
		return s.problem(seg, at, runtime.ErrSyntax,
			"a colon is not allowed here: the indentation is wrong, or the text needs quotes")
	case message == "did not find expected <document start>":
		return s.problem(seg, at, runtime.ErrSyntax,
			"the value of the document ends before this: the indentation is wrong, or --- is missing")
	case message == "did not find expected key" && begin < at:
		return s.problem(seg, at, runtime.ErrSyntax, "this does not continue the mapping that begins at %s: "+
			"the indentation is wrong, or a colon is missing", s.lineColumn(seg, begin))
	case message == "did not find expected '-' indicator" && begin < at:
		return s.problem(seg, at, runtime.ErrSyntax, "this does not continue the list that begins at %s: "+
			"the indentation is wrong, or a hyphen is missing", s.lineColumn(seg, begin))
	case message == "found unexpected end of stream" && strings.Contains(context, "quoted scalar"):
		return s.problem(seg, begin, runtime.ErrSyntax, "the quotes that open here are not closed")
	case strings.HasPrefix(message, "unknown anchor "):
		name := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(message, "unknown anchor "), " referenced"), "'")
		return s.problem(seg, at, runtime.ErrSyntax, "unknown anchor %s", schema.Quote(name))
	case strings.HasPrefix(message, "did not find expected ',' or ") && begin < at && at < seg.to:
		return s.problem(seg, at, runtime.ErrSyntax, "expected a comma, or the end of the brackets that open at %s",
			s.lineColumn(seg, begin))
	case strings.Contains(context, "flow") && len(bytes.TrimSpace(s.text[at:seg.to])) == 0:
		if begin < at {
			return s.problem(seg, begin, runtime.ErrSyntax, "the bracket that opens here is not closed")
		}
		return s.problem(seg, at, runtime.ErrSyntax, "the document ends before its brackets are closed")
	case context != "" && begin != at:
		return s.problem(seg, at, runtime.ErrSyntax, "%s %s that begins at %s", message, context, s.lineColumn(seg, begin))
	case context != "":
		return s.problem(seg, at, runtime.ErrSyntax, "%s %s", message, context)
	default:
		return s.problem(seg, at, runtime.ErrSyntax, "%s", message)
	}
}

// lineColumn describes the position of an offset in a message.
func (s *source) lineColumn(seg segment, at int) string {
	p := s.position(seg, at)
	return fmt.Sprintf("line %d, column %d", p.Line, p.Column)
}
