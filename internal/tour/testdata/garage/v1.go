// Package v1 has the types that snippets of the documentation name.
package v1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

var GroupVersion schema.GroupVersion

func AddTo(*runtime.Builder)

type (
	Car struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Spec CarSpec
	}
	CarSpec struct{ Owner string }
	CarList struct {
		metav1.TypeMeta
		metav1.ListMeta
		Items []Car
	}
	Note struct {
		metav1.TypeMeta
		metav1.ObjectMeta
	}
	Machine struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Spec MachineSpec
	}
	MachineSpec struct{ Zone string }
	MachineList struct {
		metav1.TypeMeta
		metav1.ListMeta
		Items []Machine
	}
	Pool struct{}
)
