// Package v1 is the API of a kubebuilder project, as its documentation has people write one: types
// of k8s.io/apimachinery, and markers of every family that controller-gen reads. All that knows
// askind are the two markers below that name the functions of Kubernetes' types, and those that say
// who evaluates the rules in CEL.
//
// +askind:codecs=github.com/askind/askind/k8s/metav1
// +askind:codecs=github.com/askind/askind/k8s/corev1
// +kubebuilder:object:generate=true
// +groupName=backup.example.org
package v1
