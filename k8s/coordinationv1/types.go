package coordinationv1

import "k8s.io/api/coordination/v1"

// What the type itself does not say: its columns.

// +kubebuilder:printcolumn:name="Holder",type=string,JSONPath=`.spec.holderIdentity`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = v1.Lease
