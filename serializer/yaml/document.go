package yaml

import (
	"errors"
	"iter"
	"sort"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// maxDocument is the default limit of the bytes of one document: nodes take many times the memory
// of their text.
const maxDocument = 128 << 20

// parsing returns the limits of parsing, with defaults.
func parsing(l schema.Limits) schema.Limits {
	return l.Or(schema.Limits{Size: maxDocument}).OrDefaults()
}

// document is one document of a stream.
type document struct {
	source  *source
	segment segment
	annotated

	whole    *document // the document that contains this one, or nil
	from     int       // start in the JSON text of whole
	cut, gap int       // position and length of a gap in the JSON text
}

var _ format.Document = (*document)(nil)

func documents(data []byte, l schema.Limits) iter.Seq2[format.Document, error] {
	return newSource(data, parsing(l)).documents()
}

func (s *source) documents() iter.Seq2[format.Document, error] {
	return func(yield func(format.Document, error) bool) {
		for seg := range s.segments {
			d, problem := read(s, seg)
			if problem != nil && !yield(nil, located.Failure(problem)) || d != nil && !yield(d, nil) {
				return
			}
		}
	}
}

// read reads one document. It returns nil and nil for one that turns out to be empty.
func read(s *source, seg segment) (*document, *runtime.Problem) {
	if p := tooLarge(s, seg); p != nil {
		return nil, p
	}
	if useFast {
		if a, ok := new(scanner).scan(s.text, seg, false); ok {
			return &document{source: s, segment: seg, annotated: a}, nil
		}
	}
	return readSlow(s, seg)
}

// tooLarge returns the problem of a document that is larger than the limit, or nil.
func tooLarge(s *source, seg segment) *runtime.Problem {
	n := seg.to - seg.from
	if n <= s.limits.Size {
		return nil
	}
	return s.exceeded(seg, seg.from, &schema.LimitError{
		Limit: "Size", What: "the document", Unit: "bytes",
		Max: s.limits.Size, Got: n,
	})
}

// readSlow reads a document with the YAML library.
func readSlow(s *source, seg segment) (*document, *runtime.Problem) {
	d, _, _, problem := readNodes(s, seg)
	return d, problem
}

// readNodes reads a document with the YAML library. It also returns the root node and its lines.
func readNodes(s *source, seg segment) (*document, *yaml.Node, *lines, *runtime.Problem) {
	if at, message := badCharacter(s.text, seg.from, seg.to); at >= 0 {
		return nil, nil, nil, s.problem(seg, at, runtime.ErrSyntax, "%s", message)
	}
	if at := excessTag(s.text[seg.from:seg.to]); at >= 0 {
		return nil, nil, nil, s.problem(seg, seg.from+at, runtime.ErrSyntax,
			"the document has more than %d directives %%TAG", maxTags)
	}
	m := newMemory(seg.to-seg.from, s.limits)
	if !m.nodes(s.text[seg.from:seg.to]) {
		return nil, nil, nil, s.exceeded(seg, seg.from, m.exceeded())
	}
	l := newLines(s.text[seg.from:seg.to])
	root, problem := compose(s, seg, l, m)
	if root == nil {
		return nil, nil, nil, problem
	}
	a := annotate(s, seg, l, root, m)
	a.anchors = anchored(root)
	sorted.Func(a.duplicates, func(x, y duplicate) int { return x.json - y.json })
	for i := range a.problems {
		if a.problems[i].Cause == runtime.ErrLimit {
			return nil, nil, nil, &a.problems[i]
		}
	}
	return &document{source: s, segment: seg, annotated: *a}, root, l, nil
}

// Type implements [format.Document].
func (d *document) Type() (apiVersion, kind string, err error) {
	apiVersion, kind, err = jsonwire.SniffType(d.json)
	if e, ok := errors.AsType[*jsonwire.Error](err); ok {
		p := d.problem(e.Offset, runtime.CauseOf(e.Code), e.Message)
		p.Path = jsonwire.PathAt(d.json, e.Offset).String()
		return apiVersion, kind, located.Failure(p)
	}
	return apiVersion, kind, err
}

// Alone implements [format.Document].
func (d *document) Alone() bool { return false }

// KindIn implements [format.Document].
func (d *document) KindIn(s *runtime.Scheme) *runtime.Kind { return s.LookupText(d.json) }

// Decode implements [format.Document].
func (d *document) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	if o.Limits.Depth == 0 {
		o.Limits.Depth = d.source.limits.Depth // the scanner has not checked it
	}
	// The expansion of aliases can make the JSON text larger than the user's text.
	if d.anchors {
		if large := o.Limits.CheckSize("the input, with aliases replaced,", len(d.json)); large != nil {
			return []runtime.Problem{located.Exceeded(d.PositionAt(0), "", large)}
		}
	}
	problems, _ := located.Decode(d.json, k, obj, o, jsonwire.Options{
		Annotated: true, Size: min(len(d.json), d.segment.to-d.segment.from),
	}, d)
	problems = append(problems, d.problems...)
	if o.Strict {
		var paths located.Paths
		for i, dup := range d.duplicates {
			if len(problems) >= located.Limit(o) {
				problems = append(problems, runtime.Problem{More: len(d.duplicates) - i})
				break
			}
			p := d.source.problem(d.segment, dup.text, runtime.ErrDuplicateField, "duplicate field %s",
				schema.Quote(dup.name))
			tail, levels := dup.tail()
			p.Path = paths.At(d.json, dup.json, tail, levels)
			problems = append(problems, *p)
		}
	}
	located.Sort(problems)
	return problems
}

