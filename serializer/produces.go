package serializer

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/accept"
)

// MediaTypeInfo describes one representation that a client may request, for API documents: an entry
// of produces in Swagger 2, or a key of content in OpenAPI 3.
type MediaTypeInfo struct {
	_ struct{} // literals name their fields

	// MediaType is what a client writes into the Accept header: a media type with parameters, or an
	// alias.
	MediaType string
	// AliasFor is the Content-Type of the answer to an alias. It is blank unless MediaType is an
	// alias.
	AliasFor string
	// Target is the kind of the answer; in a stream, that of each object or of the list of them, as
	// in [Representation.Target].
	Target schema.GroupVersionKind
	// Optional are the parameters that may be added.
	Optional []ParameterInfo
}

// ParameterInfo describes a parameter of a media type.
type ParameterInfo struct {
	_ struct{} // literals name their fields

	// Name is the name of the parameter and Values are its allowed values.
	Name   string
	Values []string
	// Description describes its effect.
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
	forms := offered.Offered()
	var out []MediaTypeInfo
	for i, name := range append(forms, offered.Aliases...) {
		rep, err := e.Negotiate([]string{name})
		if err != nil {
			continue
		}
		info := MediaTypeInfo{MediaType: rep.ContentType(), Target: rep.Target(), Optional: e.optional(rep)}
		if i >= len(forms) {
			info.MediaType, info.AliasFor = name, info.MediaType
		}
		out = append(out, info)
	}
	return out
}

// optional lists the parameters that can be added to those of a representation.
func (e *Endpoint) optional(rep *Representation) []ParameterInfo {
	var out []ParameterInfo
	add := func(name, description string, values ...string) {
		out = append(out, ParameterInfo{Name: name, Values: values, Description: description})
	}
	table := rep.Target().Kind == tableKind
	if table {
		add("includeObject", "how much of each object is included with its row", "None", "Metadata", "Object")
	}
	if rep.shape.stated&accept.HasExport == 0 && !table {
		add("export", "omit server-populated fields and defaults", "1")
	}
	if rep.shape.stated&accept.HasDrop == 0 {
		add("drop", "omit the managed fields", accept.ManagedFields)
	}
	var versions []string
	for _, gv := range e.factory.scheme.Versions(metaGroup) {
		if e.factory.hasServerVersion(gv.Version) {
			versions = append(versions, gv.Version)
		}
	}
	if len(versions) > 0 {
		add("sv", "the version of "+metaGroup+" in which Status and other generic kinds are written", versions...)
	}
	if e.offer.Stream == "" {
		add("pretty", "indent the output if the format supports it", "0", "1")
	}
	return out
}
