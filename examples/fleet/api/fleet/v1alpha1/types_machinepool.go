package v1alpha1

import metav1 "github.com/askind/askind/meta/v1"

// MachinePool manages a number of identical machines.
//
// +askind:kind:resource=machinepools,shortName=mp,categories=all
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`,description="Desired number of machines."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.ready`,description="Number of machines that are up."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones`,description="The locations of the machines.",priority=1
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
// +askind:absent:field=selector.matchExpressions,reason="v1alpha1 finds machines by equal labels alone"
// +askind:absent:field=strategy.type,reason="v1alpha1 knows rolling updates only"
// +askind:absent:field=strategy.rollingUpdate.maxSurge,reason="pools of v1alpha1 never have too many machines"
// +askind:carry:field=cooldown
type MachinePoolSpec struct {
	// Size is the desired number of machines.
	//
	// +default=1
	// +askind:to=replicas
	Size *int32 `json:"size,omitempty"`

	// MachineLabels are the labels that select the machines of the pool. The default is the labels
	// of the template.
	//
	// +askind:to=selector.matchLabels
	MachineLabels map[string]string `json:"machineLabels,omitempty"`

	// Contact is the person responsible for the pool.
	//
	// +askind:drop="since v1beta1 contacts are annotations"
	Contact string `json:"contact,omitempty"`

	// Template is the template of the pool's machines.
	Template MachineTemplate `json:"template"`

	// MaxUnavailable is the maximum number of machines that may be missing during an update, as "2"
	// or as "25%".
	//
	// +askind:to=strategy.rollingUpdate.maxUnavailable
	MaxUnavailable string `json:"maxUnavailable,omitempty"`

	// Zones are the zones over which the machines are spread, separated by commas.
	Zones string `json:"zones,omitempty"`
}

// MachineTemplate is a template of machines.
//
// +askind:absent:field=metadata.annotations,reason="templates of v1alpha1 have labels alone"
type MachineTemplate struct {
	// Labels are the labels of the machines.
	//
	// +askind:to=metadata.labels
	Labels map[string]string `json:"labels,omitempty"`

	// Spec is the desired state of the machines.
	Spec MachineSpec `json:"spec"`
}

// MachinePoolStatus is the observed state of a pool.
//
// +askind:absent:field=conditions,reason="pools of v1alpha1 have no conditions"
// +askind:absent:field=observedGeneration,reason="v1alpha1 did not count generations"
type MachinePoolStatus struct {
	// Size is the number of machines that exist.
	//
	// +askind:to=replicas
	Size int32 `json:"size"`

	// Ready is the number of machines that are up.
	//
	// +askind:to=readyReplicas
	Ready int32 `json:"ready,omitempty"`
}
