package discovery

import (
	"errors"
	"fmt"
	"strings"
)

// ErrConflict is wrapped by errors about resources that cannot be served together. A [*ConfigError]
// lists them.
var ErrConflict = errors.New("conflicting resources")

// ConfigError lists all the problems of a [Config].
type ConfigError struct {
	Errs []error
}

// Error lists the errors, one a line.
func (e *ConfigError) Error() string {
	lines := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		lines[i] = "discovery: " + err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes each error visible to errors.Is and errors.As.
func (e *ConfigError) Unwrap() []error { return e.Errs }

// check returns the problems of the groups taken together.
func check(groups []*group) error {
	var errs []error
	names := map[string]*group{}
	for _, g := range groups {
		g.checkOnce.Do(func() { g.checked = g.check() })
		errs = append(errs, g.checked...)
		if other, ok := names[g.objectName()]; ok {
			errs = append(errs, fmt.Errorf("%w: the Group %q would describe both %s and %s", ErrConflict,
				g.objectName(), other, g))
		}
		names[g.objectName()] = g
	}
	errs = append(errs, checkPaths(groups)...)
	if len(errs) == 0 {
		return nil
	}
	return &ConfigError{Errs: errs}
}

// checkPaths returns an error for each version of the group with the blank name whose path is also
// the path of a group.
func checkPaths(groups []*group) []error {
	var errs []error
	paths := map[string]*group{}
	for _, g := range groups {
		if g.name != "" {
			paths[g.prefix+"/"+g.name] = g
		}
	}
	for _, g := range groups {
		for _, v := range g.versions {
			if other, ok := paths[g.prefix+"/"+v.name]; ok && g.name == "" {
				errs = append(
					errs, fmt.Errorf(
						"%w: /%s/%s would be both version %s of the group with the blank name and the group %s",
						ErrConflict, g.prefix, v.name, v.name, other.name,
					),
				)
			}
		}
	}
	return errs
}

// check returns the problems of one group.
func (g *group) check() []error {
	var errs []error
	if badName(g.prefix) {
		errs = append(errs, fmt.Errorf("the prefix %q is not a valid path segment: use letters, digits, '-' and '.'",
			g.prefix))
	}
	if g.name != "" && badName(g.name) {
		errs = append(errs, fmt.Errorf("the group %q is not a valid path segment: use letters, digits, '-' and '.'",
			g.name))
	}
	if g.name == coreName {
		errs = append(
			errs, fmt.Errorf("the group name %q is taken: it names the Group object of the group with the blank name",
				g.name),
		)
	}
	for _, v := range g.versions {
		if badName(v.name) {
			errs = append(
				errs, fmt.Errorf(
					"the version %q of %s is not a valid path segment: use letters and digits, such as v1beta1", v.name, g,
				),
			)
		}
		errs = append(errs, v.check(g)...)
	}
	return errs
}

// check returns the problems of one version. Resources with the same name are adjacent, because
// they are sorted.
func (v *version) check(g *group) []error {
	var errs []error
	for i := range v.resources {
		r := &v.resources[i]
		where := func() string { return fmt.Sprintf("%s of %s/%s", r.Resource, g, v.name) }
		twice := i > 0 && v.resources[i-1].Resource == r.Resource
		switch {
		case badName(r.Resource):
			errs = append(
				errs, fmt.Errorf(
					"the resource %q of %s/%s is not a valid path segment: use lower-case letters, digits and '-'",
					r.Resource, g, v.name,
				),
			)
		case r.Kind.Kind == "":
			errs = append(errs, fmt.Errorf("the resource %s needs a kind", where()))
		case badName(r.Kind.Kind):
			errs = append(errs, fmt.Errorf("the kind %q of the resource %s is not a name: use letters and digits",
				r.Kind.Kind, where()))
		case twice && v.resources[i-1].Kind == r.Kind:
			errs = append(errs, fmt.Errorf("%w: the resource %s is declared twice", ErrConflict, where()))
		case twice:
			errs = append(errs, fmt.Errorf("%w: the resource %s would serve both %s and %s", ErrConflict, where(),
				v.resources[i-1].Kind, r.Kind))
		}
		for i, s := range r.Subresources {
			if badName(s.Name) {
				errs = append(errs, fmt.Errorf("the subresource %q of %s is not a valid path segment", s.Name, where()))
			}
			if i > 0 && r.Subresources[i-1].Name == s.Name {
				errs = append(errs, fmt.Errorf("%w: the subresource %s of %s is declared twice", ErrConflict,
					s.Name, where()))
			}
		}
	}
	return errs
}
