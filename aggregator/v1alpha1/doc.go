// Package v1alpha1 has the kind by which an aggregator learns which group versions other servers
// answer.
//
// +groupName=aggregation.askind.dev
// +askind:generate
package v1alpha1

//go:generate go tool askind .
