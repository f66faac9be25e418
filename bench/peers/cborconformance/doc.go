// Package cborconformance compares package serializer/cbor with the CBOR of Kubernetes, in both
// directions: on the golden objects of k8s.io/api as untyped ones, on the kinds of meta/v1 as typed
// ones, on floats and integers of every sort, and on broken input.
package cborconformance
