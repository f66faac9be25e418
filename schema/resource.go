package schema

import (
	"cmp"
	"strings"
)

// GroupResource identifies a resource in all its versions.
type GroupResource struct {
	Group, Resource string
}

// String returns "resource.group", or the resource alone for the group with the blank name.
// [ParseGroupResource] is its inverse.
func (gr GroupResource) String() string { return dotted(gr.Resource, gr.Group) }

// Empty reports whether group and resource are both blank.
func (gr GroupResource) Empty() bool { return gr == GroupResource{} }

// WithVersion returns gr in the given version.
func (gr GroupResource) WithVersion(version string) GroupVersionResource {
	return GroupVersionResource{Group: gr.Group, Version: version, Resource: gr.Resource}
}

// Compare orders by group, then by resource, in lexical order. It returns 0 for equal values only.
func (gr GroupResource) Compare(other GroupResource) int {
	return cmp.Or(strings.Compare(gr.Group, other.Group), strings.Compare(gr.Resource, other.Resource))
}

// GroupVersionResource identifies a resource in one version, as a URL does.
type GroupVersionResource struct {
	Group, Version, Resource string
}

// String returns "group/version, Resource=resource" for people to read, without the slash for the
// group with the blank name.
func (gvr GroupVersionResource) String() string {
	return gvr.GroupVersion().String() + ", Resource=" + gvr.Resource
}

// Empty reports whether all parts are blank.
func (gvr GroupVersionResource) Empty() bool { return gvr == GroupVersionResource{} }

// GroupVersion returns gvr without the resource.
func (gvr GroupVersionResource) GroupVersion() GroupVersion {
	return GroupVersion{Group: gvr.Group, Version: gvr.Version}
}

// GroupResource returns gvr without the version.
func (gvr GroupVersionResource) GroupResource() GroupResource {
	return GroupResource{Group: gvr.Group, Resource: gvr.Resource}
}

// Compare orders by group version as [GroupVersion.Compare] does, then by resource in lexical
// order. It returns 0 for equal values only.
func (gvr GroupVersionResource) Compare(other GroupVersionResource) int {
	return cmp.Or(gvr.GroupVersion().Compare(other.GroupVersion()), strings.Compare(gvr.Resource, other.Resource))
}

// Check returns a [*ParseError] unless [GroupVersion.Check] accepts the group version and the
// resource is a well-formed name: without white space, slashes, dots and characters that do not
// print.
func (gvr GroupVersionResource) Check() error {
	if err := gvr.GroupVersion().Check(); err != nil {
		return err
	}
	return checkUndotted("resource", gvr.Resource, gvr.Resource, 0)
}
