package corev1

import corev1 "k8s.io/api/core/v1"

// What the types themselves do not say.

// +askind:sensitive:fields=data;stringData
type _ = corev1.Secret

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

// AddTo leaves the list of anything out, because metav1.AddCoreTo has it.
//
// +askind:kind:apart
type _ = corev1.List
