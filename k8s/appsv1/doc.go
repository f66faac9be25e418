// Package appsv1 holds generated functions for the types of k8s.io/api/apps/v1, which cannot be
// edited, and AddTo, which adds its kinds to a scheme.
//
// +groupName=apps
// +askind:foreign=k8s.io/api/apps/v1
package appsv1
