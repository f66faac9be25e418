// Package v1alpha1 has the kind that registers servers with an aggregator.
//
// +groupName=aggregation.askind.dev
// +askind:generate
package v1alpha1

//go:generate go tool askind .
