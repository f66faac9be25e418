// Package meta works with the metadata of objects of any Go type: it reads names and labels,
// iterates over lists, and maintains conditions and owners.
//
// An object is accessed through its kind record, which a scheme looks up:
//
//	kind, err := scheme.KindOf(obj)
//	…
//	m, err := meta.Accessor(kind, obj)
//	…
//	m.Labels["app"] = "web"
//
// [Accessor] returns a pointer to the metadata struct, not a copy or an interface. [ListAccessor]
// does the same for lists, and [Items], [Extract] and [SetItems] access their items.
//
// The functions on conditions ([SetCondition] and its siblings) and on owners ([ControllerOf] and
// its siblings) take the slices and structs of package meta/v1 directly.
//
// # Related packages
//
// Package meta/v1 defines the types; package runtime defines the kind records. Package
// meta/selector selects objects by their labels, and package restmapper finds the kinds of
// resources.
package meta
