// Package meta works with the metadata of objects whose Go type is not known: it reads names and
// labels, walks lists, and keeps conditions and owners.
//
// An object is reached through its kind record, which a scheme finds:
//
//	kind, err := scheme.KindOf(obj)
//	…
//	m, err := meta.Accessor(kind, obj)
//	…
//	m.Labels["app"] = "web"
//
// [Accessor] returns the metadata itself, not a copy and not an interface, so that reading and
// writing it is reading and writing a struct. [ListAccessor] does the same for lists, and [Items],
// [Extract] and [SetItems] reach what is in them.
//
// The functions on conditions ([SetCondition] and its siblings) and on owners ([ControllerOf] and
// its siblings) take the slices and structs of package meta/v1 directly.
//
// # Related packages
//
// Package meta/v1 holds the types; package runtime holds the kind records. Package meta/selector
// selects objects by their labels, and package restmapper finds the kinds of resources.
package meta
