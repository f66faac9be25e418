package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/server/auth"
)

// serveFunc answers a request, or returns an error to answer it with.
type serveFunc func(http.ResponseWriter, *http.Request) error

// ifPathAllowed returns a function that serves requests of users who may request their path.
func (s *Server) ifPathAllowed(serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.allowPath(r); err != nil {
			s.auditRefused(r, auth.UserOf(r.Context()), err)
			return err
		}
		return serve(w, r)
	}
}

// pathHandler returns what answers requests for a path outside resources: discovery, the version,
// health, metrics, and the handlers of the program. It is nil for other paths.
func (s *Server) pathHandler(st *state, path string) serveFunc {
	switch path {
	case "/":
		return readOnly(s.serveIndex)
	case "/version", "/version/":
		return readOnly(s.serveVersion)
	case "/metrics":
		return readOnly(func(w http.ResponseWriter, _ *http.Request) error { s.serveMetrics(w); return nil })
	}
	root, name, _ := strings.Cut(strings.Trim(path, "/"), "/")
	switch root {
	case "livez":
		return s.healthHandler(s.health.live, name)
	case "readyz", "healthz":
		return s.healthHandler(s.health.ready, name)
	}
	if h := s.delegatedOpenAPI(st, path); h != nil {
		return h
	}
	if h := s.openAPIHandler(st, path); h != nil {
		return h
	}
	if doc, ok := s.findDocument(st, strings.Trim(path, "/")); ok {
		return readOnly(func(w http.ResponseWriter, r *http.Request) error { return s.serveDocument(st, doc, w, r) })
	}
	for _, h := range s.config.handlers {
		if path == h.path || strings.HasSuffix(h.path, "/") && strings.HasPrefix(path, h.path) && !hasDots(path) {
			return func(w http.ResponseWriter, r *http.Request) error { h.handler.ServeHTTP(w, r); return nil }
		}
	}
	return nil
}

// findDocument finds the document of discovery at a path. A server without a core group says that
// its version v1 is there and has no resources: kubectl looks there for the kind List, which
// "kubectl get -o yaml" writes.
func (s *Server) findDocument(st *state, path string) (*discovery.Document, bool) {
	docs := s.documentsOf(st)
	if doc, ok := docs.Find(path); ok {
		return doc, true
	}
	if _, ok := docs.Find(discovery.CorePrefix); ok {
		return nil, false
	}
	return emptyCore().Find(path)
}

// index returns the paths at which people begin to read: the roots of discovery, the one of all
// groups with a name first.
func (st *state) index() []string {
	prefixes := map[string]bool{}
	for _, all := range st.prefixes {
		for _, prefix := range all {
			prefixes[prefix] = true
		}
	}
	out := []string{"/apis"}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if path := "/" + prefix; path != out[0] {
			out = append(out, path)
		}
	}
	return append(out, "/version")
}

// nothingAt says that nothing is served at the path of a request, and where to look. If a group has
// no version of that name, users who may ask for the group learn which versions it has.
func (s *Server) nothingAt(st *state, r *http.Request) error {
	look := st.index()[0] + " lists what is served"
	segments := segmentsOf(splitPath(r.URL.EscapedPath()))
	for at := 1; at < min(len(segments), 3); at++ { // where the version is of the core group, and of others
		root, group := "/"+strings.Join(segments[:at], "/"), strings.Join(segments[1:at], "")
		served := versionsAt(s.documentsOf(st), segments[0], group)
		a := &auth.Attributes{User: auth.UserOf(r.Context()), Verb: verbGet, Path: root}
		if len(served) > 0 && !slices.Contains(served, segments[at]) && s.allow(r.Context(), a) == nil {
			look = root + " lists " + printable(strings.Join(served, ", "))
		}
	}
	return notFound("there is nothing at " + printable(r.URL.Path) + "; " + look)
}

// versionsAt returns the versions of a group that are served below a prefix.
func versionsAt(docs *discovery.Documents, prefix, group string) (out []string) {
	for _, gv := range docs.GroupVersions() {
		if gv.Group != group {
			continue
		}
		if _, ok := docs.Find(rootOf(prefix, gv)); ok {
			out = append(out, gv.Version)
		}
	}
	return out
}

var emptyCore = sync.OnceValue(func() *discovery.Documents {
	docs, err := discovery.New(discovery.Config{
		Versions: []discovery.Version{{GroupVersion: schema.GroupVersion{Version: "v1"}}},
	})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return docs
})

func (s *Server) healthHandler(checks []namedCheck, name string) serveFunc {
	return readOnly(
		func(w http.ResponseWriter, r *http.Request) error { s.serveHealth(w, r, checks, name); return nil },
	)
}

// readOnly refuses methods other than GET and HEAD.
func readOnly(serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return serve(w, r)
		}
		w.Header().Set("Allow", "GET, HEAD")
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return metav1.Failure(metav1.StatusReasonMethodNotAllowed, "the path supports GET and HEAD")
	}
}

// serveDocument answers with a document of discovery.
func (s *Server) serveDocument(st *state, doc *discovery.Document, w http.ResponseWriter, r *http.Request) error {
	x, err := st.begin(w, r, doc.Kind())
	if err != nil {
		return err
	}
	if p := x.Place(); p != nil {
		p.Index = st.index()
	}
	x.Header().Set("Cache-Control", "public")
	if client, ok := s.clientOf(r); ok {
		personal(x.Header())
		if shown, ok := s.documentsOf(st).For(client).Find(r.URL.Path); ok {
			doc = shown
		}
	}
	form := doc.Form(x.Representation().Target())
	if x.NotModified(form.Version) {
		return nil
	}
	return x.Respond(http.StatusOK, form.Object)
}

// serveIndex answers with the paths that there are.
func (s *Server) serveIndex(w http.ResponseWriter, r *http.Request) error {
	paths := []string{"/healthz", "/livez", "/metrics", "/readyz", "/version"}
	st := s.state.Load()
	if rep := st.factory.NegotiateStatus(r.Header["Accept"], serializer.Offer{}); rep.Format().Links {
		http.Redirect(w, r, st.index()[0], http.StatusFound)
		return nil
	}
	paths = slices.AppendSeq(paths, s.documentsOf(st).Paths())
	for _, c := range s.health.ready {
		paths = append(paths, "/readyz/"+c.name)
	}
	paths = append(paths, st.openAPIPaths()...)
	slices.Sort(paths)
	text, err := json.MarshalIndent(map[string][]string{"paths": slices.Compact(paths)}, "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(text) // the client may be gone
	return nil
}
