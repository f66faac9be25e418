// Package k8s tests the functions of module k8s, which are generated for the types of k8s.io/api
// and k8s.io/apimachinery: their bytes beside the golden files of Kubernetes, what they read and
// write beside the peer's own methods and protobuf-go, and the same for all packages of k8s.io/api.
package k8s
