// Package coordinationv1 holds generated functions for the types of k8s.io/api/coordination/v1,
// which cannot be edited, and AddTo, which adds its kind Lease to a scheme. The leader election of
// client-go and controller-runtime needs it.
//
// +groupName=coordination.k8s.io
// +askind:foreign=k8s.io/api/coordination/v1
package coordinationv1
