package format

import "github.com/askind/askind/runtime"

// Place describes the location of an object on a server, for formats with links. Paths begin with a
// slash and are escaped. A server sets the fields that it knows; Path is always set.
type Place struct {
	_ struct{} // literals name their fields

	// Path and Query are those of the request.
	Path, Query string
	// Scheme is the scheme that knows the kinds as which an object can be shown.
	Scheme *runtime.Scheme
	// Forms lists the media types, with parameters, of the alternative representations.
	Forms []string
	// Index lists the paths of starting pages.
	Index []string
	// Resource describes the resource of the path; nil for other paths, such as those of discovery.
	Resource *ResourcePlace
}

// ResourcePlace is the location of the objects of a resource, of one of them, or of a subresource.
type ResourcePlace struct {
	_ struct{} // literals name their fields

	// Root is the path of the group version.
	Root string
	// Resource is the name of the resource, such as "cars".
	Resource string
	// Namespaced reports whether objects are in namespaces.
	Namespaced bool
	// Namespace, Name and Subresource are blank if the path does not include them.
	Namespace, Name, Subresource string
	// Watch reports whether changes can be watched.
	Watch bool
	// Subresources lists the names of the readable subresources of an object.
	Subresources []string
	// Versions lists the versions of the resource with the paths of their group versions, in order
	// of preference.
	Versions []VersionPlace
}

// VersionPlace is the location of one version of a resource.
type VersionPlace struct {
	_ struct{} // literals name their fields

	// Version is the version, such as "v1", and Root is the path of the group version.
	Version, Root string
}
