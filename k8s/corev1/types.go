package corev1

import corev1 "k8s.io/api/core/v1"

// What the types themselves do not say: short names, subresources, and columns.

// A cluster has bindings as a subresource of pods only.
//
// +kubebuilder:unservedversion
type _ = corev1.Binding

// +kubebuilder:resource:shortName=cs,scope=Cluster
type _ = corev1.ComponentStatus

// +kubebuilder:resource:shortName=cm
type _ = corev1.ConfigMap

// +kubebuilder:resource:shortName=ep
type _ = corev1.Endpoints

// +kubebuilder:resource:shortName=ev
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.type`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.reason`
// +kubebuilder:printcolumn:name="Object",type=string,JSONPath=`.involvedObject.name`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.message`
// +kubebuilder:printcolumn:name="Last Seen",type=date,JSONPath=`.lastTimestamp`
type _ = corev1.Event

// +kubebuilder:resource:shortName=limits
type _ = corev1.LimitRange

// AddTo leaves the list of anything out, because metav1.AddCoreTo has it.
//
// +askind:kind:apart
type _ = corev1.List

// +kubebuilder:resource:shortName=ns,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = corev1.Namespace

// +kubebuilder:resource:shortName=no,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.nodeInfo.kubeletVersion`
type _ = corev1.Node

// +kubebuilder:resource:shortName=pv,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Capacity",type=string,JSONPath=`.spec.capacity.storage`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Claim",type=string,JSONPath=`.spec.claimRef.name`
// +kubebuilder:printcolumn:name="StorageClass",type=string,JSONPath=`.spec.storageClassName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = corev1.PersistentVolume

// +kubebuilder:resource:shortName=pvc
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Volume",type=string,JSONPath=`.spec.volumeName`
// +kubebuilder:printcolumn:name="Capacity",type=string,JSONPath=`.status.capacity.storage`
// +kubebuilder:printcolumn:name="StorageClass",type=string,JSONPath=`.spec.storageClassName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = corev1.PersistentVolumeClaim

// +kubebuilder:resource:shortName=po,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Restarts",type=integer,JSONPath=`.status.containerStatuses[0].restartCount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="IP",type=string,priority=1,JSONPath=`.status.podIP`
// +kubebuilder:printcolumn:name="Node",type=string,priority=1,JSONPath=`.spec.nodeName`
// +kubebuilder:printcolumn:name="Scheduled",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="PodScheduled")].status`
// +kubebuilder:printcolumn:name="Containers",type=integer,priority=1,JSONPath=`.spec.containers.length()`
// +kubebuilder:printcolumn:name="Images",type=string,priority=1,JSONPath=`.spec.containers[*].image`
// +kubebuilder:printcolumn:name="App",type=string,priority=1,JSONPath=`.metadata.labels['app.kubernetes.io/name']`
type _ = corev1.Pod

// A cluster stores range allocations and does not serve them.
//
// +kubebuilder:unservedversion
type _ = corev1.RangeAllocation

// +kubebuilder:resource:shortName=rc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
type _ = corev1.ReplicationController

// +kubebuilder:resource:shortName=quota
// +kubebuilder:subresource:status
type _ = corev1.ResourceQuota

// +askind:sensitive:fields=data;stringData
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.type`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = corev1.Secret

// +kubebuilder:resource:shortName=svc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Cluster-IP",type=string,JSONPath=`.spec.clusterIP`
// +kubebuilder:printcolumn:name="Ports",type=string,JSONPath=`.spec.ports[*].port`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type _ = corev1.Service

// +kubebuilder:resource:shortName=sa
type _ = corev1.ServiceAccount
