package v1alpha1

import metav1 "github.com/askind/askind/meta/v1"

// MachinePool keeps a number of machines that are all alike.
//
// +askind:kind:resource=machinepools,shortName=mp,categories=all
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`,description="Number of machines wanted."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.ready`,description="Number of machines that are up."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones`,description="Where the machines are.",priority=1
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
// +askind:absent:field=selector.matchExpressions,reason="v1alpha1 finds machines by equal labels alone"
// +askind:absent:field=strategy.type,reason="v1alpha1 knows rolling updates only"
// +askind:absent:field=strategy.rollingUpdate.maxSurge,reason="pools of v1alpha1 never have too many machines"
// +askind:carry:field=cooldown
type MachinePoolSpec struct {
	// Size is the number of machines wanted.
	//
	// +default=1
	// +askind:to=replicas
	Size *int32 `json:"size,omitempty"`

	// MachineLabels are the labels by which the machines of the pool are found. If they are left
	// out, those of the template are taken.
	//
	// +askind:to=selector.matchLabels
	MachineLabels map[string]string `json:"machineLabels,omitempty"`

	// Contact is whom to call about the pool.
	//
	// +askind:drop="since v1beta1 annotations say whom to call"
	Contact string `json:"contact,omitempty"`

	// Template is what every machine of the pool is made from.
	Template MachineTemplate `json:"template"`

	// MaxUnavailable is how many machines may be missing while they are replaced, as "2" or as
	// "25%".
	//
	// +askind:to=strategy.rollingUpdate.maxUnavailable
	MaxUnavailable string `json:"maxUnavailable,omitempty"`

	// Zones are the zones that the machines are spread over, separated by commas.
	Zones string `json:"zones,omitempty"`
}

// MachineTemplate is what machines are made from.
//
// +askind:absent:field=metadata.annotations,reason="templates of v1alpha1 have labels alone"
type MachineTemplate struct {
	// Labels are the labels of the machines.
	//
	// +askind:to=metadata.labels
	Labels map[string]string `json:"labels,omitempty"`

	// Spec is what they should be.
	Spec MachineSpec `json:"spec"`
}

// MachinePoolStatus is what a pool was last seen to be.
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
