// Package kubefleet has the machines of the example for k8s.io/apimachinery: the same specs and
// statuses, of the same Go types, under the metadata of that library. The same generated functions
// copy, convert and default everything except the metadata on both sides, so that rows compare the
// libraries and not the functions.
package kubefleet

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
)

// The versions of the group.
var (
	V1      = schema.GroupVersion(v1.GroupVersion)
	V1beta1 = schema.GroupVersion(v1beta1.GroupVersion)
)

// Machine is a machine in version v1.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

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
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

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

// OldMachine is a machine in version v1beta1.
type OldMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   v1beta1.MachineSpec   `json:"spec"`
	Status v1beta1.MachineStatus `json:"status,omitzero"`
}

// DeepCopyObject implements runtime.Object.
func (in *OldMachine) DeepCopyObject() runtime.Object {
	out := &OldMachine{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	v1beta1.DeepCopyIntoMachineSpec(&in.Spec, &out.Spec)
	v1beta1.DeepCopyIntoMachineStatus(&in.Status, &out.Status)
	return out
}

// Sharing are the terms of conversions: functions generated for that library always share what both
// types have alike.
var Sharing = conversion.NewScope(conversion.ScopeOptions{Sharing: true})

// NewScheme registers the machines in both versions, the kinds that all groups share, the
// conversion to the older version and defaults.
func NewScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := metav1.AddMetaToScheme(s); err != nil {
		return nil, err
	}
	s.AddKnownTypes(V1, &Machine{}, &MachineList{})
	s.AddKnownTypeWithName(V1beta1.WithKind("Machine"), &OldMachine{})
	metav1.AddToGroupVersion(s, V1)
	metav1.AddToGroupVersion(s, V1beta1)
	s.AddTypeDefaultingFunc(&Machine{}, func(obj any) {
		// The functions of the example fill in constants and never fail.
		m := obj.(*Machine)
		_ = v1.DefaultMachineSpec(&m.Spec)
		_ = v1.DefaultMachineStatus(&m.Status)
	})
	s.AddTypeDefaultingFunc(&MachineList{}, func(obj any) {
		for i := range obj.(*MachineList).Items {
			s.Default(&obj.(*MachineList).Items[i])
		}
	})
	err := s.AddGeneratedConversionFunc((*Machine)(nil), (*OldMachine)(nil), func(a, b any, _ kconversion.Scope) error {
		in, out := a.(*Machine), b.(*OldMachine)
		if err := v1beta1.ConvertMachineSpecFromV1(&in.Spec, &out.Spec, Sharing); err != nil {
			return err
		}
		out.ObjectMeta = in.ObjectMeta
		return v1beta1.ConvertMachineStatusFromV1(&in.Status, &out.Status, Sharing)
	})
	return s, err
}

// NewCodecs makes the codecs of an API server: collections are streamed item by item, as it has
// them by default, and CBOR is on.
func NewCodecs(s *runtime.Scheme) serializer.CodecFactory {
	return serializer.NewCodecFactory(s, serializer.WithSerializer(cbor.NewSerializerInfo),
		serializer.WithStreamingCollectionEncodingToJSON(), serializer.WithStreamingCollectionEncodingToProtobuf())
}

// NewMapper knows the resources of the group.
func NewMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{V1, V1beta1})
	m.Add(V1.WithKind("Machine"), meta.RESTScopeNamespace)
	m.Add(V1beta1.WithKind("Machine"), meta.RESTScopeNamespace)
	return m
}
