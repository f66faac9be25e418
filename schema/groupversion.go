package schema

import (
	"cmp"
	"strings"
)

// GroupVersion is one version of an API group. Its text is the apiVersion of objects.
type GroupVersion struct {
	Group, Version string
}

// String returns "group/version", or the version alone for the group with the blank name.
// [ParseGroupVersion] is its inverse.
func (gv GroupVersion) String() string {
	if gv.Group == "" {
		return gv.Version
	}
	return gv.Group + "/" + gv.Version
}

// is reports whether text is the apiVersion of gv, without building it.
func (gv GroupVersion) is(text string) bool {
	if gv.Group == "" {
		return text == gv.Version
	}
	group, version, ok := strings.Cut(text, "/")
	return ok && group == gv.Group && version == gv.Version
}

// Empty reports whether group and version are both blank.
func (gv GroupVersion) Empty() bool { return gv == GroupVersion{} }

// WithKind returns the kind of that name in gv.
func (gv GroupVersion) WithKind(kind string) GroupVersionKind {
	return GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: kind}
}

// WithResource returns the resource of that name in gv.
func (gv GroupVersion) WithResource(resource string) GroupVersionResource {
	return GroupVersionResource{Group: gv.Group, Version: gv.Version, Resource: resource}
}

// Compare orders by group in lexical order, the blank one first, then by version as
// [CompareVersions] does, the preferred one first. It returns 0 for equal values only.
func (gv GroupVersion) Compare(other GroupVersion) int {
	return cmp.Or(strings.Compare(gv.Group, other.Group), CompareVersions(gv.Version, other.Version))
}

// Check returns a [*ParseError] unless the group is blank or a well-formed name and the version is
// a well-formed name: without white space, slashes, characters that do not print and, in groups,
// blank parts between dots.
func (gv GroupVersion) Check() error {
	if err := checkGroup("group", gv.Group, gv.Group, 0); err != nil {
		return err
	}
	return checkName("version", gv.Version, gv.Version, 0)
}
