// Package machines has the objects that are stored: the same machines as objects of askind and of
// k8s.io/apimachinery. Their specs and statuses are of the same Go types, and are written by the
// same generated functions on both sides; the metadata and all that is around it is that of the
// library.
package machines

import (
	"encoding/json"
	"fmt"

	kmeta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/resource"
)

// Sizes of machines, in bytes of JSON.
const (
	Small = 1400
	Large = 9600
)

// GroupVersion is that of the machines.
var GroupVersion = schema.GroupVersion(v1.GroupVersion)

// Key returns the namespace and the name of the machine with a number.
func Key(i int) (namespace, name string) {
	return fmt.Sprint("ns-", i%10), fmt.Sprintf("machine-%07d", i)
}

// New returns the machine with a number, whose JSON has about as many bytes as the size says. It
// differs from all others as the objects of a cluster do.
func New(i, size int) *v1.Machine {
	m := bench.Machine(i)
	m.Namespace, m.Name = Key(i)
	m.ResourceVersion = ""
	if size <= Small {
		m.ManagedFields, m.OwnerReferences, m.Annotations = nil, nil, nil
		m.Spec.Disks, m.Spec.KernelArguments, m.Spec.Asset, m.Spec.ProviderConfig = nil, nil, nil, nil
		m.Status.Conditions = m.Status.Conditions[:1]
		return m
	}
	for d := 0; d < (size-4480)/120; d++ {
		m.Spec.Disks = append(m.Spec.Disks, v1.Disk{
			Name: fmt.Sprintf("disk-%d", d), Size: resource.NewQuantity(int64(i%90+10)<<30, resource.BinarySI),
			Medium: v1.MediumSSD,
			Partitions: []v1.Partition{{
				Label: fmt.Sprintf("data-%d-%d", i%1000, d), Size: resource.NewQuantity(8<<30, resource.BinarySI),
			}},
		})
	}
	return m
}

// Touch changes a machine as a status update does.
func Touch(status *v1.MachineStatus, n int) {
	status.Conditions[0].Message = fmt.Sprintf("answered 200 in %d µs", n)
}

// Machine is a machine with the metadata of apimachinery.
type Machine struct {
	kmeta.TypeMeta   `json:",inline"`
	kmeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   v1.MachineSpec   `json:"spec"`
	Status v1.MachineStatus `json:"status,omitzero"`
}

// DeepCopyObject implements runtime.Object.
func (in *Machine) DeepCopyObject() runtime.Object {
	out := new(Machine)
	in.deepCopyInto(out)
	return out
}

func (in *Machine) deepCopyInto(out *Machine) {
	out.TypeMeta = in.TypeMeta
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	v1.DeepCopyIntoMachineSpec(&in.Spec, &out.Spec)
	v1.DeepCopyIntoMachineStatus(&in.Status, &out.Status)
}

// MachineList is a list of machines.
type MachineList struct {
	kmeta.TypeMeta `json:",inline"`
	kmeta.ListMeta `json:"metadata,omitempty"`

	Items []Machine `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (in *MachineList) DeepCopyObject() runtime.Object {
	out := &MachineList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	if in.Items != nil {
		out.Items = make([]Machine, len(in.Items))
		for i := range in.Items {
			in.Items[i].deepCopyInto(&out.Items[i])
		}
	}
	return out
}

// Theirs returns the same machine as an object of apimachinery.
func Theirs(m *v1.Machine) (*Machine, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out := new(Machine)
	return out, json.Unmarshal(text, out)
}

// AddTo registers the machines of apimachinery. They are the internal version too, as the storage
// of an API server expects, which saves it the conversion.
func AddTo(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Machine{}, &MachineList{})
	internal := schema.GroupVersion{Group: GroupVersion.Group, Version: runtime.APIVersionInternal}
	s.AddKnownTypes(internal, &Machine{}, &MachineList{})
	kmeta.AddToGroupVersion(s, GroupVersion)
	s.AddTypeDefaultingFunc(&Machine{}, func(obj any) {
		// The functions of the example fill in constants and never fail.
		m := obj.(*Machine)
		_ = v1.DefaultMachineSpec(&m.Spec)
		_ = v1.DefaultMachineStatus(&m.Status)
	})
	return kmeta.AddMetaToScheme(s)
}
