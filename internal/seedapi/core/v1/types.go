// Package v1 has the kinds of the core group that the proposal for alternate representations speaks
// of, as far as its examples need them. They serve tests.
//
// +groupName=
// +askind:protobuf
package v1

import (
	"errors"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Namespace is a part of a cluster.
//
// +askind:kind:resource=namespaces,scope=Cluster
// +askind:column:name="Resource Version",type=string,func=namespaceVersion,reads=.metadata.resourceVersion,description="The version of the resource"
type Namespace struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the namespace should be.
	Spec NamespaceSpec `json:"spec,omitzero"`
}

// NamespaceSpec is what a namespace should be.
type NamespaceSpec struct {
	// Finalizers must be gone before the namespace is.
	//
	// +default=["kubernetes"]
	Finalizers []string `json:"finalizers,omitempty"`
}

func namespaceVersion(in *Namespace) string { return in.ResourceVersion }

// NamespaceList is a list of namespaces.
type NamespaceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Namespace `json:"items"`
}

// Pod is something that runs.
//
// +askind:kind:resource=pods
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`,description="Where the pod is in its life"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the pod was created"
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodSpec   `json:"spec,omitzero"`
	Status PodStatus `json:"status,omitzero"`
}

// PodSpec is what a pod should be.
type PodSpec struct {
	NodeName string `json:"nodeName,omitempty"`
	// +default="Always"
	RestartPolicy string `json:"restartPolicy,omitempty"`
}

// PodStatus is what a pod was last seen to be.
type PodStatus struct {
	Phase string `json:"phase,omitempty"`
}

// PodList is a list of pods.
type PodList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Pod `json:"items"`
}

// ReplicationController keeps a number of pods running. A [ReplicaSet] does the same and selects
// pods in more ways.
//
// +askind:kind:resource=replicationcontrollers
type ReplicationController struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ReplicationControllerSpec   `json:"spec,omitzero"`
	Status ReplicationControllerStatus `json:"status,omitzero"`
}

// ReplicationControllerSpec is what is wanted.
type ReplicationControllerSpec struct {
	// +default=1
	Replicas *int32            `json:"replicas,omitempty"`
	Selector map[string]string `json:"selector,omitempty"`
}

// ReplicationControllerStatus is what there is.
type ReplicationControllerStatus struct {
	Replicas int32 `json:"replicas"`
}

// ReplicationControllerList is a list of replication controllers.
type ReplicationControllerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ReplicationController `json:"items"`
}

// ReplicaSet keeps a number of pods running.
//
// +askind:kind:resource=replicasets
// +kubebuilder:storageversion
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +askind:column:name="Resource Version",type=string,func=replicaSetVersion,reads=.metadata.resourceVersion,description="The version of the resource"
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`,description="The number of pods wanted"
type ReplicaSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ReplicaSetSpec   `json:"spec,omitzero"`
	Status ReplicaSetStatus `json:"status,omitzero"`
}

// ReplicaSetSpec is what is wanted.
type ReplicaSetSpec struct {
	// +default=1
	Replicas *int32                `json:"replicas,omitempty"`
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// ReplicaSetStatus is what there is.
type ReplicaSetStatus struct {
	Replicas int32  `json:"replicas"`
	Selector string `json:"selector,omitempty"`
}

func replicaSetVersion(in *ReplicaSet) string { return in.ResourceVersion }

// ReplicaSetList is a list of replica sets.
type ReplicaSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ReplicaSet `json:"items"`
}

// AddReplicaSetViewTo lets every replication controller be shown as a replica set: one kind
// returned as another of the same data.
func AddReplicaSetViewTo(b *runtime.Builder) {
	runtime.AddAs(b, ReplicationControllerAsReplicaSet)
}

// ReplicationControllerAsReplicaSet shows a replication controller as a replica set. One that
// selects pods by its template cannot be shown.
func ReplicationControllerAsReplicaSet(in *ReplicationController, out *ReplicaSet, s *conversion.Scope) error {
	if len(in.Spec.Selector) == 0 {
		return errors.New("a replica set needs a selector, and the replication controller has none")
	}
	if s.Sharing() {
		out.ObjectMeta, out.Spec.Replicas = in.ObjectMeta, in.Spec.Replicas
		out.Spec.Selector = &metav1.LabelSelector{MatchLabels: in.Spec.Selector}
	} else {
		var copied ReplicationController
		DeepCopyIntoReplicationController(in, &copied)
		out.ObjectMeta, out.Spec.Replicas = copied.ObjectMeta, copied.Spec.Replicas
		out.Spec.Selector = &metav1.LabelSelector{MatchLabels: copied.Spec.Selector}
	}
	out.Status.Replicas = in.Status.Replicas
	return nil
}
