package v1

import (
	"github.com/askind/askind/meta/intstr"
	metav1 "github.com/askind/askind/meta/v1"
)

// MachinePool manages a number of identical machines.
//
// +askind:kind:resource=machinepools,shortName=mp,categories=all
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`,description="Desired number of machines."
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`,description="Number of machines that exist."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`,description="Number of machines that accept work."
// +kubebuilder:printcolumn:name="Strategy",type=string,JSONPath=`.spec.strategy.type`,description="How machines are replaced."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones[*]`,description="The locations of the machines.",priority=1
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.template.spec.boot.image.name`,description="The image that the machines boot from.",priority=1
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
type MachinePoolSpec struct {
	// Replicas is the desired number of machines.
	//
	// +kubebuilder:validation:Minimum=0
	// +default=1
	Replicas *int32 `json:"replicas,omitempty"`

	// Selector selects the machines of the pool. By default it selects by the labels of the
	// template.
	Selector metav1.LabelSelector `json:"selector,omitzero"`

	// Template is the template of the pool's machines.
	Template MachineTemplate `json:"template"`

	// Strategy states how machines are replaced when the template changes.
	Strategy Strategy `json:"strategy,omitzero"`

	// Zones are the zones over which the machines are spread. By default all of them are in the
	// zone of the template.
	Zones []string `json:"zones,omitempty"`

	// Cooldown is the minimum time between changes of the size, in whole seconds.
	Cooldown *metav1.Duration `json:"cooldown,omitempty"`
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

// Strategy states how machines are replaced. It is a union like [BootSource].
type Strategy struct {
	// Type names the strategy.
	//
	// +default="RollingUpdate"
	Type StrategyType `json:"type,omitempty"`

	// RollingUpdate limits a rolling update.
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
}

// StrategyType names a strategy to replace machines.
//
// +enum
type StrategyType string

// The strategies to replace machines.
const (
	// StrategyRollingUpdate replaces a few machines at a time.
	StrategyRollingUpdate StrategyType = "RollingUpdate"
	// StrategyOnDelete replaces a machine after it has been deleted.
	StrategyOnDelete StrategyType = "OnDelete"
)

// RollingUpdate limits a rolling update.
type RollingUpdate struct {
	// MaxUnavailable is the maximum number of machines that may be missing during an update, as a
	// number or as a percentage of the pool.
	//
	// +default="25%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// MaxSurge is the maximum number of additional machines during an update, as a number or as a
	// percentage of the pool.
	//
	// +default=1
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
}

// MachinePoolStatus is the observed state of a pool.
type MachinePoolStatus struct {
	// Replicas is the number of machines that exist.
	Replicas int32 `json:"replicas"`

	// ReadyReplicas is the number of machines that accept work.
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// Conditions are aspects of the pool, such as Available.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the pool that this status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
