package serializer

import (
	"github.com/askind/askind/schema"
)

// MediaTypeInfo describes one representation that a client may request, for API documents: an entry
// of produces in Swagger 2, or a key of content in OpenAPI 3.
type MediaTypeInfo struct {
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
	Optional []ParameterInfo
}

// ParameterInfo describes a parameter of a media type.
type ParameterInfo struct {
	_ struct{} // literals name their fields

	// Name and Values are what can be written.
	Name   string
	Values []string
	// Description says what it does.
	Description string
}

// Produces lists what clients can request: the object in every format, then its other versions,
// then the kinds that it can be shown as, then the aliases. All of them can be negotiated with the
// endpoint, so the list can serve as the keys of content in an OpenAPI document.
func (e *Endpoint) Produces() []MediaTypeInfo {
	n := e.factory.negotiation()
	defer e.factory.done(n)
	n.Endpoint = e
	offered := n.onOffer()
	var out []MediaTypeInfo
	for _, form := range offered.forms() {
		for _, m := range form.mediaTypes {
			rep, err := e.Negotiate([]string{m + form.parameters})
			if err != nil {
				continue
			}
			out = append(out, MediaTypeInfo{
				MediaType: rep.ContentType(), Target: rep.Target(),
				Optional: e.optional(rep),
			})
		}
	}
	for _, name := range offered.Aliases {
		rep, err := e.Negotiate([]string{name})
		if err != nil {
			continue
		}
		h := MediaTypeInfo{
			MediaType: name, AliasFor: rep.ContentType(), Target: rep.Target(),
			Optional: e.optional(rep),
		}
		out = append(out, h)
	}
	return out
}

// optional lists the parameters that can be added to those of a representation.
func (e *Endpoint) optional(rep *Representation) []ParameterInfo {
	var out []ParameterInfo
	if rep.Target().Kind == tableKind {
		out = append(out, ParameterInfo{
			Name: "includeObject", Values: []string{
				"None", "Metadata",
				"Object",
			}, Description: "how much of each object comes with its row",
		})
	}
	if rep.shape.stated&hasExport == 0 && rep.Target().Kind != tableKind {
		out = append(out, ParameterInfo{
			Name: "export", Values: []string{"1"},
			Description: "leave out what the server set and what is filled in by default",
		})
	}
	if rep.shape.stated&hasDrop == 0 {
		out = append(out, ParameterInfo{
			Name: "drop", Values: []string{managedFields}, Description: "leave out the managed fields",
		})
	}
	var versions []string
	for _, gv := range e.factory.scheme.Versions(metaGroup) {
		if e.factory.hasServerVersion(gv.Version) {
			versions = append(versions, gv.Version)
		}
	}
	if len(versions) > 0 {
		out = append(out, ParameterInfo{
			Name: "sv", Values: versions, Description: "the version of " + metaGroup +
				" in which Status and other generic kinds are written",
		})
	}
	if e.offer.Stream == "" {
		out = append(out, ParameterInfo{
			Name: "pretty", Values: []string{"0", "1"},
			Description: "write for people, with indentation where the format has it",
		})
	}
	return out
}
