// Package conformance holds tests that compare this module with k8s.io/apimachinery value by value:
// what one writes the other must write too, byte for byte, and both must read it alike. Where the
// peer is known to be wrong, the test says so.
package conformance
