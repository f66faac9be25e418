package format

import "github.com/askind/askind/runtime"

// Place is where on a server something is that is written, for formats with links. Paths begin with
// a slash and are escaped. A server fills in what it knows; Path is always set.
type Place struct {
	_ struct{} // literals name their fields

	// Path and Query are those of the request.
	Path, Query string
	// Scheme knows what else an object can be shown as.
	Scheme *runtime.Scheme
	// Forms are the media types, with parameters, in which the same can be had.
	Forms []string
	// Index are the paths at which to begin reading.
	Index []string
	// Resource is what the path names; nil for other paths, such as those of discovery.
	Resource *ResourcePlace
}

// ResourcePlace is the place of the objects of a resource, of one of them, or of something below
// that one.
type ResourcePlace struct {
	_ struct{} // literals name their fields

	// Root is the path of the group version.
	Root string
	// Resource is the name of the resource, such as "cars".
	Resource string
	// Namespaced says that objects are in namespaces.
	Namespaced bool
	// Namespace, Name and Subresource are blank as far as the path does not name them.
	Namespace, Name, Subresource string
	// Watch says that changes can be watched.
	Watch bool
	// Subresources are the names of what can be read below an object.
	Subresources []string
	// Versions are the versions of the resource with the paths of their group versions, in order of
	// preference.
	Versions []VersionPlace
}

// VersionPlace is the place of one version of a resource.
type VersionPlace struct {
	_ struct{} // literals name their fields

	// Version is the version, such as "v1", and Root the path of the group version.
	Version, Root string
}
