// Package v1 has a kind with a field of every sort that fits in a line of a test, for the tests of
// the formats.
//
// +groupName=fleet.example.com
package v1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Machine is a kind with a field of every sort. It has no metadata, so that a test can write it in
// a line.
//
// +askind:kind:resource=machines
type Machine struct {
	metav1.TypeMeta `json:",inline"`

	Name     string                `json:"name,omitempty"`
	Replicas int32                 `json:"replicas,omitempty"`
	Paused   bool                  `json:"paused,omitempty"`
	Ratio    float64               `json:"ratio,omitempty"`
	Labels   map[string]string     `json:"labels,omitempty"`
	Args     []string              `json:"args,omitempty"`
	Parts    []Part                `json:"parts,omitempty"`
	Extra    any                   `json:"extra,omitempty"`
	Raw      *runtime.RawExtension `json:"raw,omitempty"`
	Key      []byte                `json:"key,omitzero"`
}

// Part is a piece of a machine.
type Part struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}
