package restmapper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askind/askind/schema"
)

// Argument is the meaning of a command-line argument: a resource, and one or all of its objects.
type Argument struct {
	Mapping
	// Name is the name of the object, blank for all objects of the resource.
	Name string
}

// ArgumentError reports an argument that cannot be resolved. errors.Is and errors.As find the
// cause.
type ArgumentError struct {
	// Argument is the argument as written.
	Argument string
	// Err is the cause: a [*NoMatchError], an [*AmbiguousError], or an error about the syntax.
	Err error
}

// Error implements error.
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("argument %q: %v", schema.Shorten(e.Argument, maxText), e.Err)
}

// Unwrap returns the cause.
func (e *ArgumentError) Unwrap() error { return e.Err }

// ParseArguments resolves the arguments of a command to resources and objects. It accepts either
// resources followed by names,
//
//	cars beetle van
//	cars,trucks
//	all
//
// or references to one object or to all objects of a resource:
//
//	cars/beetle
//	cars.example.com/cars/beetle
//	cars.example.com/cars
//
// A resource is a plural, a singular or a short name, alone or as "resource.group" or
// "resource.version.group", or, as a word of its own, a category such as "all". A group may be
// abbreviated if the abbreviation is unique; "core" means the group with the blank name. In a
// reference of two parts, the first is a resource if one of that name exists, and otherwise a
// group. If both are possible, the error explains how to write each of them.
func ParseArguments(ctx context.Context, m Mapper, args ...string) ([]Argument, error) {
	if len(args) == 0 {
		return nil, errors.New("name a resource, such as cars, cars/beetle or cars.example.com/cars/beetle")
	}
	if strings.Contains(args[0], "/") {
		return references(ctx, m, args)
	}
	mappings, err := resourceList(ctx, m, args[0])
	if err != nil {
		return nil, &ArgumentError{args[0], err}
	}
	var out []Argument
	for _, mapping := range mappings {
		if len(args) == 1 {
			out = append(out, Argument{Mapping: mapping})
		}
		for _, name := range args[1:] {
			if name == "" || strings.Contains(name, "/") {
				return nil, &ArgumentError{
					name,
					errors.New("names follow a resource and contain no slash; write either names or references"),
				}
			}
			out = append(out, Argument{Mapping: mapping, Name: name})
		}
	}
	return out, nil
}

// resourceList returns the resources of a list separated by commas.
func resourceList(ctx context.Context, m Mapper, list string) ([]Mapping, error) {
	var out []Mapping
	for text := range strings.SplitSeq(list, ",") {
		members, err := category(ctx, m, text)
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			mapping, err := inGroup(ctx, m, member.Group, member.Resource)
			if err != nil {
				return nil, err
			}
			out = append(out, mapping)
		}
		if len(members) > 0 {
			continue
		}
		mapping, err := ParseResource(ctx, m, text)
		if err != nil {
			return nil, err
		}
		out = append(out, mapping)
	}
	return out, nil
}

// ParseResource returns the resource for a text of the form "resource", "resource.group" or
// "resource.version.group".
func ParseResource(ctx context.Context, m Mapper, text string) (Mapping, error) {
	gvr, gr, err := schema.ParseResourceArg(text)
	if err != nil {
		return Mapping{}, err
	}
	if gvr != nil {
		if found, err := m.ForResource(ctx, *gvr); !errors.Is(err, ErrNoMatch) {
			return found, err
		}
	}
	return m.ForResource(ctx, gr.WithVersion(""))
}

// references resolves each argument.
func references(ctx context.Context, m Mapper, args []string) ([]Argument, error) {
	var out []Argument
	for _, arg := range args {
		found, err := resolve(ctx, m, arg)
		if err != nil {
			return nil, &ArgumentError{arg, err}
		}
		out = append(out, found)
	}
	return out, nil
}

// resolve returns the meaning of one reference.
func resolve(ctx context.Context, m Mapper, arg string) (Argument, error) {
	if strings.Contains(arg, ",") {
		return Argument{}, errors.New("separate references that contain a slash with spaces, not commas")
	}
	parts := strings.Split(arg, "/")
	switch len(parts) {
	case 2:
		return twoParts(ctx, m, parts[0], parts[1])
	case 3:
		if parts[2] == "" {
			return Argument{}, errors.New("the name after the last slash is missing")
		}
		mapping, err := inGroup(ctx, m, parts[0], parts[1])
		return Argument{Mapping: mapping, Name: parts[2]}, err
	}
	return Argument{}, errors.New("write resource/name, group/resource or group/resource/name")
}

