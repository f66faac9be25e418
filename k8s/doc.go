// Package k8s documents a module that lets API types use those of Kubernetes and serves the kinds
// of core/v1 and apps/v1, and those that managers of controller-runtime use.
//
//   - Package metav1 has the functions for the metadata, times, label selectors and options of
//     k8s.io/apimachinery, and for resource.Quantity, intstr.IntOrString and RawExtension.
//   - Packages corev1 and appsv1 have the functions for the types of k8s.io/api, and an AddTo that
//     adds the kinds to a scheme.
//   - Packages coordinationv1 and eventsv1 do the same for leases, by which managers elect a leader,
//     and for the events that they record.
//
// A package whose types contain some of these types names the packages in markers, so that the
// generator calls their functions:
//
//	// +askind:codecs=github.com/askind/askind/k8s/metav1
//	// +askind:codecs=github.com/askind/askind/k8s/corev1
//
// A server serves the kinds with the names, subresources and scopes that they have in a cluster,
// for controllers and for tests of controllers:
//
//	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo, coordinationv1.AddTo, eventsv1.AddTo)
//	srv, err := server.New(scheme, db)
//
// It stores them and no more: nothing schedules pods, fills in the defaults of Kubernetes or
// deletes the contents of a namespace.
//
// Other packages of k8s.io/api are served in the same way by a package of your own, with the marker
// +askind:foreign. It is a module of its own so that nothing else depends on Kubernetes.
package k8s

//go:generate go tool askind ./...
