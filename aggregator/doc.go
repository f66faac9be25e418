// Package aggregator makes several servers look like one. It passes requests for registered group
// versions on to the servers that serve them, and combines the resources of all servers in its
// discovery documents.
//
//	agg, err := aggregator.New(aggregator.Config{Certificate: proxyCertificate})
//	srv, err := server.New(scheme, db, server.DelegateTo(agg), server.Authenticate(…), server.Authorize(…))
//	go agg.Run(ctx, srv.Client())
//
// # Registrations
//
// A [v1alpha1.APIService] registers a server for one version of a group. [Aggregator.Run] follows
// the objects of that kind through a client and writes their conditions; a program that keeps its
// registrations elsewhere calls [Aggregator.Set]. A registration is accepted unless
//
//   - the server in the aggregator's own process serves the group version itself,
//   - an older registration has it, or
//   - the server gives a resource of the group another kind, or a kind another resource, than the
//     servers of the other versions do.
//
// The conditions of a registration state which of these applies.
//
// # Discovery
//
// For each server the aggregator watches its Groups of discovery.k8s.io. A server without that
// group is asked once in [Config].Period for the aggregated document of apidiscovery.k8s.io, with
// an entity tag, and one without that for the older documents. Only group versions that are
// registered and accepted are shown, in the documents and in the Groups of the server in front. One
// that its server does not serve is omitted, and so is one that its server knows only from this
// aggregator, because aggregators are registered at each other or in a ring. If a server does not
// answer, its last known resources are shown, marked as stale, and no client waits for it. A group
// with a resource or a subresource that discovery cannot show is omitted as a whole, and the
// condition Available of its registrations has the reason MalformedDescription; requests are passed
// on nevertheless. [Aggregator.OpenAPI] combines the OpenAPI documents of the servers.
//
// # Requests
//
// The server in front authenticates and authorizes every request before it is passed on, watches
// and upgraded connections included. The aggregator names the user in the headers X-Remote-User,
// X-Remote-Uid, X-Remote-Group and X-Remote-Extra-…, removes such headers of clients, their
// Authorization and their cookies, and identifies itself to the other server by its client
// certificate. The other server trusts the headers of that certificate only, see auth.FrontProxy.
//
// The aggregator asks what a server serves as the user system:aggregator in the group
// system:authenticated. That user needs the permission to read the discovery documents, and to list
// and watch the Groups of discovery.k8s.io where the server has them.
//
// Requests for a server that cannot be reached get 503 with Retry-After, never 404. A write whose
// connection breaks gets 503 without Retry-After, because it may have taken effect. The number of
// concurrent requests is limited for each server, so that a slow one does not hold up the others.
package aggregator
