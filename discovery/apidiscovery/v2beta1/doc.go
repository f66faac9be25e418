// Package v2beta1 holds the kinds of the API group apidiscovery.k8s.io, version v2beta1, for
// clients that do not support v2. The two versions differ only in their names.
//
// +groupName=apidiscovery.k8s.io
// +askind:protobuf
// +askind:hub=github.com/askind/askind/discovery/apidiscovery/v2
package v2beta1

//go:generate go tool askind . ../v2