// twoParts distinguishes "resource/name" from "group/resource".
func twoParts(ctx context.Context, m Mapper, first, second string) (Argument, error) {
	if first == "" || second == "" {
		return Argument{}, errors.New("a part before or after the slash is missing")
	}
	resource, errResource := ParseResource(ctx, m, first)
	if errResource != nil && !errors.Is(errResource, ErrNoMatch) {
		return Argument{}, errResource
	}
	grouped, errGroup := inGroup(ctx, m, first, second)
	switch {
	case errResource == nil && errGroup == nil:
		return Argument{}, fmt.Errorf("it can be the object %q of %s, or the resource %s: write %s/%s for the object, %s for the resource",
			second, resource.Resource.GroupResource(), grouped.Resource.GroupResource(),
			resource.Resource.GroupResource(), second,
			grouped.Resource.GroupResource())
	case errResource == nil:
		return Argument{Mapping: resource, Name: second}, nil
	case errGroup == nil:
		return Argument{Mapping: grouped}, nil
	case strings.Contains(first, "."): // more likely a group
		return Argument{}, errGroup
	}
	return Argument{}, errResource
}

// inGroup returns a resource of a group.
func inGroup(ctx context.Context, m Mapper, group, resource string) (Mapping, error) {
	if group == "core" {
		group = ""
	}
	partial := schema.GroupVersionResource{Group: group, Resource: resource}
	found, err := m.ForResource(ctx, partial)
	if group != "" || err == nil && found.Resource.Group == "" || err != nil && !errors.Is(err, ErrAmbiguous) {
		return found, err
	}
	// A blank group means any, and others are preferred or there is no preference.
	all, err := meanings(ctx, m, partial)
	if err != nil {
		return Mapping{}, err
	}
	none := &NoMatchError{Resource: partial}
	for _, found := range all {
		if found.Resource.Group == "" {
			return found, nil
		}
		none.Others = append(none.Others, found.Resource.String())
	}
	return Mapping{}, none
}

// meanings returns the resources of all groups that a name can mean, as far as the mapper lists
// them.
func meanings(ctx context.Context, m Mapper, partial schema.GroupVersionResource) ([]Mapping, error) {
	switch m := m.(type) {
	case *Static:
		return m.AllForResource(partial), nil
	case *Multi:
		var out []Mapping
		for _, mapper := range m.mappers {
			all, err := meanings(ctx, mapper, partial)
			if err != nil {
				return nil, err
			}
			out = append(out, all...)
		}
		return out, nil
	case interface {
		Current(ctx context.Context) (*Static, []GroupProblem, error)
	}:
		static, _, err := m.Current(ctx)
		if err != nil {
			return nil, err
		}
		return static.AllForResource(partial), nil
	}
	found, err := m.ForResource(ctx, partial)
	if ambiguous, ok := errors.AsType[*AmbiguousError](err); ok {
		return ambiguous.Matches, nil
	}
	if errors.Is(err, ErrNoMatch) {
		return nil, nil
	}
	return []Mapping{found}, err
}

// InVersion returns the arguments with their resource in the version of an apiVersion,
// "group/version", or in another group that has a resource of that name. It returns an error for
// arguments that name several resources, because a version belongs to one resource.
func InVersion(ctx context.Context, m Mapper, apiVersion string, args ...Argument) ([]Argument, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	out := make([]Argument, len(args))
	for i, a := range args {
		if a.Resource.GroupResource() != args[0].Resource.GroupResource() {
			return nil, fmt.Errorf("%s cannot be the version of both %s and %s", gv,
				args[0].Resource.GroupResource(), a.Resource.GroupResource())
		}
		mapping, err := m.ForResource(ctx, gv.WithResource(a.Resource.Resource))
		if err != nil {
			return nil, err
		}
		out[i] = Argument{Mapping: mapping, Name: a.Name}
	}
	return out, nil
}
