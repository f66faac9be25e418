package restmapper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askind/askind/schema"
)

// Argument is what an argument of a command line means: a resource, and one object of it or all.
type Argument struct {
	Mapping
	// Name is the object, blank for all objects of the resource.
	Name string
}

// ArgumentError says which argument cannot be understood. errors.Is and errors.As find the cause.
type ArgumentError struct {
	// Argument is what was written.
	Argument string
	// Err is the cause: a [*NoMatchError], an [*AmbiguousError], or an error about the form.
	Err error
}

// Error implements error.
func (e *ArgumentError) Error() string { return fmt.Sprintf("argument %q: %v", e.Argument, e.Err) }

// Unwrap returns the cause.
func (e *ArgumentError) Unwrap() error { return e.Err }

// ParseArguments finds out which resources and objects people mean by the arguments of a command.
// It takes either resources and then names,
//
//	cars beetle van
//	cars,trucks
//	all
//
// or references that each name one object or all of a resource:
//
//	cars/beetle
//	cars.example.com/cars/beetle
//	cars.example.com/cars
//
// A resource is a plural, a singular or a short name, alone or as "resource.group" or
// "resource.version.group", or, as a word of its own, a category such as "all". A group may be cut
// short where only one fits; "core" means the group with the blank name. In a reference of two
// parts, the first is a resource if there is one of that name and else a group; if both would do,
// the error says how to write which of them is meant.
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
					errors.New("names follow a resource, and have no slash; write either names or references"),
				}
			}
			out = append(out, Argument{Mapping: mapping, Name: name})
		}
	}
	return out, nil
}

// resourceList finds the resources of a list separated by commas.
func resourceList(ctx context.Context, m Mapper, list string) ([]Mapping, error) {
	var out []Mapping
	for text := range strings.SplitSeq(list, ",") {
		members, err := category(ctx, m, text)
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			mapping, err := m.ForResource(ctx, member.WithVersion(""))
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

// ParseResource finds the resource that a person means: "resource", "resource.group" or
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

// references finds what each argument refers to.
func references(ctx context.Context, m Mapper, args []string) ([]Argument, error) {
	var out []Argument
	for _, arg := range args {
		found, err := reference1(ctx, m, arg)
		if err != nil {
			return nil, &ArgumentError{arg, err}
		}
		out = append(out, found)
	}
	return out, nil
}

// reference1 finds what one argument refers to.
func reference1(ctx context.Context, m Mapper, arg string) (Argument, error) {
	parts := strings.Split(arg, "/")
	switch len(parts) {
	case 2:
		return twoParts(ctx, m, parts[0], parts[1])
	case 3:
		if parts[2] == "" {
			return Argument{}, errors.New("there is no name behind the last slash")
		}
		mapping, err := inGroup(ctx, m, parts[0], parts[1])
		return Argument{Mapping: mapping, Name: parts[2]}, err
	}
	return Argument{}, errors.New("write resource/name, group/resource or group/resource/name")
}

// twoParts tells "resource/name" from "group/resource".
func twoParts(ctx context.Context, m Mapper, first, second string) (Argument, error) {
	if first == "" || second == "" {
		return Argument{}, errors.New("a part before or behind the slash is missing")
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
	case strings.Contains(first, "."): // more like a group
		return Argument{}, errGroup
	}
	return Argument{}, errResource
}

// inGroup finds a resource of a group.
func inGroup(ctx context.Context, m Mapper, group, resource string) (Mapping, error) {
	partial := schema.GroupVersionResource{Group: group, Resource: resource}
	if group == "" || group == "core" {
		partial.Group = ""
		found, err := m.ForResource(ctx, partial)
		if ambiguous, ok := errors.AsType[*AmbiguousError](err); ok {
			for _, match := range ambiguous.Matches {
				if match.Resource.Group == "" {
					return match, nil
				}
			}
		}
		if err == nil && found.Resource.Group != "" {
			return Mapping{}, &NoMatchError{Resource: partial, Others: []string{found.Resource.String()}}
		}
		return found, err
	}
	return m.ForResource(ctx, partial)
}

// InVersion returns the arguments with their resource in the version of an apiVersion,
// "group/version", or in another group that has a resource of that name. It is an error for
// arguments that name several resources, because a version belongs to one.
func InVersion(ctx context.Context, m Mapper, apiVersion string, args ...Argument) ([]Argument, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	out := make([]Argument, len(args))
	for i, a := range args {
		if a.Resource.GroupResource() != args[0].Resource.GroupResource() {
			return nil, fmt.Errorf("%s is a version of one resource, not of %s and %s at a time", gv,
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
