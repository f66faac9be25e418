package rows

import (
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	ourmeta "github.com/askind/askind/meta/v1"
)

func objectRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, s := range samples() {
		if s.heavy {
			continue
		}
		row := newRow("Deep copy", "deep-copy/"+s.name,
			peer(ours, func() (compare.Work, error) {
				obj := s.object()
				return making(func() (any, error) { return w.ours.Scheme().DeepCopy(obj) })
			}),
			w.kubeWith(&s, func(obj kruntime.Object) (compare.Work, error) {
				return making(func() (any, error) { return obj.DeepCopyObject(), nil })
			}))
		if s.name == "pod" {
			for _, l := range messageLibraries() {
				row.Subjects = append(row.Subjects, w.messageCopies(&s, l))
			}
		}
		out = append(out, row)
	}
	for _, s := range samples() {
		if s.name == "machine" {
			out = append(out, w.convertRow(&s, "copying"), w.convertRow(&s, "sharing"), w.defaultRow(&s))
		}
	}
	return out
}

// convertRow converts a machine to the previous version. Both libraries call the same generated
// functions for what is not metadata.
func (w *world) convertRow(s *sample, terms string) *compare.Row {
	convert, theirs, scope := w.ours.Scheme().ConvertTo, w.kube.ConvertToVersion, (*conversion.Scope)(nil)
	if terms == "sharing" {
		convert, theirs, scope = w.ours.Scheme().ConvertSharing, w.kube.UnsafeConvertToVersion, kubefleet.Sharing
	}
	return newRow("Conversion and defaults", "convert/"+terms+"/"+s.name,
		peer(ours, func() (compare.Work, error) {
			obj := s.object()
			return making(func() (any, error) { return convert(obj, v1beta1.GroupVersion) })
		}),
		w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
			return making(func() (any, error) { return theirs(obj, kubefleet.V1beta1) })
		}),
		compare.Subject{
			Name: "function",
			Note: "the generated function alone, without finding the route, checking types and stating the kind",
			Prepare: func() (compare.Work, error) {
				obj := s.object().(*v1.Machine)
				stated := ourmeta.TypeMeta{APIVersion: v1beta1.GroupVersion.String(), Kind: "Machine"}
				return making(func() (any, error) {
					out := &v1beta1.Machine{TypeMeta: stated}
					return out, v1beta1.ConvertMachineFromV1(obj, out, scope)
				})
			},
		})
}

// defaultRow fills in the defaults of a machine that has them.
func (w *world) defaultRow(s *sample) *compare.Row {
	return newRow("Conversion and defaults", "default/"+s.name,
		peer(ours, func() (compare.Work, error) {
			obj := s.object()
			return making(func() (any, error) { return obj, w.ours.Scheme().Default(obj) })
		}),
		w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
			return making(func() (any, error) {
				w.kube.Default(obj)
				return obj, nil
			})
		}))
}
