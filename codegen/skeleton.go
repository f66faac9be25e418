package codegen

import (
	"github.com/askind/askind/codegen/internal/skeleton"
)

// SkeletonSpec says what [Skeleton] writes.
type SkeletonSpec struct {
	// Group is the name of the API group, such as fleet.example.com.
	Group string
	// Kind is the Go name of the kind, such as Machine.
	Kind string
	// Path is the import path of the directory that the files are for.
	Path string
}

// Skeleton returns the source of a new API group, by file name relative to its directory: two
// versions of one kind with the markers that steer the generator, a package that registers both,
// and a test that converts and prints an object and proves round trips. It compiles once the
// generator has run over it. Names that cannot be are a [UsageError].
func Skeleton(s SkeletonSpec) (map[string][]byte, error) {
	files, err := skeleton.Files(s.Group, s.Kind, s.Path)
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	return files, nil
}

// ProjectSpec says what [Project] writes.
type ProjectSpec struct {
	// Group, Version and Kind are the name of the API group, the current version of its kind, such
	// as v1, and the Go name of the kind.
	Group, Version, Kind string
	// Single is whether there is no older version.
	Single bool
	// Module is the path of the module, such as example.com/garage, by default named after the
	// group.
	Module string
	// Require is the version of this module, and Replace the directory of a checkout that stands in
	// for it; blank for none.
	Require, Replace string
}

// Project returns the files of a module that serves one kind in one or two versions, by name
// relative to its directory: the types, the program, a test that runs the server, a page that says
// how to go on, and two objects. The requirements in its go.mod are those that the source states;
// go mod tidy adds the others. It compiles once the generator has run. Names that cannot be are a
// [UsageError].
func Project(s ProjectSpec) (map[string][]byte, error) {
	if s.Module == "" {
		s.Module = moduleOf(s.Group)
	}
	files, err := skeleton.Project(skeleton.ProjectSpec(s))
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	return files, nil
}

// SkeletonName returns the name of the package that [Skeleton] writes for a group, blank if the
// group has no such name.
func SkeletonName(group string) string { return skeleton.PackageName(group) }
