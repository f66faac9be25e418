// Package v1 has kinds with a rule of every sort, for tests that compare what generated functions,
// schemas and CustomResourceDefinitions say about objects.
//
// +groupName=ruled.example.com
package v1

import (
	"github.com/askind/askind/meta/intstr"
	metav1 "github.com/askind/askind/meta/v1"
)

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
	// +k8s:immutable
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
	// +k8s:immutable
	Label string `json:"label,omitempty"`
	// +kubebuilder:validation:MinItems=1
	Notes []string `json:"notes"`
	// +required
	// +nullable
	Parts   []string `json:"parts"`
	Formats *Formats `json:"formats,omitempty"`
	More    *More    `json:"more,omitempty"`
}

// Formats has a text of each format.
type Formats struct {
	// +kubebuilder:validation:Format=date-time
	Time string `json:"time,omitempty"`
	// +kubebuilder:validation:Format=date
	Day string `json:"day,omitempty"`
	// +kubebuilder:validation:Format=uuid
	UUID string `json:"uuid,omitempty"`
	// +kubebuilder:validation:Format=ipv6
	IPv6 string `json:"ipv6,omitempty"`
	// +kubebuilder:validation:Format=hostname
	Host string `json:"host,omitempty"`
	// +kubebuilder:validation:Format=email
	Mail string `json:"mail,omitempty"`
	// +kubebuilder:validation:Format=byte
	Data string `json:"data,omitempty"`
	// +k8s:format=k8s-long-name
	LongName string `json:"longName,omitempty"`
	// +k8s:format=k8s-label-key
	LabelKey string `json:"labelKey,omitempty"`
	// +k8s:format=k8s-label-value
	LabelValue string `json:"labelValue,omitempty"`
}

// More has rules of other sorts.
//
// +kubebuilder:validation:AtLeastOneOf=surge;ports;odd;keys;entries;numbers;first;second;share;need
type More struct {
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}%$`
	Surge *intstr.IntOrString `json:"surge,omitempty"`
	// +kubebuilder:validation:items:XIntOrString
	// +kubebuilder:validation:items:Enum=80;"http"
	Ports []intstr.IntOrString `json:"ports,omitempty"`
	// +k8s:neq=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	Odd *int32 `json:"odd,omitempty"`
	// +kubebuilder:validation:MinProperties=2
	Keys map[string]string `json:"keys,omitempty"`
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:MinItems=1
	Entries [][]string `json:"entries,omitempty"`
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:MultipleOf=2
	// +listType=set
	Numbers []int64 `json:"numbers,omitempty"`
	// +k8s:zeroOrOneOfMember
	First *Shelf `json:"first,omitempty"`
	// +k8s:zeroOrOneOfMember
	Second *Shelf `json:"second,omitempty"`
	// +kubebuilder:validation:Maximum=0.3
	// +kubebuilder:validation:MultipleOf=0.1
	Share float32 `json:"share,omitempty"`
	Need  *Need   `json:"need,omitempty"`
}

// Need has numbers that must be there.
type Need struct {
	// +k8s:required
	Count *int32 `json:"count,omitempty"`
	// +k8s:required
	Least int32 `json:"least"`
	// +k8s:minLength=0
	// +k8s:required
	Unit string `json:"unit"`
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
	// +k8s:immutable
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

// Secret has rules about values that are not shown.
type Secret struct {
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:Pattern=`^[a-z0-9]*$`
	// +askind:sensitive
	Token string `json:"token,omitempty"`
	// +kubebuilder:validation:items:MaxLength=4
	// +askind:sensitive
	Pins []string `json:"pins,omitempty"`
	// +askind:sensitive
	Keys []Lock `json:"keys,omitempty"`
	// +kubebuilder:validation:Enum=copper;silver
	// +askind:sensitive
	Metal string `json:"metal,omitempty"`
	// +kubebuilder:validation:MaxLength=4
	Hint string `json:"hint,omitempty"`
}

// Lock is opened by a number.
type Lock struct {
	// +kubebuilder:validation:Minimum=1000
	Number int32 `json:"number,omitempty"`
}

// Bounds has rules about large numbers, and elements with two keys.
type Bounds struct {
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=18446744073709551614
	Count uint64 `json:"count,omitempty"`
	// +kubebuilder:validation:MultipleOf=10000000000000000000
	Far int64 `json:"far,omitempty"`
	// +kubebuilder:validation:MinItems=0
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []Port `json:"ports,omitempty"`
}

// Port is identified by both fields.
type Port struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol"`
}

// Status has no rules.
type Status struct {
	// Phase is a word for people.
	Phase string `json:"phase,omitempty"`
}
