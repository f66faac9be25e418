package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// StepKind is the kind of a [Step].
type StepKind uint8

const (
	// StepField selects a named field of a struct; it uses Step.Name.
	StepField StepKind = iota + 1
	// StepIndex selects an element of a list; it uses Step.Index.
	StepIndex
	// StepKey selects an entry of a map; it uses Step.Name.
	StepKey
)

// String returns "field", "index" or "key".
func (k StepKind) String() string {
	switch k {
	case StepField:
		return "field"
	case StepIndex:
		return "index"
	case StepKey:
		return "key"
	}
	return "step kind " + strconv.Itoa(int(k))
}

// Step is one step of a [Path].
type Step struct {
	Name  string
	Index int
	Kind  StepKind
}

// Path leads from an object to a field in it. A path is immutable and safe for concurrent use: its
// methods return longer paths that share it. The nil *Path and a pointer to the zero Path are the
// root, the object itself; all methods work on them.
//
// Each step allocates one small struct and no text.
type Path struct {
	// A path is one of three things:
	//   a step:  parent, then step             (step.Kind is set)
	//   a join:  parent, then tail             (tail is set)
	//   a root:  nothing                       (neither is set)
	// Joins make it cheap to prepend steps, as happens while an error is returned.
	parent, tail *Path
	step         Step
}

// NewPath returns a path of named fields. NewPath() is the root.
func NewPath(names ...string) *Path { return (*Path)(nil).Child(names...) }

// Append appends steps.
func (p *Path) Append(steps ...Step) *Path {
	for _, s := range steps {
		p = &Path{parent: p, step: s}
	}
	return p
}

// Child appends named fields, by the names of the serialized form, such as those in Go struct tags.
func (p *Path) Child(names ...string) *Path {
	for _, name := range names {
		p = &Path{parent: p, step: Step{Kind: StepField, Name: name}}
	}
	return p
}

// Index appends an element of a list.
func (p *Path) Index(i int) *Path {
	return &Path{parent: p, step: Step{Kind: StepIndex, Index: i}}
}

// Key appends an entry of a map.
func (p *Path) Key(k string) *Path {
	return &Path{parent: p, step: Step{Kind: StepKey, Name: k}}
}

// Member appends a member of an object whose type is unknown: a field if the name consists of
// letters, digits, '-', '_' and '$' and begins with neither a digit nor '-', otherwise an entry of
// a map.
func (p *Path) Member(name string) *Path {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '$':
		case i > 0 && ('0' <= c && c <= '9' || c == '-'):
		default:
			return p.Key(name)
		}
	}
	if name == "" {
		return p.Key(name)
	}
	return p.Child(name)
}

// Join appends all steps of another path. It takes constant time, regardless of the lengths.
func (p *Path) Join(tail *Path) *Path {
	switch {
	case tail.isRoot():
		return p
	case p.isRoot():
		return tail
	}
	return &Path{parent: p, tail: tail}
}

func (p *Path) isRoot() bool { return p == nil || p.step.Kind == 0 && p.tail == nil }

// Steps returns the steps from the root on. The caller owns the slice. It is nil for the root.
func (p *Path) Steps() []Step {
	var steps []Step
	var pending []*Path // the parts before the current one, nearest last
	for {
		switch {
		case p == nil || p.isRoot():
			if len(pending) == 0 {
				slices.Reverse(steps)
				return steps
			}
			p, pending = pending[len(pending)-1], pending[:len(pending)-1]
		case p.tail != nil:
			pending = append(pending, p.parent)
			p = p.tail
		default:
			steps = append(steps, p.step)
			p = p.parent
		}
	}
}

// Equal reports whether two paths have the same steps.
func (p *Path) Equal(other *Path) bool {
	return p == other || slices.Equal(p.Steps(), other.Steps())
}

// String returns the path as text, such as spec.containers[2].image or
// metadata.labels[app.kubernetes.io/name]; the root is blank. Map keys are always in brackets. A
// key that could be mistaken for an index or for several steps is quoted as in Go, and so is a
// field name that is not a plain word: limits["2"], data."a.b". [ParsePath] is the inverse.
func (p *Path) String() string { return p.text(math.MaxInt) }

// Short returns the path as text for a message: like [Path.String], with names of more than 256
// bytes shortened.
func (p *Path) Short() string { return p.text(quoted) }

// text returns the path with at most most bytes of each name.
func (p *Path) text(most int) string {
	steps := p.Steps()
	if len(steps) == 0 {
		return ""
	}
	b := make([]byte, 0, 16*len(steps))
	for i, s := range steps {
		s.Name = Shorten(s.Name, most)
		switch s.Kind {
		case StepIndex:
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.Index), 10)
			b = append(b, ']')
		case StepKey:
			b = append(b, '[')
			if isPlainKey(s.Name) {
				b = append(b, s.Name...)
			} else {
				b = strconv.AppendQuote(b, s.Name)
			}
			b = append(b, ']')
		default:
			if i > 0 {
				b = append(b, '.')
			}
			if isPlainField(s.Name) {
				b = append(b, s.Name...)
			} else {
				b = strconv.AppendQuote(b, s.Name)
			}
		}
	}
	return string(b)
}

// isPlainField reports whether a field name needs no quotes in a path.
func isPlainField(s string) bool {
	return s != "" && !strings.ContainsAny(s, ` .[]"\`) && isPrintable(s)
}

// isPlainKey reports whether a map key needs no quotes in brackets.
func isPlainKey(s string) bool {
	return s != "" && !strings.ContainsAny(s, `[]"\`) && !looksLikeIndex(s) && isPrintable(s)
}

// looksLikeIndex reports whether a text consists of digits with an optional minus sign.
func looksLikeIndex(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func isPrintable(s string) bool {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}
