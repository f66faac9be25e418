// Package serializer turns objects into bytes and bytes into objects, in the format, the version
// and the shape that the other side asks for.
//
// A [Factory] brings a scheme, which knows the kinds, together with the formats that a program
// speaks. Formats are passed in, so that a program links only what it names:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// # Decoding
//
// [Factory.Decode] reads one document, [Factory.DecodeAll] every document of a file, and [Decode]
// reads into a Go type. The kind and apiVersion of a document say what it is; then, where
// [DecodeOptions] ask for it, the object is defaulted and validated in the version of the document
// and converted to another. Nothing is filled in, and nothing is dropped silently, unless
// asked for: a missing kind is an error, so is a second document where one is expected, and unknown
// fields are ignored, told, or refused as [Strictness] says, inside embedded objects of known
// kinds too. Errors name file, line, column and field, and all of them come at once.
//
// # Encoding
//
// [Factory.Append] and [Factory.Encode] write an object in a stated format and version. All other
// output goes through a [Representation].
//
// # Negotiation
//
// A server prepares an [Endpoint] for each thing that it serves. [Endpoint.Negotiate] takes the
// Accept header of a request and returns a Representation, which converts the objects, shows them
// as the kind that was asked for, and writes them:
//
//	ep, err := f.Endpoint(serializer.Offer{Kind: kind.GroupVersionKind()}) // once
//	…
//	rep, err := ep.Negotiate(r.Header["Accept"])
//	if err != nil {
//		… // a *NotAcceptableError: its Status method has what goes into the answer
//	}
//	w.Header().Set("Content-Type", rep.ContentType())
//	err = rep.Encode(w, obj)
//
// Clients choose with parameters of the media type. Each clause of the header stands for one
// representation, so that "v2, then v1" and "a table, else the object" can be said by order or by
// weight:
//
//	application/json                                        the object, in the version of the endpoint
//	application/json;v=v1beta1                              in another version
//	application/json;g=inventory.example.com;v=v1           as the kind declared equivalent in another group
//	application/json;g=meta.k8s.io;v=v1;as=Table            shown as a table
//	application/yaml;as=PartialObjectMetadata;pretty=1      metadata only, as YAML
//
// Further parameters say how the answer is made, each only where it is needed:
//
//	sv=v2                   Status, and other kinds that any endpoint may answer with, in that version of meta.k8s.io
//	export=1                without what the server set and without defaults, see [runtime.Kind.Export]
//	includeObject=None      how much of each object comes with the rows of a Table: None, Metadata or Object
//	pretty=0, pretty=1      compact, or for people; an [Offer] says what holds for clients that say neither
//	stream=watch            only if the endpoint sends that stream
//	profile=…               only if the endpoint knows that profile
//	charset=utf-8           no other is spoken
//
// A clause with any other parameter is left out, since what it asks for is not known;
// [FactoryOptions] can name parameters that are harmless. [Alias] makes one name of a media type
// with parameters, so that Accept: text/csv is answered with a table. What can be asked for at an
// endpoint is listed by [Endpoint.Produces] for API documents, and by the error for clients.
//
// Errors are answered with a Status, which is never shown as another kind:
// [Representation.AppendStatus] after a negotiation, [Factory.NegotiateStatus] without one, and
// [Factory.ReadableStatus] if nothing was acceptable. Where an object turns out not to be
// convertible to the best representation, [Endpoint.NegotiateAfter] chooses the next.
//
// Which kinds an object can be shown as is declared in the scheme; there is no list of them here.
// The Content-Type of the answer names the parameters that were chosen, always separated by
// semicolons, although commas are understood in requests.
//
// The format of a request body is that of its Content-Type header, see [Factory.ForBody].
//
// This package knows nothing of HTTP beyond the grammar of two headers. The rules are those of RFC
// 9110, sections 5.6, 8.3 and 12.5.
//
// # Streams
//
// A list is written item by item with [Representation.EncodeList], or with
// [Representation.EncodeItems] from a sequence whose items need never be there all at once, and has
// the same bytes as if it had been written as a whole. [Factory.ReadList] reads a list in the same
// way. A watch is written with [Representation.Events] and read with [NewEventReader].
//
// What many watchers get is encoded once for each form if it is given to all of them as one
// [Cached]. A [Lazy] keeps an object as its bytes and decodes, but for the metadata, no more than
// is asked for.
//
// # Projection
//
// Servers store objects encoded, and many requests ask for little of them: the metadata, or the
// columns of a table. [Representation.Project] goes from bytes to bytes and decodes no more than is
// shown, where that is certain to give the same result; [Representation.ProjectItems] makes one
// list of objects that come one by one, as a store has them:
//
//	out, how, err := rep.ProjectItems(dst, &v1.MachineList{ListMeta: …}, stored, serializer.DecodeOptions{MediaType: "application/json"})
//
// [Projected] tells how many objects went which way.
//
// # Limits
//
// Everything that comes from outside meets a limit, and an error that says which, what was found
// and how to raise it. [schema.Limits] has them all, with their defaults: the size of an input and
// of an item of a stream, nesting, elements of lists and maps, strings, numbers, memory, aliases,
// embedded objects, problems. [FactoryOptions] set them for a factory and [DecodeOptions] for a
// call:
//
//	f, err := serializer.FactoryOptions{Limits: schema.Limits{Size: 3 << 20, Depth: 100}}.NewFactory(scheme, formats...)
//	…
//	if large, ok := errors.AsType[*schema.LimitError](err); ok { … }
//
// The number of items is not limited where they come one by one. Lengths that an input states are
// never trusted: memory is allocated for what has come. Of an Accept header the first 64 clauses
// are looked at.
//
// # Formats
//
// A format is a [format.Format]: a name, media types and functions. It takes the input apart into
// documents; this package looks up their kinds and decides what happens after decoding, in one
// place for all formats. Optional functions write and read lists item by item, frame watch events,
// change encoded objects in place and read parts of them; without them this package works on whole
// objects. docs/formats.md shows how to write a format.
//
// # Related packages
//
// Packages json, yaml, protobuf, cbor, csv and text below this one are formats. Package query reads
// options from the parameters of a URL. Package runtime has the scheme. Package jsonwire is what
// generated code reads and writes with.
package serializer
