package meta_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

func TestOwners(t *testing.T) {
	t.Parallel()
	pool := schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "MachinePool"}
	owner := &metav1.ObjectMeta{Name: "p", UID: "1"}
	other := &metav1.ObjectMeta{Name: "p", UID: "2"}
	m := &metav1.ObjectMeta{}

	if meta.ControllerOf(m) != nil || meta.IsControlledBy(m, owner) {
		t.Error("an object without owners has a controller")
	}
	if err := meta.SetOwnerRef(m, meta.NewOwnerRef(other, pool)); err != nil || meta.ControllerOf(m) != nil {
		t.Errorf("a plain owner became the controller: %v", err)
	}
	if err := meta.SetOwnerRef(m, meta.NewControllerRef(owner, pool)); err != nil || len(m.OwnerReferences) != 2 {
		t.Fatalf("owners %+v, %v", m.OwnerReferences, err)
	}
	c := meta.ControllerOf(m)
	if c != &m.OwnerReferences[1] || c.APIVersion != "fleet.example.com/v1" || c.Kind != "MachinePool" ||
		c.Name != "p" || c.UID != "1" || !*c.BlockOwnerDeletion {
		t.Errorf("controller %+v", c)
	}
	if !meta.IsControlledBy(m, owner) || meta.IsControlledBy(m, other) {
		t.Error("the controller is told by its name")
	}

	err := meta.SetOwnerRef(m, meta.NewControllerRef(other, pool))
	if e, ok := errors.AsType[*meta.ControllerError](err); !ok || e.Present.UID != "1" || e.Refused.UID != "2" ||
		*meta.ControllerOf(m) != *c {
		t.Errorf("a second controller: %v", err)
	}
	if err := meta.SetOwnerRef(m, meta.NewOwnerRef(owner, pool)); err != nil || len(m.OwnerReferences) != 2 ||
		meta.ControllerOf(m) != nil {
		t.Errorf("owners %+v, %v, want the controller replaced by a plain owner", m.OwnerReferences, err)
	}
}
