// Package schema defines identifiers of API groups, versions, kinds and resources, of fields in an
// object, and of positions in a text.
//
// # Identifiers
//
// An API group is a name such as fleet.example.com; the group with the blank name is the core group
// of Kubernetes. A group has versions (v1alpha1, v1). A version has kinds (Machine), which are
// types, and resources (machines), which identify the objects of a kind in URLs. [GroupVersion],
// [GroupKind], [GroupVersionKind], [GroupResource] and [GroupVersionResource] put them together.
// All are comparable: use them as map keys and compare them with ==. Their Compare methods define a
// stable order for lists.
//
// Objects state their type in two strings, apiVersion and kind. [FromAPIVersionAndKind] and
// [ParseGroupVersion] read them, and [GroupVersionKind.APIVersion] writes the first. On a command
// line people write machines.v1.fleet.example.com or shorter forms; see [ParseResourceArg] and
// [ParseKindArg]. Malformed text is always a [*ParseError], which states the position and what to
// write instead; it never becomes a blank group.
//
// [CompareVersions] orders versions by stability and age: v2, v1, v1beta1, v1alpha1.
//
// # Fields
//
// A [Path] leads from an object to one of its fields, and prints as spec.containers[2].image or
// metadata.labels[app.kubernetes.io/name]. It is a linked list that grows as code descends, and is
// rendered as text only when printed. Code that does not pass a path down can add it while an error
// is returned, with [AtField], [AtIndex] and [AtKey].
//
// # Texts
//
// A [Position] is a place in a text as editors show it, computed from a byte offset by
// [PositionOf]. [Nearest] suggests a known name for a mistyped one. [Limits] bound the input of all
// formats.
//
// # Related packages
//
// Package schema imports no other package of this module. Package conversion plans routes from one
// version to another, and package runtime registers kinds.
package schema
