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

	// Spec is the content of the note.
	Spec NoteSpec `json:"spec"`
	// Status is the observed state.
	Status NoteStatus `json:"status,omitzero"`
}

// NoteSpec is the content of the note.
type NoteSpec struct {
	// Text is the text of the note.
	Text string `json:"text"`
	// Color is the color of the paper.
	//
	// +default="yellow"
	Color string `json:"color,omitempty"`
}

// NoteStatus is the observed state of a note.
type NoteStatus struct {
	// Done states that the note can be deleted.
	Done bool `json:"done,omitempty"`
}

// NoteList is a list of notes.
type NoteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the notes.
	Items []Note `json:"items"`
}
