// Package kubeproto has the pod of k8s.io/api as messages of google.golang.org/protobuf, with the
// methods of vtprotobuf, so that both libraries can be measured on the same bytes. The code is
// generated from the .proto files that k8s.io/api and k8s.io/apimachinery publish, cut down to the
// messages that occur in the pod that is measured: kinds of volumes that it does not have, for
// instance, are left out.
package kubeproto

//go:generate go run ./generate
//go:generate go tool -modfile=../../../../tools/go.mod gofumpt -w pod.pb.go pod_vtproto.pb.go
