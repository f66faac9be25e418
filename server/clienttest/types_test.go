package clienttest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// notesVersion is the version that the server of examples/notes serves.
var notesVersion = schema.GroupVersion{Group: "notes.example.com", Version: "v1"}

// Note is the kind of examples/notes as a user of Kubernetes declares it.
type Note struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Text  string `json:"text"`
		Color string `json:"color,omitempty"`
	} `json:"spec"`
	Status struct {
		Done bool `json:"done,omitempty"`
	} `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (n *Note) DeepCopyObject() runtime.Object {
	out := *n
	n.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// NoteList is a list of notes.
type NoteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Note `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *NoteList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Note, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Note)
	}
	return &out
}

// newScheme returns the scheme of a program that uses notes.
func newScheme() (*runtime.Scheme, error) {
	return (&scheme.Builder{GroupVersion: notesVersion}).Register(&Note{}, &NoteList{}).Build()
}
