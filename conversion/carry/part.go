package carry

import "github.com/askind/askind/schema"

// Part is the part of a value that counts for a guard. The zero Part is all of it.
type Part struct {
	// paths are what is left of the paths below the current value.
	paths [][]schema.Step
	// only says that the paths count, else everything but them.
	only bool
}

// All is the whole value.
func All() Part { return Part{} }

// Only is what stands at some paths, given as [schema.Path] prints them. The step [*] goes to every
// element of a list and every entry of a map.
func Only(paths ...string) Part { return Part{paths: steps(paths), only: true} }

// Without is everything but what stands at some paths, which are written as those of [Only].
func Without(paths ...string) Part { return Part{paths: steps(paths)} }

func steps(paths []string) [][]schema.Step {
	var out [][]schema.Step
	for _, text := range paths {
		if p, err := schema.ParsePath(text); err == nil {
			out = append(out, p.Steps())
		}
	}
	return out
}

// below returns the part of a member, or of the elements of a list, whose name is "*", and whether
// it counts at all.
func (p Part) below(name string) (Part, bool) {
	if len(p.paths) == 0 {
		return p, true
	}
	next := Part{only: p.only}
	for _, steps := range p.paths {
		if steps[0].Name != name && (steps[0].Kind != schema.StepKey || steps[0].Name != "*") {
			continue
		}
		if len(steps) == 1 {
			return Part{}, p.only
		}
		next.paths = append(next.paths, steps[1:])
	}
	return next, !p.only || len(next.paths) > 0
}
