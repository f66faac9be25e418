package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// server answers requests for the objects of a store:
//
//	GET         /apis                                                      the groups
//	GET         /apis/{group}                                              one of them
//	GET         /apis/{group}/{version}                                    the resources of a version
//	GET         /openapi/v3/apis/{group}/{version}                         an OpenAPI document of the forms of their answers
//	GET DELETE  /apis/{group}/{version}/[namespaces/{ns}/]{resource}          a list, or with ?watch a stream
//	POST        /apis/{group}/{version}/[namespaces/{ns}/]{resource}          a new object
//	GET PUT PATCH DELETE /apis/{group}/{version}/[namespaces/{ns}/]{resource}/{name} an object
//	GET PUT     /apis/{group}/{version}/namespaces/{ns}/{resource}/{name}/scale  its size, if it has one
//
// The path says which object and in which version. The Accept header says in which format, and as what: any other version or kind that the
// scheme has a way to. The query holds the options of the verb, as the Kubernetes API has them, and those of tables. Everything that goes
// wrong is answered with a Status.
type server struct {
	api    *httpapi.API
	scheme *runtime.Scheme
	store  *store
}

// newHandler returns the handler of a server.
func newHandler(f *serializer.Factory, s *store, settings httpapi.Settings) http.Handler {
	settings.StrictQuery, settings.Parameters = true, []string{"timeout"} // which some clients send along
	srv := &server{api: httpapi.New(f, settings), scheme: f.Scheme(), store: s}
	mux := http.NewServeMux()
	for pattern, methods := range map[string]methods{
		"/openapi/v3/apis/{group}/{version}":        {http.MethodGet: srv.openAPI},
		"/apis":                                     {http.MethodGet: srv.groups},
		"/apis/{group}":                             {http.MethodGet: srv.group},
		"/apis/{group}/{version}":                   {http.MethodGet: srv.resources},
		"/apis/{group}/{version}/{resource}":        srv.collection(),
		"/apis/{group}/{version}/{resource}/{name}": srv.object(),
		"/apis/{group}/{version}/namespaces/{namespace}/{resource}":              srv.collection(),
		"/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}":       srv.object(),
		"/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}/scale": {http.MethodGet: srv.getScale, http.MethodPut: srv.putScale},
	} {
		mux.Handle(pattern, srv.api.Handler(methods.serve))
	}
	mux.Handle("/", srv.api.Handler(func(_ http.ResponseWriter, r *http.Request) error { return noSuchPath(r.URL.Path) }))
	return mux
}

func (s *server) collection() methods {
	return methods{http.MethodGet: s.list, http.MethodPost: s.create, http.MethodDelete: s.removeAll}
}

func (s *server) object() methods {
	return methods{http.MethodGet: s.get, http.MethodPut: s.update, http.MethodPatch: s.patch, http.MethodDelete: s.remove}
}

// methods are the functions of one path.
type methods map[string]func(http.ResponseWriter, *http.Request) error

// serve calls the function of the method.
func (m methods) serve(w http.ResponseWriter, r *http.Request) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if f := m[method]; f != nil {
		return f(w, r)
	}
	var allowed []string
	for name := range m {
		allowed = append(allowed, name)
	}
	if m[http.MethodGet] != nil {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return notAllowed(schema.GroupResource{Group: r.PathValue("group"), Resource: r.PathValue("resource")}, r.Method)
}

// target is what the path of a request names.
type target struct {
	asked *runtime.Kind // in the version of the path
	kept  *runtime.Kind // in the version in which it is stored
	gr    schema.GroupResource

	namespace, name string // blank where the path has none
}

// endpoint is what requests for an object are answered with, list what those for a collection are.
func (t *target) endpoint() httpapi.Endpoint {
	return httpapi.Endpoint{Kind: t.asked.GroupVersionKind()}
}

func (t *target) list() httpapi.Endpoint {
	return httpapi.Endpoint{Kind: t.asked.ListKind().GroupVersionKind()}
}

// target finds what the path of a request names.
func (s *server) target(r *http.Request) (*target, error) {
	gvr := schema.GroupVersionResource{Group: r.PathValue("group"), Version: r.PathValue("version"), Resource: r.PathValue("resource")}
	gv := gvr.GroupVersion()
	t := &target{gr: gvr.GroupResource(), namespace: r.PathValue("namespace"), name: r.PathValue("name")}
	if err := s.checkVersion(gvr); err != nil {
		return nil, err
	}
	var err error
	if t.asked, err = s.scheme.Resource(gvr); err != nil || !served(t.asked) {
		message := fmt.Sprintf("%s has no resource %q", gv, t.gr.Resource)
		if near, ok := schema.NearestSeq(t.gr.Resource, s.resourceNames(gv)); ok {
			message += fmt.Sprintf(" (did you mean %q?)", near)
		}
		return nil, noSuchResource(t.gr, message)
	}
	switch {
	case t.asked.Scope() == runtime.Cluster && t.namespace != "":
		return nil, noSuchResource(t.gr, fmt.Sprintf("%s are not in namespaces: ask for /apis/%s/%s", t.gr.Resource, gv, t.gr.Resource))
	case t.asked.Scope() == runtime.Namespaced && t.namespace == "" && t.name != "":
		return nil, noSuchResource(t.gr, fmt.Sprintf("%s are in namespaces: ask for /apis/%s/namespaces/{namespace}/%s/%s", t.gr.Resource, gv, t.gr.Resource, t.name))
	}
	t.kept, err = s.scheme.StorageVersion(t.asked.GroupVersionKind().GroupKind())
	return t, err
}

// get answers with one object.
func (s *server) get(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.endpoint())
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.GetOptions](x)
	if err != nil {
		return err
	}
	if err := s.reached(o.ResourceVersion, ""); err != nil {
		return err
	}
	obj, err := s.store.find(t.kept, t.namespace, t.name)
	if err != nil {
		return err
	}
	if x.NotModified(obj.meta.ResourceVersion) {
		return nil
	}
	return x.Respond(http.StatusOK, obj.object)
}
