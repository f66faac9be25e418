// Package v1beta1 is an older version, with another name of a field, and a smaller type of another.
//
// +groupName=vault.example.com
// +askind:protobuf
// +askind:hub=github.com/askind/askind/internal/vault/v1
package v1beta1

import (
	"github.com/askind/askind/internal/vault/v1"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

//go:generate go tool askind

// Vault holds secrets.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vaults
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.doors,statuspath=.status.doors
// +kubebuilder:printcolumn:name="Owner",type=string,JSONPath=`.spec.owner`
type Vault struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status,omitzero"`
}

// VaultList is a list.
type VaultList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Vault `json:"items"`
}

// Spec has a field of each sort that holds secrets, and rules that secrets break.
type Spec struct {
	Owner string `json:"owner,omitempty"`
	Doors *int32 `json:"doors,omitempty"`

	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]*$`
	// +askind:to=password
	// +askind:sensitive
	Passphrase string `json:"passphrase,omitempty"`
	// +kubebuilder:validation:Maximum=2000000000
	// +askind:sensitive
	Pin int32 `json:"pin,omitempty"`
	// +kubebuilder:validation:MaxLength=40
	// +askind:sensitive
	Key []byte `json:"key,omitempty"`
	// +askind:sensitive
	Tokens map[string]string `json:"tokens,omitempty"`
	// +listType=atomic
	// +kubebuilder:validation:items:MaxLength=24
	// +askind:sensitive
	Codes []string `json:"codes,omitempty"`
	// +askind:sensitive
	Share resource.Quantity `json:"share,omitzero"`
	// +askind:sensitive
	Since metav1.Time `json:"since,omitzero"`
	// +askind:sensitive
	Port intstr.IntOrString `json:"port,omitzero"`
	// +askind:sensitive
	Config runtime.RawExtension `json:"config,omitzero"`
	// +listType=map
	// +listMapKey=name
	Users []User `json:"users,omitempty"`
	Login `json:",inline"`
	// Child is another vault.
	Child runtime.Embedded[*v1.Vault] `json:"child,omitzero"`
	// Inner is an object of any kind.
	Inner runtime.RawExtension `json:"inner,omitzero"`
}

// User is an element of a list.
type User struct {
	Name string `json:"name"`
	// +kubebuilder:validation:MaxLength=24
	// +askind:sensitive
	Phrase string `json:"phrase,omitempty"`
}

// Login is embedded.
type Login struct {
	// +kubebuilder:validation:Enum=S3CR3T-answer;other
	// +askind:sensitive
	Answer string `json:"answer,omitempty"`
}

// Status has a secret that only the status has.
type Status struct {
	Doors int32 `json:"doors,omitempty"`
	// +kubebuilder:validation:MaxLength=24
	// +askind:sensitive
	Recovery string `json:"recovery,omitempty"`
}
