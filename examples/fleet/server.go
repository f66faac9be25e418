package main

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// server answers requests for the objects of a store:
//
//	GET /apis                                                      the groups
//	GET /apis/{group}                                              one of them
//	GET /apis/{group}/{version}                                    the resources of a version
//	GET /apis/{group}/{version}/[namespaces/{ns}/]{resource}          a list
//	GET /apis/{group}/{version}/[namespaces/{ns}/]{resource}/{name}   an object
//
// The path says which object and in which version. The Accept header says in which format, and as what: any other version or kind that the
// scheme has a way to. The query parameters are
//
//   - pretty, a boolean, for clients that do not say it in the header,
//   - labelSelector, on lists,
//   - includeObject, on tables: None, Metadata or Object.
//
// Everything that goes wrong is answered with a Status.
type server struct {
	factory *serializer.Factory
	scheme  *runtime.Scheme
	store   *store
	now     func() time.Time
}

// newHandler returns the handler of a server. The clock says how old objects are.
func newHandler(f *serializer.Factory, s *store, now func() time.Time) http.Handler {
	srv := &server{factory: f, scheme: f.Scheme(), store: s, now: now}
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/apis":                                     srv.groups,
		"/apis/{group}":                             srv.group,
		"/apis/{group}/{version}":                   srv.resources,
		"/apis/{group}/{version}/{resource}":        srv.list,
		"/apis/{group}/{version}/{resource}/{name}": srv.get,
		"/apis/{group}/{version}/namespaces/{namespace}/{resource}":        srv.list,
		"/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}": srv.get,
		"/": func(_ http.ResponseWriter, r *http.Request) error { return noSuchPath(r.URL.Path) },
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Vary", "Accept")
			if err := answer(w, r); err != nil {
				srv.writeError(w, r, err)
			}
		})
	}
	return mux
}

// get answers with one object.
func (s *server) get(w http.ResponseWriter, r *http.Request) error {
	kind, err := s.kind(w, r)
	if err != nil {
		return err
	}
	gr, namespace, name := kind.GroupVersionResource().GroupResource(), r.PathValue("namespace"), r.PathValue("name")
	if kind.Scope() == runtime.Namespaced && namespace == "" {
		return noSuchResource(gr, fmt.Sprintf("%s are in namespaces: ask for /apis/%s/namespaces/{namespace}/%s/%s", gr.Resource, kind.APIVersion(), gr.Resource, name))
	}
	rep, err := s.negotiate(r, kind, gr, name)
	if err != nil {
		return err
	}
	obj, ok := s.store.get(gr, namespace, name)
	if !ok {
		return formatted{metav1.NotFound(gr, name), rep}
	}
	return write(w, rep, obj)
}

// list answers with a list, of one namespace or of all.
func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	kind, err := s.kind(w, r)
	if err != nil {
		return err
	}
	gr := kind.GroupVersionResource().GroupResource()
	if watch, _ := strconv.ParseBool(r.URL.Query().Get("watch")); watch {
		return metav1.MethodNotAllowed(gr, "watch")
	}
	selector, err := meta.ParseSelector(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return metav1.BadRequest("labelSelector: " + err.Error())
	}
	rep, err := s.negotiate(r, kind.ListKind(), gr, "")
	if err != nil {
		return err
	}
	list, err := s.store.list(kind.GroupVersionKind().GroupKind(), r.PathValue("namespace"), selector)
	if err != nil {
		return err
	}
	return write(w, rep, list)
}

// kind returns the kind that the path of a request names, if the request is one for reading.
func (s *server) kind(w http.ResponseWriter, r *http.Request) (*runtime.Kind, error) {
	gvr := schema.GroupVersionResource{Group: r.PathValue("group"), Version: r.PathValue("version"), Resource: r.PathValue("resource")}
	gv, gr := gvr.GroupVersion(), gvr.GroupResource()
	if err := s.checkVersion(gvr); err != nil {
		return nil, err
	}
	kind, err := s.scheme.Resource(gvr)
	if err != nil || !served(kind) {
		message := fmt.Sprintf("%s has no resource %q", gv, gr.Resource)
		if near, ok := schema.NearestSeq(gr.Resource, s.resourceNames(gv)); ok {
			message += fmt.Sprintf(" (did you mean %q?)", near)
		}
		return nil, noSuchResource(gr, message)
	}
	if kind.Scope() == runtime.Cluster && r.PathValue("namespace") != "" {
		return nil, noSuchResource(gr, fmt.Sprintf("%s are not in namespaces: ask for /apis/%s/%s", gr.Resource, gv, gr.Resource))
	}
	return kind, readOnly(w, r, gr)
}

// readOnly refuses all methods but those for reading.
func readOnly(w http.ResponseWriter, r *http.Request, gr schema.GroupResource) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return notAllowed(gr, r.Method)
}

// negotiate chooses the representation in which an object of a kind is written.
func (s *server) negotiate(r *http.Request, kind *runtime.Kind, gr schema.GroupResource, name string) (*serializer.Representation, error) {
	pretty, err := prettyParameter(r)
	if err != nil {
		return nil, err
	}
	options, err := tableOptions(r)
	if err != nil {
		return nil, err
	}
	rep, err := s.factory.Negotiate(r.Header.Values("Accept"), serializer.Offer{Kind: kind.GroupVersionKind(), Pretty: pretty})
	if err != nil {
		return nil, notAcceptable(gr, name, err)
	}
	return rep.With(conversion.ScopeOptions{Options: options, Now: s.now()}), nil
}

// prettyParameter returns whether the query asks for the form for people, which it does unless it says otherwise.
func prettyParameter(r *http.Request) (bool, error) {
	q := r.URL.Query()
	if !q.Has("pretty") {
		return true, nil
	}
	pretty, err := strconv.ParseBool(cmp.Or(q.Get("pretty"), "true"))
	if err != nil {
		return false, metav1.BadRequest(fmt.Sprintf("pretty: %q is neither true nor false", q.Get("pretty")))
	}
	return pretty, nil
}

// tableOptions returns what the query says about tables.
func tableOptions(r *http.Request) (*metav1.TableOptions, error) {
	policy := metav1.IncludeObjectPolicy(r.URL.Query().Get("includeObject"))
	switch policy {
	case "", metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject:
		return &metav1.TableOptions{IncludeObject: policy}, nil
	}
	return nil, metav1.BadRequest(fmt.Sprintf("includeObject: %q is none of None, Metadata and Object", policy))
}
