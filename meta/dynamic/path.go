package dynamic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/askind/askind/meta/unstructured"
)

// path is a JSONPath in the part of that language that definitions use: .name, ['name'], [2], [*]
// and the filter [?(@.name=="value")]. A dot in a name is escaped by a backslash.
type path []step

// step is one step of a path: to a member, to an element, or to several.
type step struct {
	name   string
	index  int
	each   bool // all elements, or those that a filter selects
	list   bool // an element by its index
	filter path // of each element, nil for none
	want   string
	not    bool
	exists bool // the filter asks whether there is a value
}

// parsePath reads a path, which begins with a dot or a bracket and may have braces around it.
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

// member reads a step with a dot.
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

// bracket reads a step in brackets.
func bracket(rest string) (s step, after string, err error) {
	end := closing(rest)
	if end < 0 {
		return s, rest, fmt.Errorf("a bracket is not closed")
	}
	in, after := strings.TrimSpace(rest[1:end]), rest[end+1:]
	switch {
	case in == "*":
		return step{each: true}, after, nil
	case len(in) > 1 && (in[0] == '\'' || in[0] == '"') && in[len(in)-1] == in[0]:
		return step{name: in[1 : len(in)-1]}, after, nil
	case strings.HasPrefix(in, "?(") && strings.HasSuffix(in, ")"):
		s, err = filter(strings.TrimSpace(in[2 : len(in)-1]))
		return s, after, err
	}
	if s.index, err = strconv.Atoi(in); err != nil || s.index < 0 {
		return s, rest, fmt.Errorf("[%s] is not supported; use an index, [*], ['name'] or [?(@.name==\"value\")]", in)
	}
	s.list = true
	return s, after, nil
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

// filter reads the condition of a filter.
func filter(text string) (step, error) {
	s := step{each: true, exists: true}
	left, right, found := strings.Cut(text, "==")
	if !found {
		left, right, found = strings.Cut(text, "!=")
		s.not = found
	}
	left = strings.TrimSpace(left)
	if !strings.HasPrefix(left, "@") || strings.Count(left, "@") > 1 {
		return s, fmt.Errorf("the condition %q is not supported; write one such as @.type==\"Ready\"", text)
	}
	var err error
	if s.filter, err = parsePath(left[1:]); err != nil || !found {
		return s, err
	}
	s.exists = false
	s.want = strings.Trim(strings.TrimSpace(right), `"'`)
	return s, nil
}

// simple returns the names of a path of members alone; ok is false for other paths.
func (p path) simple() (names []string, ok bool) {
	for _, s := range p {
		if s.each || s.list {
			return nil, false
		}
		names = append(names, s.name)
	}
	return names, true
}

// find calls yield with the values at the end of the path, until it returns false.
func (p path) find(v unstructured.Value, yield func(unstructured.Value) bool) bool {
	if len(p) == 0 {
		return yield(v)
	}
	s, rest := &p[0], p[1:]
	if !s.each {
		name := s.name
		if s.list {
			name = strconv.Itoa(s.index)
		}
		if s.list != (v.Type() == unstructured.TypeArray) {
			return true
		}
		next, found, err := v.Get(name)
		return !found || err != nil || rest.find(next, yield)
	}
	visit := func(next unstructured.Value) bool { return !s.selects(next) || rest.find(next, yield) }
	switch v.Type() {
	case unstructured.TypeArray:
		elements, err := v.Elements()
		if err != nil {
			return true
		}
		for _, next := range elements {
			if !visit(next) {
				return false
			}
		}
	case unstructured.TypeObject:
		members, err := v.Members()
		if err != nil {
			return true
		}
		for _, next := range members {
			if !visit(next) {
				return false
			}
		}
	}
	return true
}

// selects reports whether a filter selects an element.
func (s *step) selects(v unstructured.Value) bool {
	if s.filter == nil {
		return true
	}
	selected := false
	s.filter.find(v, func(got unstructured.Value) bool {
		selected = s.exists || (textOf(got) == s.want) != s.not
		return !selected
	})
	return selected
}

// textOf returns a value as text: a string itself, anything else as JSON.
func textOf(v unstructured.Value) string {
	if s, found, err := v.String(); found && err == nil {
		return s
	}
	text, err := v.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(text)
}

// value returns the object, or its metadata, as what a path is followed in.
func (o *Object) find(p path, yield func(unstructured.Value) bool) {
	content := &o.Content
	if p[0].name == "metadata" {
		content = new(unstructured.Object)
		if err := content.SetObjectMeta(&o.ObjectMeta); err != nil {
			return
		}
	}
	if v, found, err := content.Get(); found && err == nil {
		p.find(v, yield)
	}
}
