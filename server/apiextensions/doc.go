// Package apiextensions serves CustomResourceDefinitions, so that clients add kinds to a running
// server as they add them to a cluster:
//
//	srv, err := server.New(scheme, db)
//	err = apiextensions.Serve(ctx, srv)
//	err = srv.ListenAndServe(ctx, "127.0.0.1:8080")
//
// Then:
//
//	$ kubectl apply -f crontabs.yaml
//	$ kubectl wait --for=condition=Established crd/crontabs.stable.example.com
//	$ kubectl apply -f my-crontab.yaml
//
// # Definitions
//
// Definitions are objects of apiextensions.k8s.io/v1, package [v1], in the store of the server. One
// that does not describe a kind is refused with the paths of all mistakes, and a keyword that
// schemas do not have is treated as an unknown field. Their kinds are dynamic ones: package
// meta/dynamic lists what is done with schemas, columns and subresources. Conversion by webhooks
// and protobuf are not supported. Rules in CEL are evaluated if the server has the
// option [server.Rules], and logged otherwise.
//
// # Conditions
//
// A definition is served when its condition Established is true. NamesAccepted is false while
// another resource of the group has one of the names, and the message says which; the definition is
// served as soon as the names are free. A changed definition is in force when the observed
// generation of Established is that of the definition; until then the one before is.
//
// Established is false again, with the reason Withdrawn, if the program has a kind of these names
// when it starts the next time. The objects stay in the store.
//
// When a definition is deleted, its objects are deleted first, in the way of
// [server.Server.DeleteKinds]. Meanwhile the condition Terminating is true, and a finalizer keeps
// the definition. If another resource has its kind, Terminating has the reason
// InstanceDeletionFailed, and the deletion waits until the server starts without that resource. If
// the program serves the resource itself, the objects are the program's and stay.
//
// # Replicas
//
// Every replica serves the definitions in the shared store. A replica that has not yet seen a
// change serves the definition before it, usually for milliseconds. It answers requests for a kind
// that another replica has announced with 503 and Retry-After. A replica that accepts an object
// after another one has deleted all objects of a kind leaves that object in the store.
package apiextensions
