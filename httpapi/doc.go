// Package httpapi connects net/http with package serializer. It reads the options and headers of a
// request, negotiates the representation, and writes the response with its headers.
//
// It is not a framework: routing, storage and authorization are up to the program. A handler is a
// function that returns an error, and every error becomes a Status in a format that the client can
// read:
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
// Call [Endpoint.Begin] first. It reads the Accept header and the query and negotiates, so that a
// request that cannot be answered fails before it has any effect. The [Exchange] that it returns
// knows the verb of the request:
//
//   - [ReadOptions] returns the options in the query as a typed object, such as
//     [metav1.ListOptions] for a list.
//   - [Exchange.ReadBody] decodes the body, in any format and version, and [Exchange.Body] returns
//     its bytes.
//   - [Exchange.Respond] answers with an object or a list, and [Exchange.RespondItems] with a list
//     that is written item by item.
//   - [Exchange.Watch] answers with a stream of events.
//   - [Exchange.NotModified] and [Exchange.Match] implement conditional requests.
//
// The response is converted to the version of the endpoint, shown as the requested kind, and
// written in the negotiated format. The scheme and the factory determine which kinds, versions and
// formats are available.
//
// # Queries
//
// Some parameters may be in the Accept header or in the query. The header takes precedence, since
// it can have different parameters for different representations:
//
//	?pretty=0        compact, or indented with 1; the default is [Settings].Compact; streams are always compact
//	?export=1        without server-populated fields and defaults
//	?includeObject=  how much of each object the rows of a table include, and the other options of tables
//
// The other parameters are the fields of the options object of the verb, in a version that the
// client may choose: ?apiVersion=meta.k8s.io/v2&rv=10 is in the second version of ListOptions, and
// refused if the scheme does not have it. Clients encode an options object as a query with
// [query.Codec.Encode].
//
// # Headers
//
// A response has the Content-Type that was negotiated, with parameters separated by semicolons, and
// always Vary: Accept. The Accept header may have several lines and may separate parameters by
// commas. A request body without a Content-Type is read as JSON.
//
// # Errors
//
// [StatusOf] returns the Status that reports an error, and [API.Error], which [API.Handler] calls,
// writes it: in the negotiated format, never shown as another kind, with apiVersion v1 unless the
// client chose another version with the parameter sv. The proposal for API groups omits the version
// until it is known, which no client expects; [Settings].UnversionedStatus does so. If nothing is
// acceptable, the response has code 406 and lists what is on offer, as indented JSON unless the
// client named a format that is available.
//
// An error that occurs after a part of the response has been sent aborts the connection with a
// panic of [http.ErrAbortHandler], which net/http expects. Nothing else in this package panics.
//
// # Related packages
//
// Package serializer negotiates and encodes without HTTP. Package query reads options. The example
// in examples/fleet is a complete server.
package httpapi
