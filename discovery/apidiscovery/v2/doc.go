// Package v2 holds the kinds of the API group apidiscovery.k8s.io, version v2: everything that a
// server offers under one prefix in one document.
//
// A server answers with an [APIGroupDiscoveryList] at /api and /apis to clients that ask for it in
// the Accept header, as kubectl does. The package discovery makes these documents.
//
// +groupName=apidiscovery.k8s.io
// +askind:protobuf
package v2

//go:generate go tool askind
