// Package v1beta1 has the kinds of the group extensions that the proposal for alternate
// representations speaks of. They serve tests.
//
// +groupName=extensions
// +askind:protobuf
package v1beta1

import (
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ReplicaSet is the ReplicaSet of the core group, under the name that it had first.
//
// +askind:kind:resource=replicasets
// +askind:equivalent=github.com/askind/askind/internal/seedapi/core/v1.ReplicaSet
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
type ReplicaSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ReplicaSetSpec   `json:"spec,omitzero"`
	Status ReplicaSetStatus `json:"status,omitzero"`
}

// ReplicaSetSpec is what is wanted.
type ReplicaSetSpec struct {
	// +default=1
	Replicas *int32                `json:"replicas,omitempty"`
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// ReplicaSetStatus is what there is.
type ReplicaSetStatus struct {
	Replicas int32  `json:"replicas"`
	Selector string `json:"selector,omitempty"`
}

// ReplicaSetList is a list of replica sets.
type ReplicaSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ReplicaSet `json:"items"`
}

// Scale is the size of something, in the shape that this group had of its own: the selector is a
// map.
//
// +askind:kind:resource=scales
type Scale struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ScaleSpec   `json:"spec,omitzero"`
	Status ScaleStatus `json:"status"`
}

// ScaleSpec is the size wanted.
type ScaleSpec struct {
	Replicas int32 `json:"replicas,omitempty"`
}

// ScaleStatus is the size there is.
type ScaleStatus struct {
	Replicas int32             `json:"replicas"`
	Selector map[string]string `json:"selector,omitempty"`
}

// AddScaleTo declares that the Scale of this group says the same as that of meta.k8s.io.
func AddScaleTo(b *runtime.Builder) {
	runtime.AddConversion(b, func(in *Scale, out *metav1.Scale, s *conversion.Scope) error {
		selector, err := metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: in.Status.Selector})
		if err != nil {
			return schema.AtField(schema.AtField(err, "selector"), "status")
		}
		copyMeta(&in.ObjectMeta, &out.ObjectMeta, s)
		out.Spec.Replicas, out.Status.Replicas, out.Status.Selector = in.Spec.Replicas, in.Status.Replicas, selector
		return nil
	})
	runtime.AddConversion(b, func(in *metav1.Scale, out *Scale, s *conversion.Scope) error {
		copyMeta(&in.ObjectMeta, &out.ObjectMeta, s)
		out.Spec.Replicas, out.Status.Replicas = in.Spec.Replicas, in.Status.Replicas
		parsed, err := selector.Parse(in.Status.Selector)
		if err != nil {
			return schema.AtField(schema.AtField(err, "selector"), "status")
		}
		for r := range parsed.Requirements() {
			if r.Operator() != selector.Equals && r.Operator() != selector.DoubleEquals {
				continue
			}
			if out.Status.Selector == nil {
				out.Status.Selector = map[string]string{}
			}
			out.Status.Selector[r.Key()] = r.Values()[0]
		}
		return nil
	}, conversion.Loss{Path: "status.selector", Reason: "a map can only say which value a label has", Partial: true})
}

func copyMeta(in, out *metav1.ObjectMeta, s *conversion.Scope) {
	if s.Sharing() {
		*out = *in
		return
	}
	metav1.DeepCopyIntoObjectMeta(in, out)
}
