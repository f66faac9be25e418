// Package pods has a kind with a template of pods, whose lists have keys with defaults.
//
// +groupName=pods.example.org
// +versionName=v1
// +askind:codecs=github.com/askind/askind/k8s/metav1,github.com/askind/askind/k8s/corev1
package pods

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pool is a number of equal pods.
//
// +kubebuilder:object:root=true
type Pool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Template is what each pod is made from.
	Template corev1.PodTemplateSpec `json:"template"`

	// Parts is how the pool is divided.
	//
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts,omitempty"`
}

// Part is a part of a pool, with parts of its own.
type Part struct {
	// Name is unique among the parts of a part.
	Name string `json:"name"`
	// Parts is how the part is divided.
	//
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts,omitempty"`
}

// PoolList is a list of pools.
//
// +kubebuilder:object:root=true
type PoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Pool `json:"items"`
}
