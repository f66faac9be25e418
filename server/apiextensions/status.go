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

// change applies a function to a definition and returns what is stored then. The definition must
// still be the same object. The function leaves the spec alone, which is not checked again.
func (c *controller) change(ctx context.Context, d *v1.CustomResourceDefinition,
	set func(*v1.CustomResourceDefinition), opts ...client.Option,
) (*v1.CustomResourceDefinition, error) {
	same := *d
	same.Status = v1.CustomResourceDefinitionStatus{}
	v1.DeepCopyIntoCustomResourceDefinitionStatus(&d.Status, &same.Status)
	if set(&same); reflect.DeepEqual(&same, d) {
		return d, nil
	}
	return c.definitions.Change(stored.Mark(ctx), d.Name, func(now *v1.CustomResourceDefinition) error {
		if now.UID != d.UID {
			return metav1.NotFound(v1.GroupVersion.WithResource("customresourcedefinitions").GroupResource(), d.Name)
		}
		set(now)
		return nil
	}, opts...)
}

// setStatus changes the status of a definition.
func (c *controller) setStatus(ctx context.Context, d *v1.CustomResourceDefinition,
	set func(*v1.CustomResourceDefinitionStatus),
) (*v1.CustomResourceDefinition, error) {
	return c.change(ctx, d, func(d *v1.CustomResourceDefinition) { set(&d.Status) }, client.Subresource("status"))
}

// release removes the finalizer.
func (c *controller) release(ctx context.Context, d *v1.CustomResourceDefinition) error {
	_, err := c.change(ctx, d, func(d *v1.CustomResourceDefinition) {
		d.Finalizers = sorted.Delete(slices.Clone(d.Finalizers), func(f string) bool { return f == v1.Finalizer })
	})
	return err
}

// established reports whether a definition has been served.
func established(d *v1.CustomResourceDefinition) bool {
	return meta.IsConditionTrue(d.Status.Conditions, v1.Established)
}

// withdrawn is the reason of the condition Established of a definition that was served before, when
// its names or its schema suited the server: there may be objects of it.
const withdrawn = "Withdrawn"

// hasServed reports whether there may be objects of a definition.
func hasServed(d *v1.CustomResourceDefinition) bool {
	c := meta.FindCondition(d.Status.Conditions, v1.Established)
	return c != nil && (c.Status == metav1.ConditionTrue || c.Reason == withdrawn)
}

// notServed returns the condition Established of a definition that is not served.
func notServed(d *v1.CustomResourceDefinition, reason, message string) metav1.Condition {
	if hasServed(d) {
		reason = withdrawn
	}
	return metav1.Condition{
		Type: v1.Established, Status: metav1.ConditionFalse, ObservedGeneration: d.Generation,
		Reason: reason, Message: message,
	}
}

// accept records before a definition is served that its names are, and that objects may be stored
// in its storage version.
func (c *controller) accept(ctx context.Context, d *v1.CustomResourceDefinition) (*v1.CustomResourceDefinition, error) {
	i := slices.IndexFunc(d.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Storage })
	storage := d.Spec.Versions[i].Name
	return c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		s.AcceptedNames = d.Spec.Names
		meta.SetCondition(&s.Conditions, metav1.Condition{
			Type: v1.NamesAccepted, Status: metav1.ConditionTrue, ObservedGeneration: d.Generation,
			Reason: "NoConflicts", Message: "no conflicts found",
		})
		if !slices.Contains(s.StoredVersions, storage) {
			s.StoredVersions = append(slices.Clone(s.StoredVersions), storage)
		}
	})
}

// establish records that a definition is served.
func (c *controller) establish(ctx context.Context, d *v1.CustomResourceDefinition) error {
	_, err := c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		meta.SetCondition(&s.Conditions, metav1.Condition{
			Type: v1.Established, Status: metav1.ConditionTrue, ObservedGeneration: d.Generation,
			Reason: "InitialNamesAccepted", Message: "the initial names have been accepted",
		})
	})
	return err
}

// rejectNames records that another resource has one of the names.
func (c *controller) rejectNames(ctx context.Context, d *v1.CustomResourceDefinition, reason, message string) error {
	_, err := c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		meta.SetCondition(&s.Conditions, metav1.Condition{
			Type: v1.NamesAccepted, Status: metav1.ConditionFalse, ObservedGeneration: d.Generation,
			Reason: reason, Message: message,
		})
		if c.served[d.Name] == nil {
			meta.SetCondition(&s.Conditions, notServed(d, "NotAccepted", "not all names are accepted"))
		}
	})
	return err
}

// fail records that a definition cannot be served for another reason. If an earlier generation of
// it is served, that remains so.
func (c *controller) fail(ctx context.Context, d *v1.CustomResourceDefinition, reason string, cause error) error {
	condition := notServed(d, reason, cause.Error())
	if served := c.served[d.Name]; served != nil {
		condition.Status, condition.ObservedGeneration = metav1.ConditionTrue, served.Generation
		condition.Reason = reason
		condition.Message = fmt.Sprintf("generation %d is not served: %v", d.Generation, cause)
	}
	_, err := c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		meta.SetCondition(&s.Conditions, condition)
	})
	return err
}

// terminates records that the objects of a definition are being deleted, or why they cannot be.
func (c *controller) terminates(ctx context.Context, d *v1.CustomResourceDefinition, reason, message string) error {
	_, err := c.setStatus(ctx, d, func(s *v1.CustomResourceDefinitionStatus) {
		meta.SetCondition(&s.Conditions, metav1.Condition{
			Type: v1.Terminating, Status: metav1.ConditionTrue, ObservedGeneration: d.Generation,
			Reason: reason, Message: message,
		})
	})
	return err
}
