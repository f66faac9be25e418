package v1beta1

import (
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Order is something that a workshop is to make.
//
// +askind:kind:resource=orders
// +kubebuilder:printcolumn:name="Client",type=string,JSONPath=`.spec.client`
// +kubebuilder:printcolumn:name="Priority",type=string,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Items",type=string,JSONPath=`.spec.lines[*].item`
// +kubebuilder:printcolumn:name="City",type=string,JSONPath=`.spec.city`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.done`
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec"`
	Status OrderStatus `json:"status,omitzero"`
}

// OrderList is a list of orders.
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Order `json:"items"`
}

// OrderSpec is what is to be made.
//
// +askind:absent:field=delivery.address.street,reason="only the city was kept"
// +askind:absent:field=delivery.address.lines,reason="only the city was kept"
// +askind:absent:field=delivery.way,reason="everything went by courier"
type OrderSpec struct {
	// +askind:to=customer
	Client string `json:"client"`
	// +default="5"
	Priority string  `json:"priority,omitempty"`
	Rush     bool    `json:"rush,omitempty"`
	Discount float64 `json:"discount,omitempty"`
	Lines    []Line  `json:"lines,omitempty"`
	// +askind:to=delivery.address.city
	City string `json:"city,omitempty"`
	// +askind:to=delivery.by
	Due      *metav1.Time                 `json:"due,omitempty"`
	Tags     []string                     `json:"tags,omitempty"`
	Door     intstr.IntOrString           `json:"door,omitzero"`
	Stamp    []byte                       `json:"stamp,omitempty"`
	Drawings map[string]string            `json:"drawings,omitempty"`
	Stock    map[string]resource.Quantity `json:"stock,omitempty"`
	Extra    *runtime.RawExtension        `json:"extra,omitempty"`
	Notes    string                       `json:"notes,omitempty"`
	Hours    Hours                        `json:"hours,omitzero"`
	People   []string                     `json:"people,omitempty"`
}

// Hours are hours of work.
type Hours struct {
	Total int32            `json:"total"`
	Each  map[string]int64 `json:"each,omitempty"`
	Note  *string          `json:"note,omitempty"`
}

// Line is one item of an order.
type Line struct {
	Item  string            `json:"item"`
	Count int32             `json:"count,omitempty"`
	Price resource.Quantity `json:"price,omitzero"`
	Steps []Step            `json:"steps,omitempty"`
}

// Step is something to be done.
type Step struct {
	Tool    string            `json:"tool"`
	Options map[string]string `json:"options,omitempty"`
}

// OrderStatus is how far it has come.
type OrderStatus struct {
	// +askind:to=phase
	State      State              `json:"state,omitempty"`
	Done       int64              `json:"done"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Log        []string           `json:"log,omitempty"`
	Last       *metav1.Time       `json:"last,omitempty"`
}

// State is a stage of an order.
type State string
