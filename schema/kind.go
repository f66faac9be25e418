package schema

import (
	"cmp"
	"strings"
)

// GroupKind identifies a kind in all its versions.
type GroupKind struct {
	Group, Kind string
}

// String returns "Kind.group", or the kind alone for the group with the blank name.
// [ParseGroupKind] is its inverse.
func (gk GroupKind) String() string { return dotted(gk.Kind, gk.Group) }

// Empty reports whether group and kind are both blank.
func (gk GroupKind) Empty() bool { return gk == GroupKind{} }

// WithVersion returns gk in the given version.
func (gk GroupKind) WithVersion(version string) GroupVersionKind {
	return GroupVersionKind{Group: gk.Group, Version: version, Kind: gk.Kind}
}

// Compare orders by group, then by kind, in lexical order. It returns 0 for equal values only.
func (gk GroupKind) Compare(other GroupKind) int {
	return cmp.Or(strings.Compare(gk.Group, other.Group), strings.Compare(gk.Kind, other.Kind))
}

// GroupVersionKind identifies the type of an object.
type GroupVersionKind struct {
	Group, Version, Kind string
}

// String returns "group/version, Kind=kind" for people to read, without the slash for the group
// with the blank name.
func (gvk GroupVersionKind) String() string {
	return gvk.APIVersion() + ", Kind=" + gvk.Kind
}

// Empty reports whether all parts are blank.
func (gvk GroupVersionKind) Empty() bool { return gvk == GroupVersionKind{} }

// GroupVersion returns gvk without the kind.
func (gvk GroupVersionKind) GroupVersion() GroupVersion {
	return GroupVersion{Group: gvk.Group, Version: gvk.Version}
}

// GroupKind returns gvk without the version.
func (gvk GroupVersionKind) GroupKind() GroupKind {
	return GroupKind{Group: gvk.Group, Kind: gvk.Kind}
}

// APIVersion returns the apiVersion of objects of the kind: "group/version", or "version" for the
// group with the blank name.
func (gvk GroupVersionKind) APIVersion() string { return gvk.GroupVersion().String() }

// Mismatch compares the apiVersion and kind that an object states with gvk. It returns the field
// that differs and a message for users, or blanks if they match. Blank arguments match.
func (gvk GroupVersionKind) Mismatch(apiVersion, kind string) (field, message string) {
	switch {
	case kind != "" && kind != gvk.Kind:
		field, kind = "kind", "kind "+Quote(kind)
	case apiVersion != "" && !gvk.GroupVersion().is(apiVersion):
		field, kind = "apiVersion", "apiVersion "+Quote(apiVersion)
	default:
		return "", ""
	}
	return field, kind + " does not match " + gvk.String()
}

// Compare orders by group version as [GroupVersion.Compare] does, then by kind in lexical order. It
// returns 0 for equal values only.
func (gvk GroupVersionKind) Compare(other GroupVersionKind) int {
	return cmp.Or(gvk.GroupVersion().Compare(other.GroupVersion()), strings.Compare(gvk.Kind, other.Kind))
}

// Check returns a [*ParseError] unless [GroupVersion.Check] accepts the group version and the kind
// is a well-formed name: without white space, slashes, dots and characters that do not print.
func (gvk GroupVersionKind) Check() error {
	if err := gvk.GroupVersion().Check(); err != nil {
		return err
	}
	return checkUndotted("kind", gvk.Kind, gvk.Kind, 0)
}

// dotted joins a name and its group.
func dotted(name, group string) string {
	if group == "" {
		return name
	}
	return name + "." + group
}
