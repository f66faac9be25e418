package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/query"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// call is one request for a resource under way.
type call struct {
	*Request
	s   *Server
	st  *state
	res *resource
	sub *subresource
	ctx context.Context

	seeding  bool // the object comes from a file of the program
	applying bool // the request applies a configuration

	repeated []runtime.Problem // members that occur twice in the patch of the request

	x *httpapi.Exchange // nil in process
	w http.ResponseWriter
	r *http.Request
}

// route finds what answers a request, and reports whether that is a watch of a resource.
func (s *Server) route(r *http.Request) (serve serveFunc, watch bool) {
	st := s.state.Load()
	if serve := s.pathHandler(st, r.URL.Path); serve != nil {
		return s.ifPathAllowed(serve), false
	}
	t, ok := parsePath(r.URL.EscapedPath(), s.owners(st))
	if !ok {
		return s.ifPathAllowed(func(_ http.ResponseWriter, r *http.Request) error { return s.nothingAt(st, r) }), false
	}
	serve = func(w http.ResponseWriter, r *http.Request) error { return s.serveResource(st, &t, w, r) }
	return serve, verbOf(r, &t) == verbWatch
}

// serveResource answers a request for a resource. Only authorized clients learn whether the
// resource exists.
func (s *Server) serveResource(st *state, t *target, w http.ResponseWriter, r *http.Request) error {
	c := s.newCall(r, t, auth.UserOf(r.Context()))
	c.st, c.w = st, w
	traceOf(r.Context()).request = c.Request
	a := c.attributes(r.URL.Path)
	if a.Name == "" && (c.Verb == verbList || c.Verb == verbWatch) {
		a.Name = selectedName(r)
	}
	if err := c.authorize(a); err != nil {
		return err
	}
	if h := s.delegated(st, t.prefix, t.gvr.GroupVersion()); h != nil {
		return c.serveDelegated(h)
	}
	var err error
	if c.res, c.sub, err = s.find(st, t); err != nil {
		return err
	}
	c.Kind = c.res.served.GroupVersionKind()
	if err := c.checkVerb(); err != nil {
		return err
	}
	err = c.answer()
	if err != nil {
		c.sendWarnings() // a refusal does not make them less true
		if errors.Is(err, store.ErrReadOnly) {
			c.w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		}
	}
	return err
}

// newCall describes a request of a user for a target.
func (s *Server) newCall(r *http.Request, t *target, user *auth.User) *call {
	return &call{s: s, r: r, ctx: r.Context(), Request: &Request{
		ID: requestID(r.Context()), Verb: verbOf(r, t), Resource: t.gvr, Subresource: t.subresource,
		Namespace: t.namespace, Name: t.name, User: user, Impersonator: traceOf(r.Context()).impersonator,
	}}
}

// answer serves the request.
func (c *call) answer() error {
	if c.res.warning != "" {
		c.Warn(c.res.warning)
	}
	switch {
	case c.r.Method == http.MethodOptions:
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	case c.sub != nil:
		return c.sub.serve(c)
	case c.res.functions != nil:
		return c.res.functions.serve(c)
	}
	switch c.Verb {
	case verbGet:
		return c.get()
	case verbList, verbWatch:
		return c.list()
	case verbCreate:
		return c.create()
	case verbUpdate:
		return c.update(partObject)
	case verbPatch:
		return c.patch(partObject)
	case verbDelete:
		return c.remove()
	}
	return c.removeAll()
}

// verbOf returns the verb of a request for a target, which an authorizer is asked about.
func verbOf(r *http.Request, t *target) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		switch {
		case t.name != "":
			return verbGet
		case asksForWatch(r):
			return verbWatch
		}
		return verbList
	case http.MethodPost:
		return verbCreate
	case http.MethodPut:
		return verbUpdate
	case http.MethodPatch:
		return verbPatch
	case http.MethodDelete:
		if t.name == "" {
			return verbDeleteCollection
		}
		return verbDelete
	}
	return strings.ToLower(r.Method)
}

// selectedName returns the name of the one object that a list or watch selects, blank if it may be
// several. Rules with names hold for such requests.
func selectedName(r *http.Request) string {
	if !strings.Contains(r.URL.RawQuery, "fieldSelector") {
		return ""
	}
	selectors := r.URL.Query()["fieldSelector"]
	if len(selectors) != 1 {
		return ""
	}
	return nameIn(selectors[0])
}

// nameIn returns the name of the one object that a field selector selects, blank if it may be
// several. It is parsed as for the list, so that a value with a comma is not taken for a name.
func nameIn(fieldSelector string) string {
	s, err := store.ParseFieldSelector(fieldSelector)
	if err != nil {
		return "" // the list is refused
	}
	for _, r := range s.Requirements() {
		if r.Path == "metadata.name" && !r.Not {
			return r.Value
		}
	}
	return ""
}

// asksForWatch reports whether the query asks for a watch.
func asksForWatch(r *http.Request) bool {
	if q := r.URL.RawQuery; !strings.Contains(q, "watch") && !strings.Contains(q, "%") {
		return false
	}
	values, ok := r.URL.Query()["watch"]
	return ok && query.ParseBool(values[0])
}

