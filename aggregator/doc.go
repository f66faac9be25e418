// Package aggregator makes several servers look like one: it passes the requests for registered
// group versions on to the servers that answer them, and shows their resources in one discovery.
//
//	agg, err := aggregator.New(aggregator.Config{Certificate: proxyCertificate})
//	srv, err := server.New(scheme, db, server.DelegateTo(agg), server.Authenticate(…), server.Authorize(…))
//	go agg.Run(ctx, srv.Client())
//
// # Registrations
//
// An [v1alpha1.APIService] says which server answers which version of a group. [Aggregator.Run]
// follows the objects of that kind through a client and writes their conditions; a program that has
// its registrations elsewhere calls [Aggregator.Set]. A registration is accepted unless
//
//   - the server in the aggregator's own process serves the group version itself,
//   - an older registration has it, or
//   - the server gives a resource of the group another kind, or a kind another resource, than the
//     servers of the other versions do.
//
// The conditions of a registration say which of these holds.
//
// # Discovery
//
// For each server the aggregator watches its Groups of discovery.k8s.io; a server without that
// group is asked for the aggregated document of apidiscovery.k8s.io with an entity tag, and one
// without that for the older documents, once in [Config].Period. Only group versions that are
// registered and accepted are shown. A server that does not answer keeps what it said last, marked
// as stale, and no client waits for it.
//
// # Requests
//
// The server in front authenticates and authorizes every request before it is passed on, watches
// and upgraded connections included. The aggregator names the user in the headers X-Remote-User,
// X-Remote-Uid, X-Remote-Group and X-Remote-Extra-…, removes such headers of clients and their
// Authorization, and identifies itself to the other server by its client certificate. The other
// server trusts the headers of that certificate only, see auth.FrontProxy.
//
// A server that cannot be reached is answered for with 503 and Retry-After, never with 404. Each
// server has a bound of its own on requests at the same time, so that a slow one does not keep the
// aggregator from answering for the others.
package aggregator
