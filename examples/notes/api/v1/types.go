// Package v1 holds the types of the group notes.example.com, version v1.
//
// +groupName=notes.example.com
package v1

import metav1 "github.com/askind/askind/meta/v1"

// Note is something to remember.
//
// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Text",type=string,JSONPath=`.spec.text`
// +kubebuilder:printcolumn:name="Done",type=boolean,JSONPath=`.status.done`
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.spec.color`
type Note struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what there is to remember.
	Spec NoteSpec `json:"spec"`
	// Status is what has become of it.
	Status NoteStatus `json:"status,omitzero"`
}

// NoteSpec is what there is to remember.
type NoteSpec struct {
	// Text is what it says.
	Text string `json:"text"`
	// Color is what it is written on.
	//
	// +default="yellow"
	Color string `json:"color,omitempty"`
}

// NoteStatus is what has become of a note.
type NoteStatus struct {
	// Done says that it can be thrown away.
	Done bool `json:"done,omitempty"`
}

// NoteList is a list of notes.
type NoteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the notes.
	Items []Note `json:"items"`
}
