package dynamic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/askind/askind/meta/unstructured"
)

// path is a JSONPath in the part of that language that definitions use: .name, ['name'], [2], [-1],
// [*], .* and the filter [?(@.name=="value")]. A dot in a name is escaped by a backslash.
type path []step

// step is one step of a path: to a member, to an element, or to several.
type step struct {
	name   string
	index  int
	each   bool // all elements, or those that a filter selects
	list   bool // elements: of a list alone
	filter path // of each element, nil for none
	want   string
	quoted bool // want is a string
	not    bool
	exists bool // the filter checks only that a value exists
}

// parsePath parses a path, which begins with a dot or a bracket and may be enclosed in braces.
func parsePath(text string) (path, error) {
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	rest = strings.TrimPrefix(rest, "$")
	var out path
	for rest != "" {
		var s step
		var err error
		if rest[0] == '[' {
			s, rest, err = bracket(rest)
		} else {
			s, rest, err = member(rest)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%q has no steps; write a path such as .spec.replicas", text)
	}
	return out, nil
}

// member parses a step with a dot.
func member(rest string) (step, string, error) {
	if rest[0] != '.' {
		return step{}, rest, fmt.Errorf("a step begins with a dot or a bracket, not with %q", rest[:1])
	}
	var name strings.Builder
	i := 1
	for ; i < len(rest) && rest[i] != '.' && rest[i] != '['; i++ {
		if rest[i] == '\\' && i+1 < len(rest) {
			i++
		}
		name.WriteByte(rest[i])
	}
	if name.Len() == 0 {
		return step{}, rest, fmt.Errorf("a step has no name")
	}
	return step{name: name.String(), each: name.String() == "*"}, rest[i:], nil
}

// bracket parses a step in brackets.
func bracket(rest string) (s step, after string, err error) {
	end := closing(rest)
	if end < 0 {
		return s, rest, fmt.Errorf("a bracket is not closed")
	}
	in, after := strings.TrimSpace(rest[1:end]), rest[end+1:]
	switch {
	case in == "*":
		return step{each: true, list: true}, after, nil
	case len(in) > 1 && (in[0] == '\'' || in[0] == '"') && in[len(in)-1] == in[0]:
		return step{name: unescaped(in[1 : len(in)-1])}, after, nil
	case strings.HasPrefix(in, "?(") && strings.HasSuffix(in, ")"):
		s, err = filter(strings.TrimSpace(in[2 : len(in)-1]))
		return s, after, err
	}
	if s.index, err = strconv.Atoi(in); err != nil {
		return s, rest, fmt.Errorf("[%s] is not supported; use an index, [*], ['name'] or [?(@.name==\"value\")]", in)
	}
	s.list = true
	return s, after, nil
}

// unescaped returns a name in quotes without the backslashes before its dots and quotes.
func unescaped(name string) string {
	if strings.IndexByte(name, '\\') < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+1 < len(name) {
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// closing returns the index of the bracket that closes the one at the beginning, -1 if there is
// none. Brackets in quotes do not count.
func closing(text string) int {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// filter parses the condition of a filter.
func filter(text string) (step, error) {
	s := step{each: true, list: true, exists: true}
	left, right, found := strings.Cut(text, "==")
	if i := strings.Index(left, "!="); i >= 0 { // a value may contain the other operator
		left, right, found, s.not = text[:i], text[i+len("!="):], true, true
	}
	left = strings.TrimSpace(left)
	other := !found && strings.ContainsAny(left, "<>=~&|")
	if !strings.HasPrefix(left, "@") || strings.Count(left, "@") > 1 || other {
		return s, fmt.Errorf("the condition %q is not supported; write one such as @.type==\"Ready\"", text)
	}
	var err error
	if s.filter, err = parsePath(left[1:]); err != nil || !found {
		return s, err
	}
	s.exists = false
	s.want = strings.TrimSpace(right)
	if n := len(s.want); n > 1 && (s.want[0] == '"' || s.want[0] == '\'') && s.want[n-1] == s.want[0] {
		s.want, s.quoted = unescaped(s.want[1:n-1]), true
	}
	return s, nil
}

// simple returns the names of a path that contains only members; ok is false for other paths.
func (p path) simple() (names []string, ok bool) {
	for _, s := range p {
		if s.each || s.list {
			return nil, false
		}
		names = append(names, s.name)
	}
	return names, true
}

// find calls yield with the values at the end of the path, until it returns false. It reports false
// where a step wants a list and there is another value, or wants an element that the list does not
// have: Kubernetes shows nothing of the object then, and yield may have been called before.
func (p path) find(v unstructured.Value, yield func(unstructured.Value) bool) (ok bool) {
	f := finder{yield: yield}
	f.find(p, v)
	return !f.failed
}

// finder is one call of find.
type finder struct {
	yield  func(unstructured.Value) bool
	ended  bool
	failed bool
}

func (f *finder) find(p path, v unstructured.Value) {
	switch {
	case f.ended || f.failed:
		return
	case len(p) == 0:
		f.ended = !f.yield(v)
		return
	}
	s, rest, typ := &p[0], p[1:], v.Type()
	switch {
	case s.list && typ == unstructured.TypeNull && s.filter == nil:
		return
	case s.list && typ != unstructured.TypeArray:
		f.failed = true
		return
	case !s.each && !s.list:
		if typ != unstructured.TypeObject {
			return
		}
		if next, found, err := v.Get(s.name); found && err == nil {
			f.find(rest, next)
		}
		return
	case typ == unstructured.TypeObject:
		members, err := v.Members()
		if err != nil {
			return
		}
		for _, next := range members {
			f.find(rest, next)
		}
		return
	case typ != unstructured.TypeArray:
		return
	}
	elements, err := v.Elements()
	switch {
	case err != nil:
	case s.each:
		for _, next := range elements {
			selected, ok := s.selects(next)
			if f.failed = f.failed || !ok; selected {
				f.find(rest, next)
			}
		}
	default:
		i := s.index
		if i < 0 {
			for range elements {
				i++
			}
		}
		next, found, err := v.Get(strconv.Itoa(i))
		if f.failed = i < 0 || !found || err != nil; !f.failed {
			f.find(rest, next)
		}
	}
}

// selects reports whether a filter selects an element. If the value cannot be compared with the
// wanted one, ok is false.
func (s *step) selects(v unstructured.Value) (selected, ok bool) {
	if s.filter == nil {
		return true, true
	}
	n, comparable := 0, true
	found := s.filter.find(v, func(got unstructured.Value) bool {
		n++
		var equal bool
		equal, comparable = s.equal(got)
		selected = equal != s.not
		return true
	})
	switch {
	case s.exists:
		return n > 0, true
	case n == 0:
		return false, found
	}
	return selected, found && comparable && n == 1
}

// equal reports whether a value is the wanted one. Values of different types cannot be compared.
func (s *step) equal(v unstructured.Value) (equal, ok bool) {
	switch v.Type() {
	case unstructured.TypeString:
		ok = s.quoted
	case unstructured.TypeBool:
		ok = !s.quoted && (s.want == "true" || s.want == "false")
	case unstructured.TypeInt64, unstructured.TypeUint64, unstructured.TypeFloat64:
		want, err := strconv.ParseFloat(s.want, 64)
		got, err2 := strconv.ParseFloat(textOf(v), 64)
		return got == want, !s.quoted && err == nil && err2 == nil
	}
	return textOf(v) == s.want, ok
}

// textOf returns a value as text: a string itself, a fraction as fmt prints it, anything else as
// JSON.
func textOf(v unstructured.Value) string {
	if s, found, err := v.String(); found && err == nil {
		return s
	}
	if v.Type() == unstructured.TypeFloat64 {
		return fmt.Sprint(v.Any())
	}
	text, err := v.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(text)
}

// find follows a path in the object or in its metadata.
func (o *Object) find(p path, yield func(unstructured.Value) bool) (ok bool) {
	content := &o.Content
	if p[0].name == "metadata" {
		content = new(unstructured.Object)
		if err := content.SetObjectMeta(&o.ObjectMeta); err != nil {
			return true
		}
	}
	v, found, err := content.Get()
	return !found || err != nil || p.find(v, yield)
}
