package rows

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	ourmeta "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// finding returns the work of a look-up.
func finding[T any](find func() (T, error)) (compare.Work, error) {
	var last T
	return compare.Work{
		Run: func() (err error) {
			last, err = find()
			return err
		},
		Result: func() ([]byte, error) { return fmt.Append(nil, last), nil },
	}, nil
}

// common are kinds that both schemes of the build row must know.
var common = []string{
	"APIGroup", "APIResourceList", "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions",
	"PartialObjectMetadata", "PartialObjectMetadataList", "PatchOptions", "Status", "Table", "UpdateOptions",
}

func schemeRows(w *world) []*compare.Row {
	kind := kschema.GroupVersionKind(bench.MachineKind)
	scheme := w.ours.Scheme()
	mapper := kubefleet.NewMapper()
	return []*compare.Row{
		{
			Group: "Schemes and look-ups", Name: "scheme-build/fleet",
			Subjects: []compare.Subject{
				{
					Name: ours, Note: "builds more: all of the example's v1 and v1beta1, with lists, pools, tables and checks of every route",
					Prepare: func() (compare.Work, error) {
						var last *runtime.Scheme
						return compare.Work{
							Run: func() (err error) {
								last, err = runtime.NewScheme(v1.AddTo, v1beta1.AddTo, ourmeta.AddTo)
								return err
							},
							Result: func() ([]byte, error) {
								return known(func(group, version, kind string) bool {
									_, ok := last.Lookup(bench.MachineKind.GroupVersion().WithKind(kind))
									if group == ourmeta.GroupVersion.Group {
										_, ok = last.Lookup(ourmeta.GroupVersion.WithKind(kind))
									}
									return ok
								}), nil
							},
						}, nil
					},
				},
				peer(kube, func() (compare.Work, error) {
					var last *kruntime.Scheme
					return compare.Work{
						Run: func() (err error) {
							last, err = kubefleet.NewScheme()
							return err
						},
						Result: func() ([]byte, error) {
							return known(func(group, version, kind string) bool {
								gv := kschema.GroupVersion{Group: group, Version: version}
								// Kinds without a version of their own are registered in the
								// version v1 of the core group there.
								return last.Recognizes(gv.WithKind(kind)) ||
									last.Recognizes(kubefleet.V1.WithKind(kind)) ||
									last.Recognizes(metav1.Unversioned.WithKind(kind))
							}), nil
						},
					}, nil
				}),
			},
		},
		{
			Group: "Schemes and look-ups", Name: "lookup/new-object",
			Subjects: []compare.Subject{
				peer(ours, func() (compare.Work, error) {
					var last runtime.Object
					return compare.Work{
						Run: func() error {
							k, err := scheme.Kind(bench.MachineKind)
							if err == nil {
								last = k.New()
							}
							return err
						},
						Result: func() ([]byte, error) { return typeName(last) },
					}, nil
				}),
				peer(kube, func() (compare.Work, error) {
					var last kruntime.Object
					return compare.Work{
						Run: func() (err error) {
							last, err = w.kube.New(kind)
							return err
						},
						Result: func() ([]byte, error) { return typeName(last) },
					}, nil
				}),
			},
		},
		{
			Group: "Schemes and look-ups", Name: "lookup/kind-of-object",
			Subjects: []compare.Subject{
				peer(ours, func() (compare.Work, error) {
					obj := runtime.Object(bench.Small(1))
					return finding(func() (string, error) {
						k, err := scheme.KindOf(obj)
						if err != nil {
							return "", err
						}
						return k.Name(), nil
					})
				}),
				peer(kube, func() (compare.Work, error) {
					obj := &kubefleet.Machine{}
					return finding(func() (string, error) {
						kinds, _, err := w.kube.ObjectKinds(obj)
						if err != nil {
							return "", err
						}
						return kinds[0].Kind, nil
					})
				}),
			},
		},
		{
			Group: "Schemes and look-ups", Name: "lookup/kind-of-resource",
			Subjects: []compare.Subject{
				peer(ours, func() (compare.Work, error) {
					gvr := v1.GroupVersion.WithResource("machines")
					return finding(func() (string, error) {
						k, err := scheme.Resource(gvr)
						if err != nil {
							return "", err
						}
						return k.Name(), nil
					})
				}),
				peer(kube, func() (compare.Work, error) {
					gvr := kubefleet.V1.WithResource("machines")
					return finding(func() (string, error) {
						k, err := mapper.KindFor(gvr)
						return k.Kind, err
					})
				}),
			},
		},
		{
			Group: "Schemes and look-ups", Name: "lookup/versions-of-kind",
			Subjects: []compare.Subject{
				{Name: ours, Prepare: func() (compare.Work, error) {
					two, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, ourmeta.AddTo)
					if err != nil {
						return compare.Work{}, err
					}
					gk := bench.MachineKind.GroupKind()
					return finding(func() ([]schema.GroupVersion, error) { return two.VersionsOf(gk), nil })
				}},
				peer(kube, func() (compare.Work, error) {
					s, err := kubefleet.NewScheme()
					if err != nil {
						return compare.Work{}, err
					}
					if err := s.SetVersionPriority(kubefleet.V1, kubefleet.V1beta1); err != nil {
						return compare.Work{}, err
					}
					gk := kind.GroupKind()
					return finding(func() ([]kschema.GroupVersion, error) { return s.VersionsForGroupKind(gk), nil })
				}),
			},
		},
	}
}

// known lists the kinds that a scheme has of those that it must have.
func known(has func(group, version, kind string) bool) []byte {
	var out []string
	for _, kind := range append(slices.Clone(common), "Machine", "MachineList") {
		group, version := ourmeta.GroupVersion.Group, ourmeta.GroupVersion.Version
		if kind == "Machine" || kind == "MachineList" {
			group, version = v1.GroupVersion.Group, v1.GroupVersion.Version
		}
		if has(group, version, kind) {
			out = append(out, kind)
		}
	}
	return fmt.Append(nil, out)
}

// typeName returns the name of an object's type without its package.
func typeName(obj any) ([]byte, error) {
	name := fmt.Sprintf("%T", obj)
	return []byte(name[len(name)-len("Machine"):]), nil
}
