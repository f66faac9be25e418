// Package server serves the kinds of a scheme as resources over HTTP, to clients of the Kubernetes
// API such as kubectl and client-go, and to curl.
//
// # A server
//
// A scheme defines the kinds, and an engine stores their objects:
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
// negotiates. The server also has the discovery documents, the Group objects of discovery.k8s.io,
// the OpenAPI documents, /version, /healthz, /livez, /readyz and /metrics.
//
// A [Server] is a [net/http.Handler], so it can be mounted in a program that serves other things.
// [Server.Client] is a typed client in the same process, and [Server.Transport] a transport for
// other clients that needs no port. [Server.Install] and [Server.Remove] change what is served at
// run time.
//
// # Writes
//
// All writes go through the same steps. The user is authenticated and authorized; the body is
// decoded and defaulted; what clients cannot set, such as the UID and the status, is set or kept by
// the server; then
//
//   - Prepare hooks complete the object;
//   - it is validated: its metadata, by the functions of the scheme, and by Validate hooks;
//   - Admit hooks may refuse it;
//   - it is committed;
//   - AfterCommit hooks and audit functions are called.
//
// A dry run skips the commit and the AfterCommit hooks. [Hooks] are typed functions that are added
// with [For]:
//
//	server.For(server.Hooks[v1.Car]{
//		Admit: func(ctx context.Context, r *server.Request, old, new *v1.Car) error {
//			if new == nil && old.Spec.Owner != r.User.Name { // a deletion
//				return r.Forbidden("the car has another owner")
//			}
//			return nil
//		},
//	})
//
// [Resource] serves a resource from functions instead of the store; [Subresource] adds an operation
// on stored objects.
//
// An object with finalizers is first marked for deletion, and removed with its last finalizer. A
// garbage collector deletes objects whose owners no longer exist, and implements the propagation
// policies of deletions.
//
// # Safety
//
// Without an authorizer a server listens on loopback addresses only. Requests that a browser sends
// for a page of another site are refused, see [CORS], and so are requests for unknown hosts unless
// there is an authorizer, see [Hosts]. [Authenticate] and [Authorize] take implementations of
// package auth, or others. [Limits] bound what clients can make the server do. Internal errors are
// logged, and the client gets a reference to the log.
//
// # Related packages
//
// Package store keeps the objects. Package httpapi reads requests and writes answers. Package
// discovery makes the documents about resources, and package openapi those about types. Package
// client is the client for such servers.
package server