// methods are the methods of verbs, in the order of the Allow header.
var methods = []struct {
	method string
	verbs  []string
	object bool // the path has the name of an object
}{
	{http.MethodDelete, []string{verbDeleteCollection}, false},
	{http.MethodDelete, []string{verbDelete}, true},
	{http.MethodGet, []string{verbList, verbWatch}, false},
	{http.MethodGet, []string{verbGet}, true},
	{http.MethodHead, []string{verbList}, false},
	{http.MethodHead, []string{verbGet}, true},
	{http.MethodOptions, storedVerbs, true},
	{http.MethodOptions, storedVerbs, false},
	{http.MethodPatch, []string{verbPatch}, true},
	{http.MethodPost, []string{verbCreate}, false},
	{http.MethodPut, []string{verbUpdate}, true},
}

// checkVerb returns an error unless the resource has the verb of the request at this path. As in
// Kubernetes, no request deletes the objects of all namespaces: one that was meant for one
// namespace, and whose client lost it, would delete much that nobody can bring back.
func (c *call) checkVerb() error {
	verbs := c.res.verbs
	object := c.Name != ""
	everywhere := !object && c.Namespace == "" && c.res.namespaced()
	if c.sub != nil {
		verbs = c.sub.verbs
	}
	var allowed []string
	elsewhere := false // whether the other path, of lists or of objects, has the method
	for _, m := range methods {
		posts := c.sub != nil && m.method == http.MethodPost
		switch {
		case !slices.ContainsFunc(m.verbs, func(v string) bool { return slices.Contains(verbs, v) }):
		case everywhere && m.method == http.MethodDelete:
		case m.object == object || posts:
			allowed = append(allowed, m.method)
		case c.sub == nil && m.method == c.r.Method:
			elsewhere = true
		}
	}
	if slices.Contains(allowed, c.r.Method) && (c.Verb != verbWatch || slices.Contains(verbs, verbWatch)) {
		if c.r.Method == http.MethodOptions {
			c.w.Header().Set("Allow", strings.Join(allowed, ", "))
		}
		return nil
	}
	c.w.Header().Set("Allow", strings.Join(allowed, ", "))
	verb := c.Verb
	if len(allowed) > 0 && !slices.Contains(storedVerbs, verb) {
		verb = "the method " + printable(c.r.Method)
	}
	if everywhere && verb == verbDeleteCollection {
		verb += " in all namespaces"
	}
	if elsewhere && !slices.Contains(allowed, c.r.Method) {
		verb = c.r.Method + " at the path of a list, only at that of an object"
		if object {
			verb = c.r.Method + " at the path of an object, only at that of the list"
		}
	}
	return metav1.MethodNotAllowed(c.res.groupResource(), verb)
}

// begin negotiates the answer, with objects or lists of the kind given.
func (c *call) begin(kind schema.GroupVersionKind) (err error) {
	if c.x, err = c.st.begin(c.w, c.r, kind); err != nil {
		return err
	}
	if p := c.x.Place(); p != nil {
		p.Index, p.Resource = c.st.index(), c.place()
	}
	return nil
}

// place describes where the answer to the call is, for formats with links.
func (c *call) place() *format.ResourcePlace {
	r := c.res
	p := &format.ResourcePlace{
		Root: "/" + r.root(), Resource: r.gvr.Resource, Namespaced: r.namespaced(), Namespace: c.Namespace,
		Name: c.Name, Subresource: c.Subresource, Watch: slices.Contains(r.verbs, verbWatch),
	}
	for _, name := range slices.Sorted(maps.Keys(r.subresources)) {
		if slices.Contains(r.subresources[name].verbs, verbGet) {
			p.Subresources = append(p.Subresources, name)
		}
	}
	for _, other := range c.st.ordered {
		if other.gvr.GroupResource() == r.gvr.GroupResource() {
			p.Versions = append(p.Versions, format.VersionPlace{Version: other.gvr.Version, Root: "/" + other.root()})
		}
	}
	return p
}

// respond answers with an object, and with the warnings that there are.
func (c *call) respond(code int, obj any) error {
	c.sendWarnings()
	return c.x.Respond(code, obj)
}

// respondEntry answers with a stored object, unless there is an error.
func (c *call) respondEntry(code int, e *store.Entry, err error) error {
	if err != nil {
		return err
	}
	return c.respond(code, e.Cached())
}

// strictError begins the message of an error that strict validation of fields alone has found as
// clients of the Kubernetes API know it. Other errors are returned as they are.
func strictError(err error) error {
	if errors.Is(err, runtime.ErrNoFunction) {
		return metav1.UnsupportedMediaType("the kind cannot be read in the format of the body; send JSON")
	}
	e, ok := errors.AsType[*runtime.DecodeError](err)
	if !ok {
		return err
	}
	for i := range e.Problems {
		if p := &e.Problems[i]; !errors.Is(p, runtime.ErrUnknownField) && !errors.Is(p, runtime.ErrDuplicateField) {
			return err
		}
	}
	out := &metav1.StatusError{Status: *httpapi.StatusOf(err), Err: err}
	out.Status.Message = "strict decoding error: " + out.Status.Message
	return out
}

// warnOf warns of a problem in the words of an error.
func (c *call) warnOf(p runtime.Problem) {
	c.Warn(httpapi.StatusOf(&runtime.DecodeError{Problems: []runtime.Problem{p}}).Message)
}

// printable returns a text from outside without control characters, cut to 200
// bytes.
func printable(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

// asStatus returns the error as one that says what to tell the client.
func asStatus(err error) *metav1.StatusError {
	if e, ok := errors.AsType[*metav1.StatusError](err); ok {
		return e
	}
	return &metav1.StatusError{Status: *httpapi.StatusOf(err), Err: err}
}
