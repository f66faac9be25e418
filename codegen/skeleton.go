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
	files, err := skeleton.Files(skeleton.Spec(s))
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	return files, nil
}

// SkeletonName returns the name of the package that [Skeleton] writes for a group, blank if the
// group has no such name.
func SkeletonName(group string) string { return skeleton.PackageName(group) }
