package server

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/store"
)

// state is what is served at one time. It never changes; installing and removing groups makes
// another one.
type state struct {
	scheme      *runtime.Scheme
	factory     *serializer.Factory
	api         *httpapi.API // compact answers
	readable    *httpapi.API // indented answers
	endpoints   endpoints    // of both
	resources   map[schema.GroupVersionResource]*resource
	ordered     []*resource // groups in the order of the scheme, versions by preference, then by name
	collections map[schema.GroupKind]*collection
	prefixes    map[schema.GroupVersion][]string // of the group versions with resources
	docs        *discovery.Documents
	openAPI     *openapi.Set

	openAPIProto encodedV2 // OpenAPI 2.0 in protobuf
}

// newState describes what a scheme has and functions add, and opens the collections of new kinds.
// The other collections have the storage of those before, except for that of a kind to be replaced:
// its successor takes its place in the store.
func (s *Server) newState(before *state, replaced schema.GroupKind, scheme *runtime.Scheme,
	groups ...func(*runtime.Builder),
) (*state, error) {
	if before == nil || scheme != before.scheme { // otherwise it has what the server needs
		groups = slices.Concat(groups, []func(*runtime.Builder){
			metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo, metav1.AddAutoscalingTo, discovery.AddTo,
		}, s.config.reviews.addTo)
	}
	scheme, err := scheme.With(groups...)
	if err != nil {
		return nil, err
	}
	if before == nil {
		s.first = scheme
	}
	factory, err := serializer.FactoryOptions{Aliases: textAliases(s.formats)}.NewFactory(scheme, s.formats...)
	if err != nil {
		return nil, err
	}
	st := &state{
		scheme: scheme, factory: factory, api: httpapi.New(factory, s.settings(true)), readable: httpapi.New(factory,
			s.settings(false)),
		resources: map[schema.GroupVersionResource]*resource{}, collections: map[schema.GroupKind]*collection{},
	}
	if err := s.addResources(st, before, replaced); err != nil {
		return nil, err
	}
	st.sort()
	st.prefixes = make(map[schema.GroupVersion][]string, len(st.resources))
	for gvr, r := range st.resources {
		if gv := gvr.GroupVersion(); !st.serves(r.prefix, gv) {
			st.prefixes[gv] = append(st.prefixes[gv], r.prefix)
		}
	}
	if err := s.checkRequirements(st); err != nil {
		return nil, err
	}
	if st.docs, err = s.documents(st, before); err != nil {
		return nil, err
	}
	if st.openAPI, err = s.openAPI(st); err != nil {
		return nil, err
	}
	return st, s.open(st, before)
}

// open lets the resources in the store follow the state, and gives the new collections theirs. On
// error the store has the resources of before.
func (s *Server) open(st, before *state) error {
	for _, c := range st.collections {
		if c.stored == nil {
			continue
		}
		if err := st.follow(c); err != nil {
			return err
		}
	}
	return s.openNew(st, before)
}

