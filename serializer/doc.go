// Package serializer encodes and decodes objects in the format, version and representation that a
// client requests.
//
// A [Factory] combines a scheme, which knows the kinds, with formats. A program links only the
// formats that it passes in:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
//
// # Decoding
//
// [Factory.Decode] reads one document, [Factory.DecodeAll] every document of a file, and [Decode]
// reads into a Go type. The kind and apiVersion of a document determine its type. On request, see
// [DecodeOptions], the object is then defaulted and validated in the version of the document and
// converted to another version. A missing kind is an error, and so is a second document where one
// is expected. Unknown and duplicate fields are ignored, reported or rejected, see [Strictness],
// also inside embedded objects of known kinds. An error reports all problems with file, line,
// column and field.
//
// # Encoding
//
// [Factory.Append] and [Factory.Encode] write an object in a given format and version. All other
// output goes through a [Representation].
//
// # Negotiation
//
// A server prepares an [Endpoint] for each thing that it serves. [Endpoint.Negotiate] takes the
// Accept header of a request and returns a Representation, which converts objects, shows them as
// the requested kind, and writes them:
//
//	ep, err := f.Endpoint(serializer.Offer{Kind: kind.GroupVersionKind()}) // once
//	…
//	rep, err := ep.Negotiate(r.Header["Accept"])
//	if err != nil {
//		… // a *NotAcceptableError, whose Status method has the content of the answer
//	}
//	w.Header().Set("Content-Type", rep.ContentType())
//	err = rep.Encode(w, obj)
//
// Clients choose with parameters of the media type. Each clause of the header is one
// representation, so a client can express "v2, else v1" and "a table, else the object" by order or
// by weight:
//
//	application/json                                        the object, in the version of the endpoint
//	application/json;v=v1beta1                              in another version
//	application/json;g=inventory.example.com;v=v1           as the kind declared equivalent in another group
//	application/json;g=meta.k8s.io;v=v1;as=Table            shown as a table
//	application/yaml;as=PartialObjectMetadata;pretty=1      metadata only, as YAML
//
// Further parameters select details of the answer:
//
//	sv=v2                   the version of meta.k8s.io for Status and other kinds that any endpoint may answer with
//	export=1                without server-populated fields and defaults, see [runtime.Kind.Export]
//	drop=metadata.managedFields  without managed fields; + separates fields, unknown ones are ignored
//	includeObject=None      how much of each object the rows of a Table include: None, Metadata or Object
//	pretty=0, pretty=1      compact or indented; an [Offer] has the default
//	stream=watch            only if the endpoint sends that stream
//	profile=…               only if the endpoint knows that profile
//	charset=utf-8           the only supported charset
//
// A clause with any other parameter is ignored, since its meaning is unknown; [FactoryOptions] can
// name parameters that are harmless. An [Alias] is a name for a media type with parameters, so that
// Accept: text/csv is answered with a table. [Endpoint.Produces] lists what can be requested, for
// API documents, and so does the error of a failed negotiation.
//
// Errors are answered with a Status, which is never shown as another kind: in the representation
// that [Representation.ForStatus] returns after a negotiation, and in that of
// [Factory.NegotiateStatus] without one, or if nothing was acceptable. If an object cannot be
// converted to the best representation, [Endpoint.NegotiateAfter] chooses the next one.
//
// The scheme declares which kinds an object can be shown as. The Content-Type of the answer has the
// parameters that were chosen, separated by semicolons. Requests may also separate them by commas.
//
// The format of a request body is that of its Content-Type header, see [Factory.ForBody].
//
// This package implements the grammar of these two headers, RFC 9110, sections 5.6, 8.3 and 12.5,
// and nothing else of HTTP.
//
// # Streams
//
// [Representation.Encode] writes a list item by item, and [Representation.EncodeItems] writes
// one from a sequence whose items are never in memory together. The bytes are those of a list that
// is written as a whole. [Factory.ReadList] reads a list item by item. [Representation.Events]
// writes a watch, and [NewEventReader] reads one.
//
// An object that many watches send is encoded once for each form if it is sent as one [Cached]. A
// [Lazy] keeps an object encoded and decodes only its metadata until more is needed.
//
// # Projection
//
// Servers store encoded objects, and many requests need only a part of them: the metadata, or the
// columns of a table. [Representation.Project] turns an encoded object into an encoded answer. It
// decodes only the part that is shown, if that is known to give the same result.
// [Representation.EncodeProjected] writes a list of objects that arrive one by one, for example
// from a store:
//
//	how, err := rep.EncodeProjected(w, &v1.MachineList{ListMeta: …}, stored, serializer.DecodeOptions{MediaType: "application/json"})
//
// [Projected] counts the objects that had to be decoded as a whole. With [DecodeOptions].Canonical
// a store declares that this module has written the objects, so that their metadata need not be
// checked before it is copied. [Representation.EncodeRows] writes tables from little more than the
// names and the ages of objects.
//
// # Limits
//
// All input is limited. An error states which limit was exceeded, by what, and how to raise it.
// [schema.Limits] has all limits and their defaults: for the size of an input and of an item of a
// stream, nesting, elements of lists and maps, strings, numbers, memory, aliases, embedded objects
// and problems. [FactoryOptions] set them for a factory and [DecodeOptions] for a call:
//
//	f, err := serializer.FactoryOptions{Limits: schema.Limits{Size: 3 << 20, Depth: 100}}.NewFactory(scheme, formats...)
//	…
//	if large, ok := errors.AsType[*schema.LimitError](err); ok { … }
//
// The number of items is not limited if they are read one by one. Lengths stated in the input are
// not trusted: memory is allocated for received data. Only the first 64 clauses of an Accept header
// are considered.
//
// # Formats
//
// A [format.Format] is a name, media types and functions. A format splits the input into documents;
// this package looks up their kinds and defaults, validates and converts the objects, in the same
// way for all formats. Optional functions write and read lists item by item, frame watch events,
// change encoded objects in place and read parts of them; without them this package works on whole
// objects. docs/formats.md shows how to write a format.
//
// # Related packages
//
// Packages json, yaml, protobuf, cbor, csv and text below this one are formats. Package query reads
// options from the parameters of a URL. Package runtime defines the scheme. Generated code reads
// and writes with package jsonwire.
package serializer
