package v1

// Scale is the size of any object that can be made larger or smaller. It has the fields
// of the Scale of autoscaling/v1, and serves clients that know no other group.
//
// +askind:kind
// +askind:column:name="Desired",type=integer,func=desiredReplicas,reads=.spec.replicas,description="The number of instances wanted."
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.replicas`,description="The number of instances there are."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +askind:nolint:rule=list-missing,reason="a Scale is shown for one object at a time"
// +k8s:openapi-model-package=io.k8s.api.autoscaling.v1
type Scale struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the size asked for.
	Spec ScaleSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the size reached.
	Status ScaleStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// ScaleSpec is the size asked for.
//
// +k8s:openapi-model-package=io.k8s.api.autoscaling.v1
type ScaleSpec struct {
	// Replicas is the number of instances wanted.
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,1,opt,name=replicas"`
}

// ScaleStatus is the size reached.
//
// +k8s:openapi-model-package=io.k8s.api.autoscaling.v1
type ScaleStatus struct {
	// Replicas is the number of instances there are.
	Replicas int32 `json:"replicas" protobuf:"varint,1,opt,name=replicas"`

	// Selector is a label selector, in its text form, that finds the instances.
	Selector string `json:"selector,omitempty" protobuf:"bytes,2,opt,name=selector"`
}

// desiredReplicas is a column of a Scale. The size 0 is left out of the serialized form.
func desiredReplicas(in *Scale) int64 { return int64(in.Spec.Replicas) }
