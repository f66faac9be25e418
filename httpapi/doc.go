// Package httpapi is the adapter between net/http and the representations of the serializer
// package: it reads what a request says, chooses, and writes the answer with the headers that go
// with it.
//
// It is not a framework. Routing, storage and authorization are the program's; a handler is a
// function that may fail, and every failure becomes a Status that says what went wrong, in the
// format that the client can read:
//
//	api := httpapi.New(factory, httpapi.Settings{})
//	one, err := api.Endpoint(httpapi.Offer{Kind: v1.GroupVersion.WithKind("Car")})
//	…
//	mux.Handle("GET /cars/{name}", api.Handler(func(w http.ResponseWriter, r *http.Request) error {
//		x, err := one.Begin(w, r)
//		if err != nil {
//			return err // 400, 406 …
//		}
//		car, ok := cars[r.PathValue("name")]
//		if !ok {
//			return metav1.NotFound(resource, r.PathValue("name"))
//		}
//		return x.Respond(http.StatusOK, car)
//	}))
//
// # One request
//
// [Endpoint.Begin] comes first. It reads the Accept header and the query, and negotiates, so that a
// request that cannot be answered fails before it has changed anything. The [Exchange] that it
// returns knows the verb of the request; then
//
//   - [ReadOptions] returns the options that the query holds, as a typed object: [metav1.ListOptions]
//     for a list;
//   - [Exchange.ReadBody] decodes the body, in whatever format and version it is, and
//     [Exchange.Body] has it as it came;
//   - [Exchange.Respond] answers with an object or a list, [Exchange.RespondItems] with a list that
//     comes item by item;
//   - [Exchange.Watch] answers with a stream of events;
//   - [Exchange.NotModified] and [Exchange.Match] are for conditional requests.
//
// What is answered is converted to the version of the endpoint, shown as the kind that the client
// asked for, and written in its format. Which kinds, versions and formats there are is up to the
// scheme and the factory; this package has no list of them.
//
// # Queries
//
// Some things can be said in the header or in the query. The header counts first, since it can say
// different things for different representations:
//
//	?pretty=0        compact, or indented with 1; by default indented, see [Settings].Compact, and never in a stream
//	?export=1        without what the server set and without defaults
//	?includeObject=  how much of each object comes with the rows of a table, and the other options of tables
//
// The other parameters are the fields of an options object of the verb, in a version that the
// client may choose: with ?apiVersion=meta.k8s.io/v2&rv=10 it speaks the second version of
// ListOptions, if the scheme has that, and is refused if not. A client that has an options object
// makes the query of it with [query.Codec.Encode].
//
// # Headers
//
// The answer has the Content-Type of what was chosen, with its parameters separated by semicolons
// whatever the request had, and Vary: Accept, always. The Accept header may have several lines and
// separate parameters by commas. A request without a Content-Type is taken for JSON.
//
// # Errors
//
// [StatusOf] says which Status an error becomes. It is written by [API.Error], which [API.Handler]
// calls: in the format that was negotiated, never shown as another kind, with apiVersion v1 unless
// the client chose another version with the parameter sv. This differs from the proposal for API
// groups, by which a server states no version before it knows one, because no client expects that;
// [Settings].UnversionedStatus follows the letter. If nothing is acceptable, the answer with code
// 406 lists what is on offer, as JSON for people, unless the client named a format for which there
// is a writer.
//
// An error that comes when a part of the answer has been sent breaks the connection off, by the
// panic with [http.ErrAbortHandler] that net/http has for it. Nothing else here panics.
//
// # Related packages
//
// Package serializer does all of this without HTTP. Package query reads options. The example in
// examples/fleet is a whole server.
package httpapi
