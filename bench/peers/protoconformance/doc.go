// Package protoconformance compares the protobuf of this module with that of k8s.io/apimachinery:
// byte for byte in writing, and value by value in reading.
package protoconformance
