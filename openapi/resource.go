package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Resource describes how a server serves the objects of one kind.
type Resource struct {
	// Prefix is the first segment of paths, without slashes. Blank means "api" for the core group
	// and "apis" for all others.
	Prefix string
	// GroupVersion is the group version that serves the resource. The zero value means that of
	// Kind.
	GroupVersion schema.GroupVersion
	// Name is the name in URLs; blank means that of Kind.
	Name string
	// Kind is the kind of the objects. Collections have its list kind.
	Kind *runtime.Kind
	// Cluster makes the resource cluster-scoped, regardless of the scope of Kind.
	Cluster bool
	// Verbs are the supported ones of get, list, watch, create, update, patch, delete and
	// deletecollection.
	Verbs []string
	// Consumes are the media types of the bodies of create and update; nil means JSON, YAML and, if
	// the kind has it, protobuf.
	Consumes []string
	// PatchTypes are the media types of patches; nil means all those of the Kubernetes API.
	PatchTypes []string
	// Produces, if set, returns the representations of the responses to a verb. The default is
	// JSON.
	Produces func(verb string) []Media
	// Subresources are served below the objects.
	Subresources []Subresource
	// Deprecated marks all operations.
	Deprecated bool
}

// Subresource is a subresource of a [Resource].
type Subresource struct {
	// Name is the last element of the path: "status".
	Name string
	// Kind is the kind of request and response bodies.
	Kind *runtime.Kind
	// Verbs are the supported ones of get, create, update, patch and delete.
	Verbs []string
	// Consumes, PatchTypes and Produces are as for a [Resource].
	Consumes, PatchTypes []string
	Produces             func(verb string) []Media
}

// Media is one representation of a response.
type Media struct {
	// Type is the media type with the parameters that request the representation.
	Type string
	// Target is the kind of the response. The zero value means that of the operation.
	Target schema.GroupVersionKind
}

// The default media types.
const (
	mediaJSON     = "application/json"
	mediaYAML     = "application/yaml"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
)

// patchTypes are those of the Kubernetes API.
var patchTypes = []string{
	"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json",
	"application/strategic-merge-patch+json",
}

// complete fills in defaults.
func (r Resource) complete() Resource {
	if r.GroupVersion.Version == "" {
		r.GroupVersion = r.Kind.GroupVersion()
	}
	if r.Prefix == "" {
		r.Prefix = "apis"
		if r.GroupVersion.Group == "" {
			r.Prefix = "api"
		}
	}
	r.Name = cmp.Or(r.Name, r.Kind.Info().Resource)
	r.Cluster = r.Cluster || r.Kind.Info().Scope == runtime.Cluster
	return r
}

// path returns the path of the resource's document: "apis/fleet.example.com/v1".
func (r *Resource) path() string {
	if r.GroupVersion.Group == "" {
		return r.Prefix + "/" + r.GroupVersion.Version
	}
	return r.Prefix + "/" + r.GroupVersion.Group + "/" + r.GroupVersion.Version
}

// own returns the resource itself in the form of a subresource.
func (r *Resource) own() *Subresource {
	return &Subresource{
		Kind: r.Kind, Verbs: r.Verbs, Consumes: r.Consumes, PatchTypes: r.PatchTypes, Produces: r.Produces,
	}
}

func (r *Resource) has(verb string) bool { return slices.Contains(r.Verbs, verb) }

// consumes returns the media types of request bodies of a kind.
func consumes(stated []string, k *runtime.Kind) []string {
	if stated != nil {
		return stated
	}
	out := []string{mediaJSON, mediaYAML}
	if k.Info().Proto {
		out = append(out, mediaProtobuf)
	}
	return out
}

// camel joins the parts of a name, each with a capital first letter.
func camel(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		for word := range strings.FieldsFuncSeq(part, func(r rune) bool {
			return strings.ContainsRune(".-_/", r)
		}) {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
