// Package v1alpha1 holds the kinds of the API group discovery.k8s.io, version v1alpha1: the API
// groups that a server offers, as objects that clients get, list and watch like any others.
//
// There is one [Group] for each API group, named like it. The core group, which has a blank name,
// is named "core"; a blank group under another prefix than "api" is named "PREFIX.core". A Group
// lists the versions of its group, the preferred one first, and for each version the resources. So
// one list request returns every resource of a server, and one watch reports every change.
//
// Package discovery builds Groups from the resources of a server and keeps them up to date.
//
// +groupName=discovery.k8s.io
// +askind:protobuf
package v1alpha1

//go:generate go tool askind
