package meta

import (
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// ControllerOf returns a pointer to the owner reference in m that is the controller, or nil.
func ControllerOf(m *v1.ObjectMeta) *v1.OwnerReference {
	for i := range m.OwnerReferences {
		if r := &m.OwnerReferences[i]; r.Controller != nil && *r.Controller {
			return r
		}
	}
	return nil
}

// IsControlledBy reports whether owner is the controller of the object. It compares UIDs, so a new
// object with the name of the owner does not match.
func IsControlledBy(m, owner *v1.ObjectMeta) bool {
	r := ControllerOf(m)
	return r != nil && r.UID == owner.UID
}

// NewControllerRef returns a reference to an object of the given kind as the controller. The
// reference blocks the deletion of the owner.
func NewControllerRef(owner *v1.ObjectMeta, kind schema.GroupVersionKind) v1.OwnerReference {
	yes, block := true, true
	r := NewOwnerRef(owner, kind)
	r.Controller, r.BlockOwnerDeletion = &yes, &block
	return r
}

// NewOwnerRef returns a reference to an object of the given kind as an owner that is not the
// controller.
func NewOwnerRef(owner *v1.ObjectMeta, kind schema.GroupVersionKind) v1.OwnerReference {
	return v1.OwnerReference{APIVersion: kind.APIVersion(), Kind: kind.Kind, Name: owner.Name, UID: owner.UID}
}

// SetOwnerRef adds a reference, or replaces the one with the same UID. The error is a
// [*ControllerError] if both the reference and another one claim to be the controller; then nothing
// is changed.
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

// ControllerError reports that an object already has another controller. Find it with
// errors.AsType[*ControllerError].
type ControllerError struct {
	_ struct{} // literals name their fields

	// Present is the controller of the object.
	Present v1.OwnerReference
	// Refused is the rejected reference.
	Refused v1.OwnerReference
}

// Error implements error.
func (e *ControllerError) Error() string {
	return "meta: " + e.Refused.Kind + " " + e.Refused.Name +
		" cannot become the controller: the object is managed by " + e.Present.Kind + " " + e.Present.Name
}
