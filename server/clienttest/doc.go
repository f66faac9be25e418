// Package clienttest tries clients of the Kubernetes API, as they are, on package server: client-go
// and controller-runtime, through [server.Server.Transport] and over TCP. It is a module of its
// own, so that nobody else needs their dependencies.
package clienttest
