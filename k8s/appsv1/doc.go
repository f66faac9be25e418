// Package appsv1 holds generated functions for the types of k8s.io/api/apps/v1, which cannot be
// edited, and AddTo, which adds its kinds to a scheme.
//
// +groupName=apps
// +askind:foreign=k8s.io/api/apps/v1
package appsv1

import "k8s.io/api/apps/v1"

// What a type that cannot be edited has no markers for is said here.
//
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Images",type=string,priority=1,JSONPath=`.spec.template.spec.containers[*].image`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
type _ = v1.Deployment
