// Package v1 has kinds with a rule of every sort, for tests that compare what generated functions,
// schemas and CustomResourceDefinitions say about objects.
//
// +groupName=ruled.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

//go:generate go tool askind

// Ruled is an object with rules.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=ruleds,shortName=rl
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Title",type=string,JSONPath=`.spec.name`
type Ruled struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status,omitzero"`
}

// RuledList is a list.
type RuledList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Ruled `json:"items"`
}

// Spec has rules about values.
type Spec struct {
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^[a-zä]*$`
	Name string `json:"name"`
	// +required
	Owner string `json:"owner,omitempty"`
	// +k8s:required
	City string `json:"city"`
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +kubebuilder:validation:ExclusiveMaximum=true
	Floors *int32 `json:"floors,omitempty"`
	// +kubebuilder:validation:MultipleOf=3
	Steps int64 `json:"steps,omitempty"`
	// +kubebuilder:validation:Enum=small;large
	Size string `json:"size,omitempty"`
	// +kubebuilder:validation:Enum=1;2;4
	Wheels int32  `json:"wheels,omitempty"`
	Mode   Mode   `json:"mode,omitempty"`
	Rating Rating `json:"rating,omitempty"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=2
	Tags []string `json:"tags,omitempty"`
	// +listType=map
	// +listMapKey=name
	Shelves []Shelf `json:"shelves,omitempty"`
	// +kubebuilder:validation:MaxProperties=2
	// +k8s:eachVal=+k8s:minimum=0
	Prices map[string]int64 `json:"prices,omitempty"`
	Pay    *Pay             `json:"pay,omitempty"`
	Cash   *Cash            `json:"cash,omitempty"`
	// +kubebuilder:validation:Format=ipv4
	Address string `json:"address,omitempty"`
	// +k8s:format=k8s-short-name
	Label string `json:"label,omitempty"`
	// +kubebuilder:validation:MinItems=1
	Notes []string `json:"notes"`
	// +required
	// +nullable
	Parts []string `json:"parts"`
}

// Mode is one of its constants.
//
// +enum
type Mode string

// The modes.
const (
	ModeOpen   Mode = "Open"
	ModeClosed Mode = "Closed"
)

// Rating is a number of stars.
//
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=5
type Rating float64

// Shelf is an element with a key.
type Shelf struct {
	Name string `json:"name"`
	// +kubebuilder:validation:Minimum=1
	Boards int32 `json:"boards"`
}

// Pay is a union.
//
// +union
type Pay struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Coin;Card
	Type string `json:"type"`
	// +unionMember
	Coin *Shelf `json:"coin,omitempty"`
	// +unionMember
	Card *Shelf `json:"card,omitempty"`
}

// Cash has groups of fields.
//
// +kubebuilder:validation:ExactlyOneOf=euro;dollar
// +kubebuilder:validation:AtMostOneOf=cent;penny
type Cash struct {
	Euro   *int32 `json:"euro,omitempty"`
	Dollar *int32 `json:"dollar,omitempty"`
	Cent   *int32 `json:"cent,omitempty"`
	Penny  *int32 `json:"penny,omitempty"`
}

// Status has no rules.
type Status struct {
	// Phase is a word for people.
	Phase string `json:"phase,omitempty"`
}
