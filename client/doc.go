// Package client gives Go programs access to servers of versioned APIs: those of this module, in
// the same process or over HTTP, and those of the Kubernetes API.
//
// # Typed access
//
// A [Client] combines a [Backend], which carries requests, and a scheme, which knows the kinds.
// [Of] gives access to the objects of one Go type:
//
//	t, err := client.HTTP("https://api.example.com", factory, client.BearerToken(token))
//	c := client.New(t, scheme)
//	cars := client.Of[v1.Car](c).In("default")
//	car, err := cars.Get(ctx, "beetle")
//	for car, err := range cars.All(ctx, client.Labels("wheels=4")) { … }
//
// The plural, the scope and the version come from the kind. No client code is generated: [Resource]
// takes the type as a parameter, so one implementation serves every kind, and a function that works
// for any kind is generic over it.
//
// # Access without types
//
// [Client.Untyped] gives the same access to objects of any kind, as *unstructured.Object, and
// [Client.Metadata] to their metadata alone. [Client.Mapper] finds the resources of a server.
//
// # Watching
//
// [Resource.Watch] is one request for changes. [Resource.Follow] runs until its context is done: it
// lists, watches from there, reconnects when the connection breaks, and lists again when the server
// no longer has the revision at which it stopped. A [Cache] keeps what Follow yields, with indexes.
//
// # Discovery
//
// The [Mapper] of a client knows what the server offers. It watches the Groups of discovery.k8s.io
// where the server has them, so that a kind is known as soon as it is installed, and falls back to
// the documents that all servers have.
//
// # Errors
//
// A request that the server refuses returns a *metav1.StatusError, which metav1.ReasonOf and
// errors.As find through any wrapping. A request that does not reach the server returns the error
// of the transport.
//
// # Servers that are not trusted
//
// A request lasts until its context is done, however slowly the server answers. Redirects are not
// followed, so credentials reach no other host. What a server can make large is bounded: a response
// by [MaxBody], a document by 64 MiB, an event of a watch and the memory that decoding takes by the
// limits of the factory, and a failure by 1 MiB, with a message of 16 KiB. A server states how many
// objects it has: [Resource.All] keeps one page of them in memory, but [Resource.List],
// [Resource.Follow] and a [Cache] keep all of them. Names and texts may have any characters;
// [Printable] is for programs that show them in a terminal.
package client
