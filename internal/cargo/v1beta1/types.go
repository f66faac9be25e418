// Package v1beta1 is the version before v1, in which a weight has another name.
//
// +groupName=cargo.example.com
// +askind:protobuf
// +askind:hub=github.com/askind/askind/internal/cargo/v1
package v1beta1

import (
	cargov1 "github.com/askind/askind/internal/cargo/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

//go:generate go tool askind . ../v1

// Crate is what is carried.
//
// +askind:kind
// +kubebuilder:printcolumn:name="Mass",type=integer,JSONPath=`.mass`
type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +askind:to=weight
	Mass int64 `json:"mass,omitempty"`
	// +default="wood"
	Material string `json:"material,omitempty"`
}

// Kilograms implements the Load of v1.
func (c *Crate) Kilograms() int64 { return c.Mass }

// Tank is something else that is carried.
//
// +askind:kind
type Tank struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Litres int64 `json:"litres,omitempty"`
}

// Kilograms implements the Load of v1.
func (t *Tank) Kilograms() int64 { return t.Litres }

// Truck carries things.
//
// +askind:kind
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
	Loads []runtime.Embedded[cargov1.Load] `json:"loads,omitempty"`
	// Named are loads by their name.
	Named map[string]runtime.Embedded[cargov1.Load] `json:"named,omitempty"`
}
