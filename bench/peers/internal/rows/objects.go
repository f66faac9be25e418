package rows

import (
	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	ourmeta "github.com/askind/askind/meta/v1"
)

// making returns the work of making an object of another.
func making(do func() (any, error)) (compare.Work, error) {
	var last any
	return compare.Work{
		Run: func() (err error) {
			last, err = do()
			return err
		},
		Result: func() ([]byte, error) { return seen(last) },
		Forget: func() { last = nil },
	}, nil
}

func objectRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, s := range samples() {
		if s.heavy {
			continue
		}
		row := &compare.Row{
			Group: "Deep copy", Name: "deep-copy/" + s.name,
			Subjects: []compare.Subject{
				peer(ours, func() (compare.Work, error) {
					obj := s.object()
					return making(func() (any, error) { return w.ours.Scheme().DeepCopy(obj) })
				}),
				peer(kube, func() (compare.Work, error) {
					obj, err := w.theirs(&s)
					if err != nil {
						return compare.Work{}, err
					}
					return making(func() (any, error) { return obj.DeepCopyObject(), nil })
				}),
			},
		}
		if s.name == "pod" {
			for _, l := range messageLibraries() {
				row.Subjects = append(row.Subjects, w.messageCopies(&s, l))
			}
		}
		out = append(out, row)
	}
	for _, s := range samples() {
		if s.name != "machine" {
			continue
		}
		out = append(out, w.convertRow(&s, "copying"), w.convertRow(&s, "sharing"), w.defaultRow(&s))
	}
	return out
}

// convertRow converts a machine to the previous version. Both libraries call the same generated
// functions for what is not metadata.
func (w *world) convertRow(s *sample, terms string) *compare.Row {
	const note = "the generated function alone, without finding the route, checking types and stating the kind"
	convert := w.ours.Scheme().ConvertTo
	if terms == "sharing" {
		convert = w.ours.Scheme().ConvertSharing
	}
	row := &compare.Row{
		Group: "Conversion and defaults", Name: "convert/" + terms + "/" + s.name,
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				obj := s.object()
				return making(func() (any, error) { return convert(obj, v1beta1.GroupVersion) })
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirs(s)
				if err != nil {
					return compare.Work{}, err
				}
				convert := w.kube.ConvertToVersion
				if terms == "sharing" {
					convert = w.kube.UnsafeConvertToVersion
				}
				return making(func() (any, error) { return convert(obj, kubefleet.V1beta1) })
			}),
		},
	}
	row.Subjects = append(row.Subjects, compare.Subject{
		Name: "function", Note: note,
		Prepare: func() (compare.Work, error) {
			obj, scope := s.object().(*v1.Machine), kubefleet.Sharing
			if terms != "sharing" {
				scope = nil
			}
			return making(func() (any, error) {
				out := &v1beta1.Machine{TypeMeta: ourmeta.TypeMeta{
					APIVersion: v1beta1.GroupVersion.String(),
					Kind:       "Machine",
				}}
				return out, v1beta1.ConvertMachineFromV1(obj, out, scope)
			})
		},
	})
	return row
}

// defaultRow fills in the defaults of a machine that has them.
func (w *world) defaultRow(s *sample) *compare.Row {
	return &compare.Row{
		Group: "Conversion and defaults", Name: "default/" + s.name,
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				obj := s.object()
				return making(func() (any, error) { return obj, w.ours.Scheme().Default(obj) })
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirs(s)
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) {
					w.kube.Default(obj)
					return obj, nil
				})
			}),
		},
	}
}
