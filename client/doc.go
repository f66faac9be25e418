// Package client talks to servers of versioned APIs: this module's, in the same process or over
// HTTP, and those of the Kubernetes API.
//
// # Typed access
//
// A [Client] is made of a [Backend], which carries requests, and a scheme, which knows the kinds.
// [Of] gives access to the objects of one Go type:
//
//	t, err := client.HTTP("https://api.example.com", factory, client.BearerToken(token))
//	c := client.New(t, scheme)
//	cars := client.Of[v1.Car](c).In("default")
//	car, err := cars.Get(ctx, "beetle")
//	for car, err := range cars.All(ctx, client.Labels("wheels=4")) { … }
//
// The plural, the scope and the version come from the kind. There is no code to generate: what a
// generated client has in methods, [Resource] has in its type parameter, so one implementation
// serves every kind, and a function that works for any kind is generic over it.
//
// # Access without types
//
// [Client.Untyped] gives the same access to objects of any kind, as *unstructured.Object, and
// [Client.Metadata] to their metadata alone. Which resources there are is found out with
// [Client.Mapper].
//
// # Watching
//
// [Resource.Watch] is one request for changes. [Resource.Follow] goes on for as long as its
// context: it lists, watches from there, connects again when the connection breaks, and lists again
// when the server has forgotten where it was. A [Cache] keeps what Follow yields, with indexes.
//
// # Discovery
//
// The [Mapper] of a client knows what the server offers. It watches the Groups of discovery.k8s.io
// where the server has them, so that a kind is known as soon as it is installed, and falls back to
// the documents that all servers have.
//
// # Errors
//
// What a server refuses is a *metav1.StatusError, which metav1.ReasonOf and errors.As find through
// any wrapping; what does not reach a server is the error of the transport.
package client
