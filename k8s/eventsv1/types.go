package eventsv1

import "k8s.io/api/events/v1"

// What the type itself does not say: its short name and columns.

// +kubebuilder:resource:shortName=ev
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.type`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.reason`
// +kubebuilder:printcolumn:name="Object",type=string,JSONPath=`.regarding.name`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.note`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = v1.Event
