package openapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// operation is one method of a path, independent of the version of OpenAPI.
type operation struct {
	method, id, description, action string
	tag                             string
	kind                            schema.GroupVersionKind
	parameters                      []parameter
	body                            *body
	responses                       []response
	deprecated                      bool
}

type parameter struct {
	name, in, typ, description string
}

type body struct {
	ref       string // the name of a schema
	mediaType []string
	optional  bool
}

type response struct {
	code, description string
	content           []content
}

type content struct{ mediaType, ref string }

// path is a path with its operations in order of method.
type path struct {
	path       string
	parameters []parameter
	operations []*operation
}

// Names of schemas that every document needs.
const (
	metaV1            = "io.k8s.apimachinery.pkg.apis.meta.v1."
	schemaStatus      = metaV1 + "Status"
	schemaPatch       = metaV1 + "Patch"
	schemaDelete      = metaV1 + "DeleteOptions"
	schemaWatchEvent  = metaV1 + "WatchEvent"
	schemaResources   = metaV1 + "APIResourceList"
	schemaAnyDocument = "" // a document that is not JSON
)

// The parameters of requests.
var (
	prettyParameter  = parameter{"pretty", "query", "string", "If 'true', the response is indented."}
	dryRunParameter  = parameter{"dryRun", "query", "string", "If 'All', the request is processed completely, but nothing is stored."}
	managerParameter = parameter{
		"fieldManager", "query", "string",
		"The name of the manager to record for the fields that the request sets.",
	}
	strictParameter = parameter{
		"fieldValidation", "query", "string",
		"How unknown and duplicate fields are handled: Ignore drops them, Warn returns a warning, Strict rejects the request.",
	}
	forceParameter = parameter{
		"force", "query", "boolean",
		"Takes over fields of other managers. Only for apply patches.",
	}
	versionParameter = parameter{
		"resourceVersion", "query", "string",
		"The resource version of the response or, for a watch, the version after which it starts.",
	}
	namespaceParameter = parameter{"namespace", "path", "string", "The namespace of the objects."}

	writeParameters = []parameter{dryRunParameter, managerParameter, strictParameter}

	listParameters = []parameter{
		{
			"allowWatchBookmarks", "query", "boolean",
			"Requests events of the type BOOKMARK in a watch, which report its progress.",
		},
		{"continue", "query", "string", "The token of the previous response, to get the next page of a list."},
		{"fieldSelector", "query", "string", "Selects objects by their fields."},
		{"labelSelector", "query", "string", "Selects objects by their labels."},
		{
			"limit", "query", "integer",
			"The maximum number of objects in the response. If there are more, metadata.continue is set.",
		},
		versionParameter,
		{"resourceVersionMatch", "query", "string", "How resourceVersion is matched: Exact or NotOlderThan."},
		{
			"sendInitialEvents", "query", "boolean",
			"Starts a watch with an event for each existing object, followed by a bookmark.",
		},
		{
			"shardSelector", "query", "string",
			"Selects objects by ranges of a hash: shardRange(object.metadata.uid, '0x…', '0x…'), joined by ||.",
		},
		{"timeoutSeconds", "query", "integer", "The time limit of the request, in seconds."},
		{"watch", "query", "boolean", "Returns changes as they happen instead of a list."},
	}
	deleteParameters = []parameter{
		dryRunParameter,
		{
			"gracePeriodSeconds", "query", "integer",
			"The number of seconds before the object is deleted. Zero means immediately.",
		},
		{
			"orphanDependents", "query", "boolean",
			"Deprecated: use propagationPolicy. Keeps the dependents of the object.",
		},
		{
			"propagationPolicy", "query", "string",
			"How dependents of the object are handled: Orphan, Background or Foreground.",
		},
	}
)

