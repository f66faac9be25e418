// Package v1 has a mistake.
//
// +groupName=garage.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

// Car is a car in the garage.
//
// +kubebuilder:object:root=true
type Car struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CarSpec `json:"spec"`
}

// CarSpec is what was ordered.
type CarSpec struct {
	// +kubebuilder:validation:MinLength=1
	Color string
}

// CarList is a list of cars.
//
// +kubebuilder:object:root=true
type CarList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Car `json:"items"`
}
