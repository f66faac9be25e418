package v1beta1

import (
	"github.com/askind/askind/meta/intstr"
	metav1 "github.com/askind/askind/meta/v1"
)

// MachinePool manages a number of identical machines.
//
// +askind:kind:resource=machinepools,shortName=mp,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`,description="Desired number of machines."
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`,description="Number of machines that exist."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`,description="Number of machines that accept work."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones[*]`,description="The locations of the machines.",priority=1
type MachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec MachinePoolSpec `json:"spec"`

	// Status is the observed state.
	Status MachinePoolStatus `json:"status,omitzero"`
}

// MachinePoolList is a list of pools.
type MachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the pools.
	Items []MachinePool `json:"items"`
}

// MachinePoolSpec is the desired state of a pool.
//
// +askind:absent:field=strategy.type,reason="v1beta1 knows rolling updates only"
// +askind:absent:field=strategy.rollingUpdate.maxSurge,reason="pools of v1beta1 never have too many machines"
type MachinePoolSpec struct {
	// Replicas is the desired number of machines.
	//
	// +default=1
	Replicas *int64 `json:"replicas,omitempty"`

	// Selector selects the machines of the pool. By default it selects by the labels of the
	// template.
	Selector metav1.LabelSelector `json:"selector,omitzero"`

	// Template is the template of the pool's machines.
	Template MachineTemplate `json:"template"`

	// MaxUnavailable is the maximum number of machines that may be missing during an update, as a
	// number or as a percentage of the pool.
	//
	// +askind:to=strategy.rollingUpdate.maxUnavailable
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// Zones are the zones over which the machines are spread. By default all of them are in the
	// zone of the template.
	Zones []string `json:"zones,omitempty"`

	// CooldownSeconds is the minimum time between changes of the size.
	//
	// +askind:to=cooldown
	CooldownSeconds *int64 `json:"cooldownSeconds,omitempty"`
}

// MachineTemplate is a template of machines.
type MachineTemplate struct {
	// Metadata is the metadata of the machines.
	Metadata TemplateMetadata `json:"metadata,omitzero"`

	// Spec is the desired state of the machines.
	Spec MachineSpec `json:"spec"`
}

// TemplateMetadata is the part of the metadata of objects that can be copied from a template.
type TemplateMetadata struct {
	// Labels are the labels of the machines.
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations are the annotations of the machines.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// MachinePoolStatus is the observed state of a pool.
type MachinePoolStatus struct {
	// Replicas is the number of machines that exist.
	Replicas int64 `json:"replicas"`

	// ReadyReplicas is the number of machines that accept work.
	ReadyReplicas int64 `json:"readyReplicas,omitempty"`

	// Conditions are aspects of the pool, such as Available.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the pool that this status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