// paths returns the paths of a resource.
func (s *source) paths(r *Resource) []*path {
	root := "/" + r.path() + "/"
	collection := root + r.Name
	var out []*path
	add := func(p *path) {
		if len(p.operations) > 0 {
			out = append(out, p)
		}
	}
	common := []parameter{prettyParameter}
	scope := ""
	if !r.Cluster {
		if r.has("list") {
			all := s.list(r, camel(r.Kind.Name())+"ForAllNamespaces")
			add(&path{path: collection, parameters: common, operations: []*operation{all}})
		}
		collection = root + "namespaces/{namespace}/" + r.Name
		common = []parameter{namespaceParameter, prettyParameter}
		scope = "Namespaced"
	}
	add(&path{path: collection, parameters: common, operations: s.collection(r, scope)})
	named := append([]parameter{{"name", "path", "string", "The name of the " + r.Kind.Name() + "."}}, common...)
	object := collection + "/{name}"
	add(&path{path: object, parameters: named, operations: s.object(r, scope)})
	for i := range r.Subresources {
		sub := &r.Subresources[i]
		add(&path{path: object + "/" + sub.Name, parameters: named, operations: s.subresource(r, sub, scope)})
	}
	return out
}

func (s *source) list(r *Resource, name string) *operation {
	what := "list objects of kind "
	if r.has("watch") {
		what = "list or watch objects of kind "
	}
	o := s.operation(r, "get", "list", "list", name, what+r.Kind.Name())
	o.parameters = listParameters
	if !r.has("watch") {
		o.parameters = sorted.Delete(slices.Clone(o.parameters), func(p parameter) bool {
			return p.name == "watch" || p.name == "allowWatchBookmarks" || p.name == "sendInitialEvents"
		})
	}
	answer := s.nameOf(r.Kind)
	if l := r.Kind.ListKind(); l != nil {
		answer = s.nameOf(l)
	}
	contents := s.contents(r.Produces, "list", r.Kind.ListKind(), answer)
	if r.has("watch") {
		contents = withStreams(contents, r.Produces)
	}
	o.responses = answers(contents, "200")
	return o
}

// withStreams adds the media types of watches that lists do not have.
func withStreams(contents []content, produces func(string) []Media) []content {
	if produces == nil {
		return append(contents, content{mediaJSON + ";stream=watch", schemaWatchEvent})
	}
	for _, m := range produces("watch") {
		if !slices.ContainsFunc(contents, func(c content) bool { return c.mediaType == m.Type }) {
			contents = append(contents, content{m.Type, schemaWatchEvent})
		}
	}
	return contents
}

func (s *source) collection(r *Resource, scope string) []*operation {
	name := scope + r.Kind.Name()
	var out []*operation
	if r.has("list") {
		out = append(out, s.list(r, name))
	}
	if r.has("create") {
		out = append(out, s.create(r, r.own(), name, "create a "+r.Kind.Name()))
	}
	if r.has("deletecollection") {
		o := s.operation(r, "delete", "deleteCollection", "deletecollection", name, "delete the selected objects of kind "+
			r.Kind.Name())
		o.parameters = slices.Concat(listParameters[1:7], deleteParameters, listParameters[8:9])
		o.body = &body{ref: schemaDelete, mediaType: consumes(r.Consumes, r.Kind), optional: true}
		o.responses = answers(s.contents(nil, "deletecollection", nil, schemaStatus), "200")
		out = append(out, o)
	}
	return out
}

func (s *source) object(r *Resource, scope string) []*operation {
	name := scope + r.Kind.Name()
	out := s.single(r, r.own(), name, "the "+r.Kind.Name())
	if r.has("delete") {
		out = append(out, s.remove(r, name, "delete a "+r.Kind.Name(), r.Consumes))
	}
	return out
}

func (s *source) create(r *Resource, sub *Subresource, name, description string) *operation {
	o := s.operation(r, "post", "create", "post", name, description)
	o.parameters = writeParameters
	o.body = &body{ref: s.nameOf(sub.Kind), mediaType: consumes(sub.Consumes, sub.Kind)}
	o.responses = answers(s.contents(sub.Produces, "create", sub.Kind, o.body.ref), "200", "201", "202")
	return o
}

func (s *source) remove(r *Resource, name, description string, mediaTypes []string) *operation {
	o := s.operation(r, "delete", "delete", "delete", name, description)
	o.parameters = deleteParameters
	o.body = &body{ref: schemaDelete, mediaType: consumes(mediaTypes, r.Kind), optional: true}
	o.responses = answers(s.contents(nil, "delete", nil, schemaStatus), "200", "202")
	return o
}

