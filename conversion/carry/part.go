package carry

import "github.com/askind/askind/schema"

// Part selects the part of a value that a guard covers. The zero Part selects all of it.
type Part struct {
	// paths holds the remainders of the paths below the current value; an empty list selects all of
	// it.
	paths [][]schema.Step
}

// All selects the whole value.
func All() Part { return Part{} }

// Only selects the values at some paths, given as [schema.Path] prints them. The step [*] matches
// every element of a list and every entry of a map.
func Only(paths ...string) Part {
	var p Part
	for _, text := range paths {
		if path, err := schema.ParsePath(text); err == nil {
			p.paths = append(p.paths, path.Steps())
		}
	}
	return p
}

// below returns the part of a member, or of list elements if name is "*", and reports whether any
// of it is selected.
func (p Part) below(name string) (Part, bool) {
	if len(p.paths) == 0 {
		return p, true
	}
	var next Part
	for _, steps := range p.paths {
		if steps[0].Name != name && (steps[0].Kind != schema.StepKey || steps[0].Name != "*") {
			continue
		}
		if len(steps) == 1 {
			return Part{}, true
		}
		next.paths = append(next.paths, steps[1:])
	}
	return next, len(next.paths) > 0
}
