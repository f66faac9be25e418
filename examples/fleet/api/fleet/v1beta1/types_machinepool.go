package v1beta1

import (
	"github.com/askind/askind/meta/intstr"
	metav1 "github.com/askind/askind/meta/v1"
)

// MachinePool keeps a number of machines that are all alike.
//
// +askind:kind:resource=machinepools,shortName=mp,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`,description="Number of machines wanted."
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`,description="Number of machines that exist."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`,description="Number of machines that take work."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones[*]`,description="Where the machines are.",priority=1
type MachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the pool should be.
	Spec MachinePoolSpec `json:"spec"`

	// Status is what it was last seen to be.
	Status MachinePoolStatus `json:"status,omitzero"`
}

// MachinePoolList is a list of pools.
type MachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the pools.
	Items []MachinePool `json:"items"`
}

// MachinePoolSpec is what a pool should be.
//
// +askind:absent:field=strategy.type,reason="v1beta1 knows rolling updates only"
// +askind:absent:field=strategy.rollingUpdate.maxSurge,reason="pools of v1beta1 never have too many machines"
type MachinePoolSpec struct {
	// Replicas is the number of machines wanted.
	//
	// +default=1
	Replicas *int64 `json:"replicas,omitempty"`

	// Selector finds the machines of the pool. If it is left out, it selects by the labels of the
	// template.
	Selector metav1.LabelSelector `json:"selector,omitzero"`

	// Template is what every machine of the pool is made from.
	Template MachineTemplate `json:"template"`

	// MaxUnavailable is how many machines may be missing while they are replaced, as a number or as
	// a percentage of the pool.
	//
	// +askind:to=strategy.rollingUpdate.maxUnavailable
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// Zones are the zones that the machines are spread over. Without any, all of them are in the
	// zone of the template.
	Zones []string `json:"zones,omitempty"`

	// CooldownSeconds is the least time between two changes of size.
	//
	// +askind:to=cooldown
	CooldownSeconds *int64 `json:"cooldownSeconds,omitempty"`
}

// MachineTemplate is what machines are made from.
type MachineTemplate struct {
	// Metadata is what they get of the metadata of objects.
	Metadata TemplateMetadata `json:"metadata,omitzero"`

	// Spec is what they should be.
	Spec MachineSpec `json:"spec"`
}

// TemplateMetadata is the part of the metadata of objects that can be copied from a template.
type TemplateMetadata struct {
	// Labels are the labels of the machines.
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations are the annotations of the machines.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// MachinePoolStatus is what a pool was last seen to be.
type MachinePoolStatus struct {
	// Replicas is the number of machines that exist.
	Replicas int64 `json:"replicas"`

	// ReadyReplicas is the number of machines that take work.
	ReadyReplicas int64 `json:"readyReplicas,omitempty"`

	// Conditions are aspects of the pool, such as Available.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the pool that this status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
