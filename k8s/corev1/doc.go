// Package corev1 holds generated functions for the types of k8s.io/api/core/v1, which cannot be
// edited, and AddTo, which adds its kinds to a scheme.
//
// +askind:foreign=k8s.io/api/core/v1
package corev1
