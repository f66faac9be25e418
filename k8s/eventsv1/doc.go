// Package eventsv1 holds generated functions for the types of k8s.io/api/events/v1, which cannot be
// edited, and AddTo, which adds its kind Event to a scheme. The event recorders of client-go and
// controller-runtime write it.
//
// A server does not show these events as those of core/v1, as a cluster does: each kind has objects
// of its own.
//
// +groupName=events.k8s.io
// +askind:foreign=k8s.io/api/events/v1
package eventsv1