// PositionAt implements [located.Text].
func (d *document) PositionAt(offset int) schema.Position {
	return d.source.position(d.segment, d.text(offset))
}

// Raw implements [format.Document].
func (d *document) Raw() []byte {
	raw, err := d.object()
	if err != nil {
		return nil
	}
	return raw
}

// object returns the value of the document as compact JSON.
func (d *document) object() ([]byte, error) {
	if len(d.problems) > 0 {
		return nil, &runtime.DecodeError{Problems: d.problems}
	}
	r := jsonwire.NewReader(d.json, jsonwire.Options{Annotated: true})
	out := r.Raw()
	if problems := r.Problems(); len(problems) > 0 {
		p := &problems[0]
		return nil, located.Failure(d.problem(p.Offset, runtime.CauseOf(p.Code), p.Message))
	}
	return out, nil
}

// problem returns a problem at an offset of the JSON text.
func (d *document) problem(offset int, cause error, message string) *runtime.Problem {
	return d.source.problem(d.segment, d.text(offset), cause, "%s", message)
}

// second returns the error for a document after the only one that is expected.
func (d *document) second(expected string) error {
	return located.Failure(d.problem(0, runtime.ErrSyntax, "a second document begins here, expected only one"+expected))
}

// Locate implements [format.Document].
func (d *document) Locate(p *schema.Path) schema.Position {
	offset, _, _ := jsonwire.OffsetOf(d.json, p)
	return d.source.position(d.segment, d.text(offset))
}

// text returns where an offset of the JSON text comes from.
func (d *document) text(offset int) int {
	if d.whole != nil {
		if d.cut > 0 && offset >= d.cut {
			offset += d.gap
		}
		return d.whole.text(d.from + offset)
	}
	if d.marks == nil {
		// The scanner keeps no marks while all goes well. It has read the document before, so it
		// reads it now.
		if a, ok := new(scanner).scan(d.source.text, d.segment, true); ok {
			d.marks = a.marks
		}
	}
	i := sort.Search(len(d.marks), func(i int) bool { return d.marks[i].json > offset })
	if i == 0 {
		return d.segment.from
	}
	return d.marks[i-1].text
}
