// Package clientconformance tests a server made with package httpapi against the clients of
// Kubernetes themselves: typed and dynamic clients, the metadata client, informers, and the watch
// decoder. What they accept is what counts; what they wait for without an answer hangs.
package clientconformance
