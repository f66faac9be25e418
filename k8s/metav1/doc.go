// Package metav1 holds generated functions for the types that the API packages of Kubernetes share:
// object and list metadata, options, label selectors, and the leaf values time, quantity,
// number-or-string and embedded object.
//
// None of these types can be edited, so their functions are in this package, where the generator
// finds them by the marker below. The leaf values hide their parts or have a text form of their
// own; their functions are hand-written.
//
// +askind:foreign=k8s.io/apimachinery/pkg/apis/meta/v1
// +askind:foreign=k8s.io/apimachinery/pkg/api/resource.Quantity
// +askind:foreign=k8s.io/apimachinery/pkg/util/intstr.IntOrString
// +askind:foreign=k8s.io/apimachinery/pkg/runtime.RawExtension
// +askind:kinds=none
// +askind:protobuf
package metav1
