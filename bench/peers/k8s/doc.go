// Package k8s tests functions that were generated for the types of k8s.io/api and
// k8s.io/apimachinery, none of which can be edited. The packages below it hold the functions:
// metav1 those of the shared types, corev1 and appsv1 those of the API groups.
//
// The generator is part of the main module. To generate anew, build it there and run it in the
// directory bench/peers:
//
//	go build -o /tmp/askind ./codegen/askind && cd bench/peers && /tmp/askind ./k8s/...
package k8s
