package serializer

import (
	"github.com/askind/askind/schema"
)

// MediaTypeHelp describes one representation that a client may ask for, for API documents: the list
// produces of an operation in Swagger 2, and the keys of content in OpenAPI 3.
type MediaTypeHelp struct {
	_ struct{} // literals name their fields

	// MediaType is what a client writes into the Accept header: a media type with parameters, or an
	// alias.
	MediaType string
	// AliasFor is the Content-Type of the answer to an alias; blank if MediaType is none, and is
	// itself the Content-Type.
	AliasFor string
	// Target is the kind that comes back; in a stream, that of each object or of the list of them,
	// as [Representation.Target] has it.
	Target schema.GroupVersionKind
	// Optional are the parameters that may be added.
	Optional []ParameterHelp
}

// ParameterHelp describes a parameter of a media type.
type ParameterHelp struct {
	_ struct{} // literals name their fields

	// Name and Values are what can be written.
	Name   string
	Values []string
	// Description says what it does.
	Description string
}

// Produces lists what the endpoint of a kind can answer a verb with: the object in every format,
// then its other versions, then what it can be shown as, then the aliases. For the verbs list,
// watch and deletecollection the endpoint serves the list of the kind; a watch is a stream. Nothing
// is listed for a kind that is not registered. Everything that is listed can be negotiated with the
// offer of that kind. [Factory.ProducesAt] knows what else an endpoint offers or does not.
func (f *Factory) Produces(kind schema.GroupVersionKind, verb string) []MediaTypeHelp {
	k, ok := f.scheme.Lookup(kind)
	if !ok {
		return nil
	}
	offer := Offer{Kind: kind}
	switch verb {
	case "list", "watch", "deletecollection":
		if k.ListKind() != nil {
			offer.Kind = k.ListKind().GroupVersionKind()
		}
	}
	if verb == "watch" {
		offer.Stream = "watch"
	}
	out, _ := f.ProducesAt(offer) // the kind is known, and the media types are the factory's
	return out
}

// ProducesAt is [Factory.Produces] for an endpoint that is known by its offer, as
// [Factory.Negotiate] takes it: nothing is listed that its media types rule out. The error is that
// of Negotiate for the offer.
func (f *Factory) ProducesAt(offer Offer) ([]MediaTypeHelp, error) {
	n := f.negotiation()
	defer f.done(n)
	n.offer = offer
	var err error
	if n.endpoint, err = f.endpoint(&offer.Kind); err != nil {
		return nil, err
	}
	if n.media, err = f.offered(&n.offer); err != nil {
		return nil, err
	}
	e := n.onOffer()
	var out []MediaTypeHelp
	for _, form := range e.forms() {
		for _, m := range form.mediaTypes {
			rep, err := f.Negotiate([]string{m + form.parameters}, offer)
			if err != nil {
				continue
			}
			out = append(out, MediaTypeHelp{
				MediaType: rep.ContentType(), Target: rep.Target(),
				Optional: f.optional(rep, offer.Stream != ""),
			})
		}
	}
	for _, name := range e.Aliases {
		rep, err := f.Negotiate([]string{name}, offer)
		if err != nil {
			continue
		}
		h := MediaTypeHelp{
			MediaType: name, AliasFor: rep.ContentType(), Target: rep.Target(),
			Optional: f.optional(rep, offer.Stream != ""),
		}
		out = append(out, h)
	}
	return out, nil
}

// optional lists the parameters that can be added to those of a representation.
func (f *Factory) optional(rep *Representation, stream bool) []ParameterHelp {
	var out []ParameterHelp
	if rep.Target().Kind == tableKind {
		out = append(out, ParameterHelp{
			Name: "includeObject", Values: []string{
				"None", "Metadata",
				"Object",
			}, Description: "how much of each object comes with its row",
		})
	}
	if rep.shape.stated&hasExport == 0 && rep.Target().Kind != tableKind {
		out = append(out, ParameterHelp{
			Name: "export", Values: []string{"1"},
			Description: "leave out what the server set and what is filled in by default",
		})
	}
	var versions []string
	for _, gv := range f.scheme.Versions(metaGroup) {
		if f.hasServerVersion(gv.Version) {
			versions = append(versions, gv.Version)
		}
	}
	if len(versions) > 0 {
		out = append(out, ParameterHelp{
			Name: "sv", Values: versions, Description: "the version of " + metaGroup +
				" in which Status and other generic kinds are written",
		})
	}
	if !stream {
		out = append(out, ParameterHelp{
			Name: "pretty", Values: []string{"0", "1"},
			Description: "write for people, with indentation where the format has it",
		})
	}
	return out
}