func (s *source) subresource(r *Resource, sub *Subresource, scope string) []*operation {
	name := scope + r.Kind.Name() + camel(sub.Name)
	what := "the " + sub.Name + " of the " + r.Kind.Name()
	out := s.single(r, sub, name, what)
	if slices.Contains(sub.Verbs, "create") {
		out = append(out, s.create(r, sub, name, "create "+what))
	}
	if slices.Contains(sub.Verbs, "delete") {
		out = append(out, s.remove(r, name, "delete "+what, sub.Consumes))
	}
	for _, o := range out {
		o.kind = sub.Kind.GroupVersionKind()
	}
	return out
}

// single returns the operations that read and change one object.
func (s *source) single(r *Resource, sub *Subresource, name, what string) []*operation {
	var out []*operation
	ref := s.nameOf(sub.Kind)
	if slices.Contains(sub.Verbs, "get") {
		o := s.operation(r, "get", "read", "get", name, "read "+what)
		o.parameters = []parameter{versionParameter}
		o.responses = answers(s.contents(sub.Produces, "get", sub.Kind, ref), "200")
		out = append(out, o)
	}
	if slices.Contains(sub.Verbs, "update") {
		o := s.operation(r, "put", "replace", "put", name, "replace "+what)
		o.parameters = writeParameters
		o.body = &body{ref: ref, mediaType: consumes(sub.Consumes, sub.Kind)}
		o.responses = answers(s.contents(sub.Produces, "update", sub.Kind, ref), "200", "201")
		out = append(out, o)
	}
	if slices.Contains(sub.Verbs, "patch") {
		o := s.operation(r, "patch", "patch", "patch", name, "change parts of "+what)
		o.parameters = append(slices.Clip(writeParameters), forceParameter)
		types := sub.PatchTypes
		if types == nil {
			types = patchTypes
		}
		o.body = &body{ref: schemaPatch, mediaType: types}
		o.responses = answers(s.contents(sub.Produces, "patch", sub.Kind, ref), "200", "201")
		out = append(out, o)
	}
	return out
}

func (s *source) operation(r *Resource, method, verb, action, name, description string) *operation {
	id, tag := namesOf(r.GroupVersion)
	return &operation{
		method: method, action: action, description: description, deprecated: r.Deprecated,
		id: verb + id + name, tag: tag, kind: r.GroupVersion.WithKind(r.Kind.Name()),
	}
}

// namesOf returns the part of the ids of operations that stands for a group version, and their tag.
func namesOf(gv schema.GroupVersion) (id, tag string) {
	group := cmp.Or(strings.TrimSuffix(gv.Group, ".k8s.io"), "core")
	return camel(group, gv.Version), strings.NewReplacer(".", "", "-", "").Replace(group) + "_" + gv.Version
}

// contents returns the representations of a response, each with its schema.
func (s *source) contents(produces func(string) []Media, verb string, k *runtime.Kind, ref string) []content {
	if produces == nil {
		return []content{{mediaJSON, ref}}
	}
	var out []content
	for _, m := range produces(verb) {
		c := content{m.Type, ref}
		if m.Target != (schema.GroupVersionKind{}) && (k == nil || m.Target != k.GroupVersionKind()) {
			target, ok := s.scheme.Lookup(m.Target)
			if !ok {
				continue
			}
			c.ref = s.nameOf(target)
		}
		if strings.HasPrefix(m.Type, "text/") {
			c.ref = schemaAnyDocument
		}
		if !slices.ContainsFunc(out, func(o content) bool { return o.mediaType == c.mediaType }) {
			out = append(out, c)
		}
	}
	return out
}

// answers returns the responses for codes, which all have the same content, and the one for a
// request without credentials.
func answers(contents []content, codes ...string) []response {
	words := map[string]string{"200": "OK", "201": "Created", "202": "Accepted"}
	var out []response
	for _, code := range codes {
		out = append(out, response{code: code, description: words[code], content: contents})
	}
	return append(out, response{code: "401", description: "Unauthorized"})
}

// discovery returns the path of the list of resources of a version.
func (s *source) discovery(r *Resource) *path {
	id, tag := namesOf(r.GroupVersion)
	return &path{path: "/" + r.path() + "/", operations: []*operation{{
		method: "get", id: "get" + id + "APIResources", tag: tag,
		description: "list the resources of " + strconv.Quote(r.GroupVersion.String()),
		responses:   answers([]content{{mediaJSON, schemaResources}}, "200"),
	}}}
}
