package apiextensions

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/askind/askind/client"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/apiextensions/internal/stored"
	"github.com/askind/askind/server/apiextensions/v1"
)

// change applies a function to a definition, which must still be the same object. The function
// leaves the spec alone, which is not checked again.
func (c *controller) change(ctx context.Context, d *v1.CustomResourceDefinition,
	set func(*v1.CustomResourceDefinition), opts ...client.Option,
) error {
	same := *d
	same.Status = v1.CustomResourceDefinitionStatus{}
	v1.DeepCopyIntoCustomResourceDefinitionStatus(&d.Status, &same.Status)
	if set(&same); reflect.DeepEqual(&same, d) {
		return nil
	}
	_, err := c.definitions.Change(stored.Mark(ctx), d.Name, func(now *v1.CustomResourceDefinition) error {
		if now.UID != d.UID {
			return metav1.NotFound(v1.GroupVersion.WithResource("customresourcedefinitions").GroupResource(), d.Name)
		}
		set(now)
		return nil
	}, opts...)
	return err
}

// setStatus changes the status of a definition.
func (c *controller) setStatus(ctx context.Context, d *v1.CustomResourceDefinition,
	set func(*v1.CustomResourceDefinitionStatus),
) error {
	return c.change(ctx, d, func(d *v1.CustomResourceDefinition) { set(&d.Status) }, client.Subresource("status"))
}

// release removes the finalizer.
func (c *controller) release(ctx context.Context, d *v1.CustomResourceDefinition) error {
	return c.change(ctx, d, func(d *v1.CustomResourceDefinition) {
		d.Finalizers = sorted.Delete(slices.Clone(d.Finalizers), func(f string) bool { return f == v1.Finalizer })
	})
}

// established reports whether a definition has been served.
func established(d *v1.CustomResourceDefinition) bool {
	return meta.IsConditionTrue(d.Status.Conditions, v1.Established)
}

// condition returns a condition of a definition.
func condition(d *v1.CustomResourceDefinition, kind string, status metav1.ConditionStatus, reason, message string,
) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: status, ObservedGeneration: d.Generation, Reason: reason, Message: message,
	}
}

// setCondition sets a condition of a definition.
func (c *controller) setCondition(ctx context.Context, d *v1.CustomResourceDefinition, next metav1.Condition) error {
	return c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) { meta.SetCondition(&s.Conditions, next) })
}

// notServed returns the condition Established of a definition that is not served.
func notServed(d *v1.CustomResourceDefinition, reason, message string) metav1.Condition {
	if d.HasServed() {
		reason = v1.Withdrawn
	}
	return condition(d, v1.Established, metav1.ConditionFalse, reason, message)
}

// accept records before a definition is served that its names are, and that objects may be stored
// in its storage version. What is stored then may be newer than what is about to be served.
func (c *controller) accept(ctx context.Context, d *v1.CustomResourceDefinition) error {
	i := slices.IndexFunc(d.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Storage })
	storage := d.Spec.Versions[i].Name
	return c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		s.AcceptedNames = d.Spec.Names
		meta.SetCondition(&s.Conditions,
			condition(d, v1.NamesAccepted, metav1.ConditionTrue, "NoConflicts", "no conflicts found"))
		if !slices.Contains(s.StoredVersions, storage) {
			s.StoredVersions = append(slices.Clone(s.StoredVersions), storage)
		}
	})
}

// establish records that a definition is served.
func (c *controller) establish(ctx context.Context, d *v1.CustomResourceDefinition) error {
	return c.setCondition(ctx, d, condition(d, v1.Established, metav1.ConditionTrue,
		"InitialNamesAccepted", "the initial names have been accepted"))
}

// rejectNames records that another resource has one of the names.
func (c *controller) rejectNames(ctx context.Context, d *v1.CustomResourceDefinition, reason, message string) error {
	return c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		meta.SetCondition(&s.Conditions, condition(d, v1.NamesAccepted, metav1.ConditionFalse, reason, message))
		if c.served[d.Name] == nil {
			meta.SetCondition(&s.Conditions, notServed(d, "NotAccepted", "not all names are accepted"))
		}
	})
}

// fail records that a definition cannot be served for another reason. If an earlier generation of
// it is served, that remains so.
func (c *controller) fail(ctx context.Context, d *v1.CustomResourceDefinition, reason string, cause error) error {
	next := notServed(d, reason, cause.Error())
	if served := c.served[d.Name]; served != nil {
		next = condition(served, v1.Established, metav1.ConditionTrue, reason,
			fmt.Sprintf("generation %d is not served: %v", d.Generation, cause))
	}
	return c.setCondition(ctx, d, next)
}

// terminates records that the objects of a definition are being deleted, or why they cannot be.
func (c *controller) terminates(ctx context.Context, d *v1.CustomResourceDefinition, reason, message string) error {
	return c.setCondition(ctx, d, condition(d, v1.Terminating, metav1.ConditionTrue, reason, message))
}
