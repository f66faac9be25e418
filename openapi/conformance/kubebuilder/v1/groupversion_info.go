// Package v1 is the API of a kubebuilder project, written according to kubebuilder's documentation:
// types of k8s.io/apimachinery, and markers of every family that controller-gen reads. Specific to
// askind are only the two markers below, which name the functions of Kubernetes' types, and those
// that state where rules in CEL are evaluated.
//
// +askind:codecs=github.com/askind/askind/k8s/metav1
// +askind:codecs=github.com/askind/askind/k8s/corev1
// +kubebuilder:object:generate=true
// +groupName=backup.example.org
package v1
