// Package apply merges configurations into objects and records who manages which field, like the
// server-side apply of Kubernetes.
//
// # The model
//
// An object lists its managers in metadata.managedFields: programs and people, each with the fields
// that it has set. Create one [Updater] for each resource. Its methods take and return encoded
// objects:
//
//	changed, err := updater.Apply(live, config, apply.Request{Manager: "web-operator", APIVersion: "v1"})
//
// [Updater.Apply] merges a configuration. Its fields belong to the manager from then on. Fields
// that the manager applied before and no longer applies are removed, unless another manager has
// them. Setting a field of another manager to another value is a [*ConflictError], or takes the
// field away with Request.Force. [Updater.Update] is for all other writes: the manager gets the
// fields that it changes.
//
// # Structure
//
// The structure of the kind, see package patch/structure, determines which lists are merged by
// element, and which values are managed as a whole. Without one, objects are merged and lists are
// replaced.
//
// # Versions
//
// Each manager's fields are named in the version in which it writes. If they differ,
// Options.Convert brings the object into the version of each. Managers whose version is no longer
// known are dropped.
//
// # Time and order
//
// A manager's time is that of the last write that changed one of its fields. A write that changes
// nothing leaves the object unchanged, byte for byte. At most ten managers of updates are recorded
// for each version; the fields of older ones move to the manager "ancient-changes".
//
// # Related packages
//
// Package patch has the other patch formats. The differences to Kubernetes are listed in
// docs/patches.md.
package apply
