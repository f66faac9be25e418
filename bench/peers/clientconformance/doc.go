// Package clientconformance tests a server made with package httpapi against the clients of
// Kubernetes themselves: typed and dynamic clients, the metadata client, informers, and the watch
// decoder. A response that they do not accept fails the test.
package clientconformance
