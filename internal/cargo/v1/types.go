// Package v1 has kinds with objects of a family inside them, for tests and examples of
// runtime.Embedded.
//
// +groupName=cargo.example.com
// +askind:protobuf
package v1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

//go:generate go tool askind

// Crate is what is carried.
//
// +askind:kind
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Weight",type=integer,JSONPath=`.weight`
type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Weight int64 `json:"weight,omitempty"`
	// +default="wood"
	Material string `json:"material,omitempty"`
}

// Kilograms implements Load.
func (c *Crate) Kilograms() int64 { return c.Weight }

// Tank is something else that is carried.
//
// +askind:kind
// +kubebuilder:storageversion
type Tank struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Litres int64 `json:"litres,omitempty"`
}

// Kilograms implements Load.
func (t *Tank) Kilograms() int64 { return t.Litres }

// Load is whatever has a weight.
type Load interface{ Kilograms() int64 }

// Truck carries things.
//
// +askind:kind
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Driver",type=string,JSONPath=`.spec.driver`
type Truck struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TruckSpec `json:"spec"`
}

// TruckSpec is what a truck carries.
type TruckSpec struct {
	Driver string `json:"driver,omitempty"`
	// First is a crate of any version.
	First runtime.Embedded[*Crate] `json:"first,omitempty"`
	// Spare is a crate too, or none.
	Spare *runtime.Embedded[*Crate] `json:"spare,omitempty"`
	// Loads are of any kind that has a weight.
	Loads []runtime.Embedded[Load] `json:"loads,omitempty"`
	// Named are loads by their name.
	Named map[string]runtime.Embedded[Load] `json:"named,omitempty"`
}
