// Package conformance has tests that compare this module with k8s.io/apimachinery value by value:
// both must write the same bytes, and read them to the same value. Tests note where the peer is
// known to be wrong.
package conformance
