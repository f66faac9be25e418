package v1

import (
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Order is something that a workshop is to make.
//
// +askind:kind:resource=orders
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Customer",type=string,JSONPath=`.spec.customer`
// +kubebuilder:printcolumn:name="Priority",type=integer,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Rush",type=boolean,JSONPath=`.spec.rush`
// +kubebuilder:printcolumn:name="Discount",type=number,JSONPath=`.spec.discount`
// +kubebuilder:printcolumn:name="Items",type=string,JSONPath=`.spec.lines[*].item`
// +kubebuilder:printcolumn:name="First",type=string,JSONPath=`.spec.lines[0].price`
// +kubebuilder:printcolumn:name="Lines",type=integer,JSONPath=`.spec.lines.length()`
// +kubebuilder:printcolumn:name="Due",type=date,JSONPath=`.spec.delivery.by`
// +kubebuilder:printcolumn:name="City",type=string,JSONPath=`.spec.delivery.address.city`
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.metadata.labels.team`
// +kubebuilder:printcolumn:name="Tags",type=string,JSONPath=`.spec.tags[*]`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.done`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Door",type=string,JSONPath=`.spec.door`
// +kubebuilder:printcolumn:name="Stamp",type=string,JSONPath=`.spec.stamp`
// +kubebuilder:printcolumn:name="Hours",type=string,JSONPath=`.spec.hours.total`
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
type OrderSpec struct {
	Customer string `json:"customer"`
	// +default=5
	Priority *int32                       `json:"priority,omitempty"`
	Rush     bool                         `json:"rush,omitempty"`
	Discount float64                      `json:"discount,omitempty"`
	Lines    []Line                       `json:"lines,omitempty"`
	Delivery *Delivery                    `json:"delivery,omitempty"`
	Tags     []string                     `json:"tags,omitempty"`
	Door     intstr.IntOrString           `json:"door,omitzero"`
	Stamp    []byte                       `json:"stamp,omitempty"`
	Drawings map[string]string            `json:"drawings,omitempty"`
	Stock    map[string]resource.Quantity `json:"stock,omitempty"`
	Extra    *runtime.RawExtension        `json:"extra,omitempty"`
	Notes    string                       `json:"notes,omitempty"`

	Labour `json:",inline"`
}

// Labour is what an order takes beside material.
type Labour struct {
	Hours  Hours    `json:"hours,omitzero"`
	People []string `json:"people,omitempty"`
}

// Hours are hours of work.
type Hours struct {
	Total int64            `json:"total"`
	Each  map[string]int64 `json:"each,omitempty"`
	Note  *string          `json:"note,omitempty"`
}

// Line is one item of an order.
type Line struct {
	Item  string            `json:"item"`
	Count int64             `json:"count,omitempty"`
	Price resource.Quantity `json:"price,omitzero"`
	Steps []Step            `json:"steps,omitempty"`
}

// Step is something to be done.
type Step struct {
	Tool    string            `json:"tool"`
	Options map[string]string `json:"options,omitempty"`
}

// Delivery says where an order is to be brought.
type Delivery struct {
	// +default="courier"
	Way     string       `json:"way,omitempty"`
	By      *metav1.Time `json:"by,omitempty"`
	Address Address      `json:"address"`
}

// Address is a place.
type Address struct {
	City   string   `json:"city,omitempty"`
	Street string   `json:"street,omitempty"`
	Lines  []string `json:"lines,omitempty"`
}

// OrderStatus is how far it has come.
type OrderStatus struct {
	Phase      Phase              `json:"phase,omitempty"`
	Done       int64              `json:"done"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Log        []string           `json:"log,omitempty"`
	Last       *metav1.Time       `json:"last,omitempty"`
}

// Phase is a stage of an order.
type Phase string
