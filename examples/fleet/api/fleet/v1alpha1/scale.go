package v1alpha1

import (
	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
)

// MachinePoolAsScale shows the size of a pool. It is hand-written, and therefore not generated,
// because the scale marker does not support a selector that is a map of labels.
func MachinePoolAsScale(in *MachinePool, out *metav1.Scale, _ *conversion.Scope) error {
	selector, err := metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: in.Spec.MachineLabels})
	if err != nil {
		return err
	}
	*out = metav1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: "Scale", APIVersion: metav1.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{
			Name:              in.Name,
			Namespace:         in.Namespace,
			UID:               in.UID,
			ResourceVersion:   in.ResourceVersion,
			CreationTimestamp: in.CreationTimestamp,
		},
		Status: metav1.ScaleStatus{Replicas: in.Status.Size, Selector: selector},
	}
	if in.Spec.Size != nil {
		out.Spec.Replicas = *in.Spec.Size
	}
	return nil
}