// follow makes a collection in the store read and write its objects with the factory of the state.
// If the scheme lacks a version in which objects may be stored, the collection stays with a factory
// that can read it.
func (st *state) follow(c *collection) error {
	for _, gv := range c.stored.Factory().Scheme().VersionsOf(c.gvk.GroupKind()) {
		if _, ok := st.scheme.Lookup(gv.WithKind(c.gvk.Kind)); !ok {
			return nil
		}
	}
	if err := c.stored.Rebind(st.factory); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// openNew gives the new collections of a state their resources in the store.
func (s *Server) openNew(st, before *state) error {
	var successor *collection
	for gk, c := range st.collections {
		switch {
		case c.stored != nil:
			continue
		case before != nil && before.collections[gk] != nil:
			successor = c
			continue
		}
		if err := s.openOne(st, c, (*store.Store).Add); err != nil {
			return errors.Join(err, s.dropCollections(st, before))
		}
	}
	if successor == nil {
		return nil
	}
	gk := successor.gvk.GroupKind()
	put := (*store.Store).Replace
	if successor.groupResource() != before.collections[gk].groupResource() {
		put = (*store.Store).Add
	}
	if err := s.openOne(st, successor, put); err != nil {
		return errors.Join(err, s.dropCollections(st, before))
	}
	return nil
}

// openOne opens a collection by a method of its store.
func (s *Server) openOne(st *state, c *collection,
	put func(*store.Store, store.ResourceOptions) (*store.Resource, error),
) (err error) {
	gr := c.groupResource()
	c.stored, err = put(s.stores.of(gr), store.ResourceOptions{
		Factory: st.factory, Kind: c.kind.GroupVersionKind(), Resource: c.kind.Info().Resource, Fields: c.fields,
		MediaType: s.config.storageFormatOf(st.factory, c.kind, gr),
	})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// checkRequirements returns an error if a group version that is served needs one that is disabled.
// That the scheme has those that are needed was checked when it was built.
func (s *Server) checkRequirements(st *state) error {
	for by, needs := range st.scheme.Requirements() {
		name, candidates := needs.String(), []schema.GroupVersion{needs}
		if needs.Version == "" {
			name, candidates = "any version of "+needs.Group, st.scheme.Versions(needs.Group)
		}
		if _, served := st.prefixes[by]; served && !slices.ContainsFunc(candidates, s.config.enables) {
			return fmt.Errorf("server: %s requires %s, which is disabled; enable that, or disable %s too", by, name, by)
		}
	}
	return nil
}

// textAliases makes plain text mean the table, where that format is there.
func textAliases(formats []*format.Format) []serializer.Alias {
	for _, f := range formats {
		if slices.Contains(f.MediaTypes, "text/plain") {
			return []serializer.Alias{{Name: "text/plain", For: "text/plain;as=Table"}}
		}
	}
	return nil
}

// settings returns those of the answers.
func (s *Server) settings(compact bool) httpapi.Settings {
	return httpapi.Settings{
		Compact: compact, StrictQuery: !compact, Parameters: []string{"timeout"}, Gzip: true,
		UnversionedStatus: s.config.discovery.Unversioned,
		MaxBody:           s.config.limits.Body, BodyTimeout: s.config.limits.RequestTime, Now: s.config.now,
		Log: func(r *http.Request, err error) { s.logFailure(r, err) },
	}
}

// apiFor returns the API that answers a request. Answers to curl, Wget and browsers are indented
// unless the request says otherwise, and misspelled parameters are an error for them.
func (st *state) apiFor(r *http.Request) *httpapi.API {
	agent := r.UserAgent()
	for _, name := range []string{"curl/", "Wget/", "Mozilla/"} {
		if strings.HasPrefix(agent, name) {
			return st.readable
		}
	}
	return st.api
}

// addResources adds all resources of the scheme, in its order, and those that are made of
// functions.
func (s *Server) addResources(st, before *state, replaced schema.GroupKind) error {
	functional, err := s.functionalKinds(st)
	if err != nil {
		return err
	}
	for k := range st.scheme.Kinds() {
		if f := functional[k.GroupVersionKind()]; f != nil {
			st.resources[k.GroupVersionResource()] = f
			continue
		}
		if !s.config.isServed(k) {
			s.warnUnserved(before, k)
			continue
		}
		if gr := k.GroupVersionResource().GroupResource(); gr.String() == recordsName {
			return fmt.Errorf("server: %s cannot be served as %s, where replicas keep what they tell each other", k, gr)
		}
		gk := k.GroupVersionKind().GroupKind()
		c := st.collections[gk]
		if c == nil {
			if before != nil && gk != replaced && before.collections[gk] != nil {
				c, err = before.collections[gk].in(s, st)
			} else {
				c, err = s.newCollection(st, gk)
			}
			if err != nil {
				return err
			}
			st.collections[gk] = c
		}
		if err := c.reaches(st.scheme, k); err != nil {
			return err
		}
		r := s.newResource(st.scheme, k, c)
		r.updater = s.newUpdater(st, k)
		st.resources[k.GroupVersionResource()] = r
	}
	return s.addSubresources(st)
}

// reaches returns an error if stored objects cannot be converted to a kind that is served.
func (c *collection) reaches(s *runtime.Scheme, k *runtime.Kind) error {
	from, to := c.gvk, k.GroupVersion()
	_, err := s.Losses(from, to)
	if err == nil {
		return nil
	}
	if no, ok := errors.AsType[*conversion.NoRouteError](err); ok && no.Unregistered != "" {
		return fmt.Errorf("server: objects are stored as %s: %w", from, err)
	}
	return fmt.Errorf("server: objects are stored as %s, and no conversion leads from there to %s; "+
		"+askind:hub=%s in the comment of package %s generates it",
		from, to, c.kind.Type().PkgPath(), k.Type().PkgPath())
}

// warnUnserved logs that a kind with names and metadata is not served because it has no list, or
// because the type of its metadata is not ours, which is seldom meant. It does so once for a kind.
func (s *Server) warnUnserved(before *state, k *runtime.Kind) {
	if before != nil {
		if _, known := before.scheme.Lookup(k.GroupVersionKind()); known {
			return
		}
	}
	metadata := k.Metadata(k.New())
	if metadata == nil || k.Info().Resource == "" || k.IsList() || k.Info().Shared || k.Info().Unserved || isOurs(k) ||
		!s.config.enables(k.GroupVersion()) {
		return
	}
	if _, ok := metadata.(*metav1.ObjectMeta); !ok {
		if !strings.HasSuffix(fmt.Sprintf("%T", metadata), ".ObjectMeta") {
			return // a list's, or none that names an object
		}
		s.config.log.Warn("a kind is not served, because its metadata is not that of package meta/v1; for types of "+
			"k8s.io/apimachinery, write +askind:codecs=github.com/askind/askind/k8s/metav1 in the comment of their package",
			"kind", k.GroupVersionKind().String(), "metadata", fmt.Sprintf("%T", metadata))
	} else if k.ListKind() == nil {
		s.config.log.Warn("a kind is not served, because it has no list kind; askind lint says what to write",
			"kind", k.GroupVersionKind().String())
	}
}

// dropCollections removes the collections of a state from the store that another state does not
// have.
func (s *Server) dropCollections(st, kept *state) error {
	var errs []error
	for gk, c := range st.collections {
		if c.stored == nil {
			continue
		}
		if kept != nil && kept.collections[gk] != nil && kept.collections[gk].groupResource() == c.groupResource() {
			continue // it is this one or its successor
		}
		errs = append(errs, c.stored.Store().Remove(c.stored.GroupResource()))
	}
	return errors.Join(errs...)
}

// sort puts the resources in order.
func (st *state) sort() {
	order := map[schema.GroupVersion]int{}
	for k := range st.scheme.Kinds() {
		if gv := k.GroupVersion(); order[gv] == 0 {
			order[gv] = len(order) + 1
		}
	}
	st.ordered = slices.Collect(maps.Values(st.resources))
	sorted.Func(st.ordered, func(a, b *resource) int {
		if d := order[a.gvr.GroupVersion()] - order[b.gvr.GroupVersion()]; d != 0 {
			return d
		}
		return strings.Compare(a.gvr.Resource, b.gvr.Resource)
	})
}

// documents makes the documents of discovery. Those of groups that did not change since the state
// before stay what they are.
func (s *Server) documents(st, before *state) (*discovery.Documents, error) {
	c := discovery.Config{
		Addresses: s.config.discovery.Addresses, Unversioned: s.config.discovery.Unversioned,
		Resources: make([]discovery.Resource, 0, len(st.ordered)),
	}
	for _, r := range st.ordered {
		c.Resources = append(c.Resources, r.describe())
	}
	if before != nil {
		return before.docs.Replace(c)
	}
	return discovery.New(c)
}

// serves reports whether a group version is served below a prefix.
func (st *state) serves(prefix string, gv schema.GroupVersion) bool {
	return slices.Contains(st.prefixes[gv], prefix)
}

// namespaceSubresource reports whether the resource "namespaces" of a group version has a
// subresource.
func (st *state) namespaceSubresource(gv schema.GroupVersion, name string) bool {
	r := st.resources[gv.WithResource("namespaces")]
	return r != nil && r.subresources[name] != nil
}

// find returns the resource that a path names, and an error for the client if there is none.
func (st *state) find(t *target) (*resource, *subresource, error) {
	r := st.resources[t.gvr]
	if r == nil || r.prefix != t.prefix {
		return nil, nil, st.noResource(t)
	}
	switch {
	case t.namespace != "" && !r.namespaced():
		return nil, nil, notFound(fmt.Sprintf("%s are not in namespaces", r.groupResource()))
	case t.namespace == "" && r.namespaced() && t.name != "":
		return nil, nil, notFound(fmt.Sprintf("%s are in namespaces: ask for /%s/namespaces/{namespace}/%s/{name}",
			r.groupResource(), r.root(), t.gvr.Resource))
	case t.subresource == "":
		return r, nil, nil
	}
	if sub := r.subresources[t.subresource]; sub != nil {
		return r, sub, nil
	}
	return nil, nil, notFound(fmt.Sprintf("%s have no subresource %s", r.groupResource(), schema.Quote(t.subresource)))
}

// root returns the path of the group version without the leading slash.
func (r *resource) root() string { return rootOf(r.prefix, r.gvr.GroupVersion()) }

// rootOf returns the path of a group version below a prefix.
func rootOf(prefix string, gv schema.GroupVersion) string { return prefix + "/" + gv.String() }

// noResource says that a path names no resource, and what is near.
func (st *state) noResource(t *target) error {
	if r := st.resources[t.gvr]; r != nil {
		return notFound(fmt.Sprintf("%s of %s is at /%s/%s", t.gvr.Resource, t.gvr.GroupVersion(), r.root(),
			t.gvr.Resource))
	}
	message := fmt.Sprintf("%s has no resource %s", t.gvr.GroupVersion(), schema.Quote(t.gvr.Resource))
	names := func(yield func(string) bool) {
		for gvr := range st.resources {
			if gvr.GroupVersion() == t.gvr.GroupVersion() && !yield(gvr.Resource) {
				return
			}
		}
	}
	if near, ok := schema.NearestSeq(t.gvr.Resource, names); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return notFound(message)
}

// notFound says that a path is not served.
func notFound(message string) error {
	return metav1.Failure(metav1.StatusReasonNotFound, message)
}
