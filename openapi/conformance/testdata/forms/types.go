// Package forms has a kind whose markers are written in each form that controller-gen reads.
//
// +groupName=forms.example.org
// +versionName=v1
package forms

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Form is a kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=forms,scope=Cluster
// +kubebuilder:metadata:annotations="example.org/one=1;2";"example.org/two=a=b"
// +kubebuilder:metadata:labels="example.org/part=forms"
type Form struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// Spec has the values.
type Spec struct {
	// Words has a default and an example in braces.
	//
	// +kubebuilder:default={a,b}
	// +kubebuilder:example={c,"d e"}
	// +optional
	Words []string `json:"words,omitempty"`
	// None has an empty list.
	//
	// +kubebuilder:default={}
	// +optional
	None []string `json:"none,omitempty"`
	// Nothing has an empty object.
	//
	// +kubebuilder:default={}
	// +optional
	Nothing map[string]string `json:"nothing,omitempty"`
	// Pairs has objects in braces.
	//
	// +kubebuilder:default={{name: a, count: 1},{name: "b", count: 2}}
	// +kubebuilder:example={{name: c, count: 3}}
	// +optional
	Pairs []Pair `json:"pairs,omitempty"`
	// Grid has lists in lists.
	//
	// +kubebuilder:example={{1,2},{3}}
	// +optional
	Grid [][]int32 `json:"grid,omitempty"`
	// Surge is a number or a percentage.
	//
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^[0-9]+%$`
	// +kubebuilder:validation:MaxLength=4
	// +optional
	Surge *intstr.IntOrString `json:"surge,omitempty"`
	// Ports are numbers or names.
	//
	// +kubebuilder:validation:items:XIntOrString
	// +kubebuilder:validation:items:Enum=80;"http"
	// +optional
	Ports []intstr.IntOrString `json:"ports,omitempty"`
	// Guide has a link of its own.
	//
	// +kubebuilder:externalDocs:url="https://example.com/guide",description="how to choose one"
	// +optional
	Guide string `json:"guide,omitempty"`
	// Shade has the link of its type.
	//
	// +optional
	Shade Shade `json:"shade,omitempty"`
	// +optional
	Bare Shade `json:"bare,omitempty"`
	// Shades have descriptions of their own.
	//
	// +optional
	Shades []Shade `json:"shades,omitempty"`
	// +optional
	Palette Palette `json:"palette,omitempty"`
}

// Shade is a text with a description.
//
// +kubebuilder:externalDocs:url="https://example.com/shades"
type Shade string

// Palette is a list with a description.
type Palette []Shade

// Pair is an object.
type Pair struct {
	Name  string `json:"name"`
	Count int32  `json:"count"`
}
