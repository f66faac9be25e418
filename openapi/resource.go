package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Resource says what a server offers for the objects of one kind.
type Resource struct {
	// Prefix is what paths begin with, without slashes. Blank means "api" for the core group and
	// "apis" for all others.
	Prefix string
	// GroupVersion is where the resource is served. The zero value means that of Kind.
	GroupVersion schema.GroupVersion
	// Name is the name in URLs; blank means that of Kind.
	Name string
	// Kind is the kind of the objects. That of collections is its list kind.
	Kind *runtime.Kind
	// Cluster says that the objects are in no namespace, whatever the scope of Kind is.
	Cluster bool
	// Verbs are what can be done: get, list, watch, create, update, patch, delete,
	// deletecollection.
	Verbs []string
	// Consumes are the media types of the bodies of create and update; nil means JSON, YAML and, if
	// the kind has it, protobuf.
	Consumes []string
	// PatchTypes are the media types of patches; nil means all that the Kubernetes API has.
	PatchTypes []string
	// Produces, if set, lists the representations that a verb can answer with; without it that is
	// JSON.
	Produces func(verb string) []Media
	// Subresources are served below the objects.
	Subresources []Subresource
	// Deprecated marks all operations.
	Deprecated bool
}

// Subresource is a part of an object, or a view of it, that is served on its own.
type Subresource struct {
	// Name is the last element of the path: "status".
	Name string
	// Kind is the kind of bodies and answers.
	Kind *runtime.Kind
	// Verbs are what can be done: get, create, update, patch, delete.
	Verbs []string
	// Consumes, PatchTypes and Produces are as for a [Resource].
	Consumes, PatchTypes []string
	Produces             func(verb string) []Media
}

// Media is one representation of an answer.
type Media struct {
	// Type is the media type with the parameters that ask for the representation.
	Type string
	// Target is the kind that comes back. The zero value means that of the operation.
	Target schema.GroupVersionKind
}

// Media types that are offered unless a resource says otherwise.
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

// complete fills in what is left out.
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
	r.Name = cmp.Or(r.Name, r.Kind.Resource())
	r.Cluster = r.Cluster || r.Kind.Scope() == runtime.Cluster
	return r
}

// path is what identifies the document of the resource: "apis/fleet.example.com/v1".
func (r *Resource) path() string {
	if r.GroupVersion.Group == "" {
		return r.Prefix + "/" + r.GroupVersion.Version
	}
	return r.Prefix + "/" + r.GroupVersion.Group + "/" + r.GroupVersion.Version
}

func (r *Resource) has(verb string) bool { return slices.Contains(r.Verbs, verb) }

// consumes are the media types of bodies of a kind.
func consumes(stated []string, k *runtime.Kind) []string {
	if stated != nil {
		return stated
	}
	out := []string{mediaJSON, mediaYAML}
	if k.HasProto() {
		out = append(out, mediaProtobuf)
	}
	return out
}

// camel writes the parts of a name one behind the other, each beginning with a capital.
func camel(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		for word := range strings.FieldsFuncSeq(part, func(r rune) bool {
			return r == '.' || r == '-' || r == '_' ||
				r == '/'
		}) {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
