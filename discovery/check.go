package discovery

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
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

// problems collects errors.
type problems []error

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }

// check returns the problems of the groups taken together.
func check(groups []*group) error {
	var found problems
	names := map[string]*group{}
	for _, g := range groups {
		g.checkOnce.Do(func() { g.checked = g.check() })
		found = append(found, g.checked...)
		if other, ok := names[g.objectName()]; ok {
			found.add("%w: the Group %q would describe both %s and %s", ErrConflict, g.objectName(), other, g)
		}
		names[g.objectName()] = g
	}
	found = append(found, checkPaths(groups)...)
	if len(found) == 0 {
		return nil
	}
	return &ConfigError{Errs: found}
}

// checkPaths returns an error for each version of the group with the blank name whose path is also
// the path of a group.
func checkPaths(groups []*group) (found problems) {
	paths := map[string]*group{}
	for _, g := range groups {
		if g.name != "" {
			paths[g.prefix+"/"+g.name] = g
		}
	}
	for _, g := range groups {
		for _, v := range g.versions {
			if other, ok := paths[g.prefix+"/"+v.name]; ok && g.name == "" {
				found.add("%w: /%s/%s would be both version %s of the group with the blank name and the group %s",
					ErrConflict, g.prefix, v.name, v.name, other.name)
			}
		}
	}
	return found
}

// check returns the problems of one group.
func (g *group) check() (found problems) {
	if badName(g.prefix) {
		found.add("the prefix %q is not a valid path segment: use letters, digits, '-' and '.'", g.prefix)
	}
	if g.name != "" && badName(g.name) {
		found.add("the group %q is not a valid path segment: use letters, digits, '-' and '.'", g.name)
	}
	if g.name == coreName {
		found.add("the group name %q is taken: it names the Group object of the group with the blank name", g.name)
	}
	for _, v := range g.versions {
		if badName(v.name) {
			found.add("the version %q of %s is not a valid path segment: use letters and digits, such as v1beta1", v.name, g)
		}
		found = append(found, v.check(g)...)
	}
	return found
}

// check returns the problems of one version. Resources with the same name are adjacent, because
// they are sorted.
func (v *version) check(g *group) (found problems) {
	for i := range v.resources {
		r := &v.resources[i]
		where := func() string { return fmt.Sprintf("%s of %s/%s", r.Resource, g, v.name) }
		twice := i > 0 && v.resources[i-1].Resource == r.Resource
		switch {
		case badName(r.Resource):
			found.add("the resource %q of %s/%s is not a valid path segment: use lower-case letters, digits and '-'",
				r.Resource, g, v.name)
		case r.Kind.Kind == "":
			found.add("the resource %s needs a kind", where())
		case badName(r.Kind.Kind):
			found.add("the kind %q of the resource %s is not a name: use letters and digits", r.Kind.Kind, where())
		case twice && v.resources[i-1].Kind == r.Kind:
			found.add("%w: the resource %s is declared twice", ErrConflict, where())
		case twice:
			found.add("%w: the resource %s would serve both %s and %s", ErrConflict, where(), v.resources[i-1].Kind, r.Kind)
		}
		for i, s := range r.Subresources {
			if badName(s.Name) {
				found.add("the subresource %q of %s is not a valid path segment", s.Name, where())
			}
			if i > 0 && r.Subresources[i-1].Name == s.Name {
				found.add("%w: the subresource %s of %s is declared twice", ErrConflict, s.Name, where())
			}
		}
	}
	return found
}

// badName reports whether a string can be neither a path segment nor a kind: it is blank, or has
// characters that mean something in a URL, spaces, or characters that do not print.
func badName(s string) bool {
	return s == "" || s == "." || s == ".." || strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune("/ ?#%", r) || !unicode.IsPrint(r)
	})
}
