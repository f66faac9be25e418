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
	return resulting(find, func(found T) ([]byte, error) { return fmt.Append(nil, found), nil }), nil
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
	const group = "Schemes and look-ups"
	return []*compare.Row{
		newRow(group, "scheme-build/fleet",
			compare.Subject{
				Name: ours, Note: "builds more: all of the example's v1 and v1beta1, with lists, pools, tables and checks of every route",
				Prepare: func() (compare.Work, error) {
					return resulting(func() (*runtime.Scheme, error) {
						return runtime.NewScheme(v1.AddTo, v1beta1.AddTo, ourmeta.AddTo)
					}, func(s *runtime.Scheme) ([]byte, error) {
						return known(func(gv schema.GroupVersion, kind string) bool {
							_, ok := s.Lookup(gv.WithKind(kind))
							return ok
						}), nil
					}), nil
				},
			},
			peer(kube, func() (compare.Work, error) {
				return resulting(kubefleet.NewScheme, func(s *kruntime.Scheme) ([]byte, error) {
					return known(func(gv schema.GroupVersion, kind string) bool {
						// Kinds without a version of their own are registered in the version v1 of
						// the core group there.
						return s.Recognizes(kschema.GroupVersion(gv).WithKind(kind)) ||
							s.Recognizes(kubefleet.V1.WithKind(kind)) || s.Recognizes(metav1.Unversioned.WithKind(kind))
					}), nil
				}), nil
			})),
		newRow(group, "lookup/new-object",
			peer(ours, func() (compare.Work, error) {
				return resulting(func() (runtime.Object, error) {
					k, err := scheme.Kind(bench.MachineKind)
					if err != nil {
						return nil, err
					}
					return k.New(), nil
				}, typeName), nil
			}),
			peer(kube, func() (compare.Work, error) {
				return resulting(func() (any, error) { return w.kube.New(kind) }, typeName), nil
			})),
		newRow(group, "lookup/kind-of-object",
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
			})),
		newRow(group, "lookup/kind-of-resource",
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
			})),
		newRow(group, "lookup/versions-of-kind",
			peer(ours, func() (compare.Work, error) {
				two, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, ourmeta.AddTo)
				if err != nil {
					return compare.Work{}, err
				}
				gk := bench.MachineKind.GroupKind()
				return finding(func() ([]schema.GroupVersion, error) { return two.VersionsOf(gk), nil })
			}),
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
			})),
	}
}

// known lists the kinds that a scheme has of those that it must have.
func known(has func(gv schema.GroupVersion, kind string) bool) []byte {
	var out []string
	for _, kind := range append(slices.Clone(common), "Machine", "MachineList") {
		gv := ourmeta.GroupVersion
		if kind == "Machine" || kind == "MachineList" {
			gv = v1.GroupVersion
		}
		if has(gv, kind) {
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
