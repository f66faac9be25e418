package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
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

// RequiredError reports that a group version is not served although other served ones need it.
type RequiredError struct {
	// Missing is not served. By lists the group versions that need it.
	Missing schema.GroupVersion
	By      []schema.GroupVersion
}

// Error names the group version and those that need it.
func (e *RequiredError) Error() string {
	by := make([]string, len(e.By))
	for i, gv := range e.By {
		by[i] = gv.String()
	}
	return fmt.Sprintf("discovery: %s is not served but is required by %s", e.Missing,
		strings.Join(by, ", "))
}

// CheckRequired returns a [*RequiredError] for each group version that is needed but not served,
// joined. The map lists for each group version the others that it needs. Entries for group versions
// that are not served themselves are ignored.
func (d *Documents) CheckRequired(needs map[schema.GroupVersion][]schema.GroupVersion) error {
	missing := map[schema.GroupVersion][]schema.GroupVersion{}
	for by, all := range needs {
		if !d.serves(by) {
			continue
		}
		for _, gv := range all {
			if !d.serves(gv) && !slices.Contains(missing[gv], by) {
				missing[gv] = append(missing[gv], by)
			}
		}
	}
	var errs []error
	for gv, by := range missing {
		slices.SortFunc(by, schema.GroupVersion.Compare)
		errs = append(errs, &RequiredError{Missing: gv, By: by})
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// serves reports whether a group version is served under any prefix.
func (d *Documents) serves(gv schema.GroupVersion) bool {
	for _, g := range d.groups {
		if g.name == gv.Group && g.version(gv.Version) != nil {
			return true
		}
	}
	return false
}
