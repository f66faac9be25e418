package meta

import (
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// ControllerOf returns the reference to the owner that manages the object, which lies in its
// metadata, or nil.
func ControllerOf(m *v1.ObjectMeta) *v1.OwnerReference {
	for i := range m.OwnerReferences {
		if r := &m.OwnerReferences[i]; r.Controller != nil && *r.Controller {
			return r
		}
	}
	return nil
}

// IsControlledBy reports whether owner manages the object. It compares UIDs, so a new object with
// the name of the owner does not count.
func IsControlledBy(m, owner *v1.ObjectMeta) bool {
	r := ControllerOf(m)
	return r != nil && r.UID == owner.UID
}

// NewControllerRef returns a reference to an object of the given kind as the managing owner, for
// which the deletion of the owner waits.
func NewControllerRef(owner *v1.ObjectMeta, kind schema.GroupVersionKind) v1.OwnerReference {
	yes, block := true, true
	r := NewOwnerRef(owner, kind)
	r.Controller, r.BlockOwnerDeletion = &yes, &block
	return r
}

// NewOwnerRef returns a reference to an object of the given kind as one owner among others.
func NewOwnerRef(owner *v1.ObjectMeta, kind schema.GroupVersionKind) v1.OwnerReference {
	return v1.OwnerReference{APIVersion: kind.APIVersion(), Kind: kind.Kind, Name: owner.Name, UID: owner.UID}
}

// SetOwnerRef adds a reference, in place of the one with the same UID if there is one. The error is
// a [*ControllerError] if both the reference and another one claim to be the controller; then
// nothing is changed.
func SetOwnerRef(m *v1.ObjectMeta, ref v1.OwnerReference) error {
	if c := ControllerOf(m); c != nil && c.UID != ref.UID && ref.Controller != nil && *ref.Controller {
		return &ControllerError{Present: *c, Refused: ref}
	}
	for i := range m.OwnerReferences {
		if m.OwnerReferences[i].UID == ref.UID {
			m.OwnerReferences[i] = ref
			return nil
		}
	}
	m.OwnerReferences = append(m.OwnerReferences, ref)
	return nil
}

// ControllerError says that an object is managed by another owner already. Find it with
// errors.AsType[*ControllerError].
type ControllerError struct {
	_ struct{} // literals name their fields

	// Present is the controller that the object has.
	Present v1.OwnerReference
	// Refused is the one that it did not get.
	Refused v1.OwnerReference
}

// Error implements error.
func (e *ControllerError) Error() string {
	return "meta: " + e.Refused.Kind + " " + e.Refused.Name +
		" cannot become the controller: the object is managed by " + e.Present.Kind + " " + e.Present.Name
}
