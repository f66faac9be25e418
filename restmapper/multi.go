package restmapper

import (
	"context"
	"errors"
	"slices"

	"github.com/askind/askind/schema"
)

// Multi combines mappers, for example one for each group, into one. It is immutable and safe for
// concurrent use if its mappers are.
type Multi struct {
	mappers []Mapper
	groups  []string
}

// NewMulti combines mappers. If they find resources of different groups by one name, the first of
// the given groups wins; if none of the groups match, the name is ambiguous. Within one group, the
// first mapper that finds something wins. The core group is "".
func NewMulti(mappers []Mapper, groups ...string) *Multi {
	return &Multi{mappers: slices.Clone(mappers), groups: slices.Clone(groups)}
}

// ForResource implements [Mapper].
func (m *Multi) ForResource(ctx context.Context, partial schema.GroupVersionResource) (Mapping, error) {
	var found []Mapping
	none := &NoMatchError{Resource: partial}
	for _, mapper := range m.mappers {
		one, err := mapper.ForResource(ctx, partial)
		ambiguous, several := errors.AsType[*AmbiguousError](err)
		switch {
		case err == nil:
			found = append(found, one)
		case several:
			found = append(found, ambiguous.Matches...)
		case !none.add(err):
			return Mapping{}, err
		}
	}
	return m.choose(partial, found, none)
}

// choose returns the best of the mappings found.
func (m *Multi) choose(partial schema.GroupVersionResource, found []Mapping, none *NoMatchError) (Mapping, error) {
	if len(found) == 0 {
		return Mapping{}, none
	}
	exact := func(f Mapping) bool { return f.Resource.Group == partial.Group }
	if i := slices.IndexFunc(found, exact); partial.Group != "" && i >= 0 {
		return found[i], nil
	}
	for _, group := range m.groups {
		i := slices.IndexFunc(found, func(f Mapping) bool { return f.Resource.Group == group })
		if i >= 0 {
			return found[i], nil
		}
	}
	for _, f := range found[1:] {
		if f.Resource.GroupResource() != found[0].Resource.GroupResource() {
			return Mapping{}, &AmbiguousError{Resource: partial, Matches: found}
		}
	}
	return found[0], nil
}

// ForKind implements [Mapper].
func (m *Multi) ForKind(ctx context.Context, kind schema.GroupKind, versions ...string) (Mapping, error) {
	none := &NoMatchError{Kind: kind, Versions: slices.Clone(versions)}
	for _, mapper := range m.mappers {
		found, err := mapper.ForKind(ctx, kind, versions...)
		if err == nil || !none.add(err) {
			return found, err
		}
	}
	return Mapping{}, none
}

// Category returns the resources of a category that the mappers know, in their order.
func (m *Multi) Category(ctx context.Context, name string) ([]schema.GroupResource, error) {
	var out []schema.GroupResource
	for _, mapper := range m.mappers {
		members, err := category(ctx, mapper, name)
		if err != nil {
			return nil, err
		}
		for _, r := range members {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// add adds the error of a mapper that found nothing. It returns false for other errors.
func (e *NoMatchError) add(err error) bool {
	other, ok := errors.AsType[*NoMatchError](err)
	if !ok {
		return false
	}
	e.Others = append(e.Others, other.Others...)
	e.Problems = append(e.Problems, other.Problems...)
	if e.Nearest == "" {
		e.Nearest = other.Nearest
	}
	if e.AsOf.IsZero() {
		e.AsOf = other.AsOf
	}
	return true
}

// category returns the members of a category, if the mapper supports categories.
func category(ctx context.Context, m Mapper, name string) ([]schema.GroupResource, error) {
	switch m := m.(type) {
	case interface {
		Category(name string) []schema.GroupResource
	}:
		return m.Category(name), nil
	case interface {
		Category(ctx context.Context, name string) ([]schema.GroupResource, error)
	}:
		return m.Category(ctx, name)
	case interface {
		Current(ctx context.Context) (*Static, []GroupProblem, error)
	}:
		static, _, err := m.Current(ctx)
		if err != nil {
			return nil, err
		}
		return static.Category(name), nil
	}
	return nil, nil
}
