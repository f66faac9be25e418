// Package schema names things: API groups, versions, kinds and resources, fields inside an
// object, and places in a text.
//
// # Identifiers
//
// An API group is a name such as fleet.example.com; the group with the blank name is the legacy
// group of Kubernetes. Within a group there are versions (v1alpha1, v1), and within a version kinds
// (Machine), which are types, and resources (machines), which are what a URL says for the objects
// of a kind. [GroupVersion], [GroupKind], [GroupVersionKind], [GroupResource] and
// [GroupVersionResource] put them together. All are plain comparable values: use them as map keys
// and compare them with ==. Their Compare methods give a stable order for lists.
//
// Objects state their type in two strings, apiVersion and kind. [FromAPIVersionAndKind] and
// [ParseGroupVersion] read them, and [GroupVersionKind.APIVersion] writes the first. On a command
// line people write machines.v1.fleet.example.com or shorter forms; see [ParseResourceArg] and
// [ParseKindArg]. A malformed text is always an error, a [*ParseError] that says where and what to
// write instead; it never turns into a blank group.
//
// [CompareVersions] orders versions by stability and age: v2, v1, v1beta1, v1alpha1.
//
// # Fields
//
// A [Path] is the way from an object to one of its fields, printed as spec.containers[2].image or
// metadata.labels[app.kubernetes.io/name]. It is a linked list that grows while code walks down,
// and costs no text until somebody prints it. Code that does not want to carry a path down adds it
// on the way back up, only when there is an error, with [AtField], [AtIndex] and [AtKey].
//
// # Texts
//
// A [Position] is a place in a text as editors show it, computed from a byte offset by
// [PositionOf]. [Nearest] finds the name that was probably meant by one that is not known. [Limits]
// bound what is read of a text, and of other formats.
//
// # Related packages
//
// The package imports nothing else of this module. Package conversion plans how to get from one
// version to another, and package runtime keeps what is known about each kind.
package schema
