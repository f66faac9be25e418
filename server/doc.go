// Package server serves the kinds of a scheme as resources over HTTP, to clients of the Kubernetes
// API such as kubectl and client-go, and to curl.
//
// # A server
//
// A scheme says which kinds there are and an engine keeps their objects; that is a server:
//
//	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo)
//	…
//	srv, err := server.New(scheme, memory.New())
//	…
//	err = srv.ListenAndServe(ctx, "127.0.0.1:8080")
//
// Every kind that has metadata and a list is a resource, in every version that is not marked as
// unserved, below /apis/GROUP/VERSION, and /api/VERSION for the core group. Its names, its scope,
// the columns of its tables and the subresources status and scale come from the markers of its
// type. Requests and answers are in any format, version and representation that package httpapi
// negotiates. The documents of discovery, the Group objects of discovery.k8s.io, the OpenAPI
// documents, /version, /healthz, /livez, /readyz and /metrics are there too.
//
// A [Server] is an [net/http.Handler], so it can be mounted in a program that serves other things.
// [Server.Client] is a typed client in the same process, and [Server.Transport] a transport for
// other clients that needs no port. [Server.Install] and [Server.Remove] change what is served at
// run time.
//
// # Writes
//
// All writes take the same way. The user is authenticated and authorized; the body is decoded and
// defaulted; what clients cannot set, such as the UID and the status, is set or kept by the server;
// then
//
//   - Prepare hooks complete the object;
//   - it is validated: its metadata, by the functions of the scheme, and by Validate hooks;
//   - Admit hooks may refuse it;
//   - it is committed;
//   - AfterCommit hooks and audit functions are told.
//
// A dry run does all but the commit and AfterCommit. [Hooks] are typed functions that are added
// with [For]; [Resource] makes a resource of functions instead of stored objects; [Subresource]
// adds something that can be done with stored ones.
//
// Objects with finalizers are marked for deletion and go when the last finalizer is gone. A
// collector deletes objects whose owners are gone, and does what the propagation policy of a
// deletion asks for.
//
// # Safety
//
// Without an authorizer a server listens on loopback addresses alone, and refuses requests that a
// web page could send: for other hosts than those of loopback, and from other sites. [Authenticate]
// and [Authorize] take implementations of package auth, or others. What clients can make the server
// do is bounded by [Limits]. Internal errors are logged, and the client gets a reference to the
// log.
//
// # Related packages
//
// Package store keeps the objects, package httpapi reads requests and writes answers, package
// discovery makes the documents about resources, package openapi those about types, package client
// is the other side.
package server
