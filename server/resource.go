package server

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// collection is what a state knows about the objects of a group and kind, whatever version a
// request speaks.
type collection struct {
	*storage
	kind   *runtime.Kind // in the version in which objects are stored
	fields []store.Field // that can select objects
	parts  *parts
	hooks  []kindHooks
}

// storage is where the objects of a group and kind are, in all states until the kind is removed or
// replaced. It refers to no state, so that it does not keep one in memory.
type storage struct {
	gvk    schema.GroupVersionKind // of the stored objects
	scope  runtime.Scope
	stored *store.Resource

	creating    atomic.Int64 // requests that may create an object
	terminating atomic.Int64 // calls of DeleteKinds, during which no object may be created
}

// resource is a resource in one version.
type resource struct {
	*collection
	prefix  string
	gvr     schema.GroupVersionResource
	served  *runtime.Kind // in the version of the resource
	verbs   []string
	warning string // for clients of a deprecated version

	structure *structure.Type // for strategic merge patches, nil if they are refused
	updater   *apply.Updater

	functions    functionResource // instead of the collection's store
	subresources map[string]*subresource
}

// subresource is what is below the objects of a resource.
type subresource struct {
	name  string
	kind  schema.GroupVersionKind
	verbs []string
	serve func(*call) error
}

// groupResource names the resource in errors.
func (r *resource) groupResource() schema.GroupResource { return r.gvr.GroupResource() }

// namespaced reports whether objects live in namespaces.
func (r *resource) namespaced() bool { return r.served.Info().Scope == runtime.Namespaced }

// storedVerbs are the verbs of resources with objects in the store.
var storedVerbs = []string{
	verbCreate, verbDelete, verbDeleteCollection, verbGet, verbList, verbPatch,
	verbUpdate, verbWatch,
}

// isOurs reports whether the server itself brings a kind along, which is then not served as a
// resource of the store.
func isOurs(k *runtime.Kind) bool {
	group := k.GroupVersion().Group
	return group == metav1.GroupVersion.Group || group == "apidiscovery.k8s.io" || k.GroupVersionKind() == scaleKind
}

// isServed reports whether a kind of the scheme is a resource with objects in the store.
func (c *config) isServed(k *runtime.Kind) bool {
	gv := k.GroupVersion()
	switch {
	case k.Info().Resource == "" || k.Info().Shared || k.Info().Unserved || k.IsList() || k.ListKind() == nil ||
		isOurs(k):
		return false
	case !c.enables(gv):
		return false
	}
	_, ok := k.Metadata(k.New()).(*metav1.ObjectMeta)
	return ok
}

// enables reports whether the option [Disable] leaves a group version.
func (c *config) enables(gv schema.GroupVersion) bool {
	return !slices.Contains(c.disabled, gv) && !slices.Contains(c.disabled, schema.GroupVersion{Group: gv.Group})
}

// isDynamic reports whether the objects of a kind have no Go type.
func isDynamic(k *runtime.Kind) bool { return k.Type() == reflect.TypeFor[dynamic.Object]() }

// newResource describes a kind as a resource.
func (s *Server) newResource(scheme *runtime.Scheme, k *runtime.Kind, c *collection) *resource {
	r := &resource{
		collection: c, gvr: k.GroupVersionResource(), served: k, prefix: s.config.prefix(k.GroupVersionResource()),
		verbs: slices.Clone(storedVerbs), warning: k.Info().Deprecated, subresources: map[string]*subresource{},
	}
	if isGroup(r.groupResource()) {
		r.verbs = groupVerbs
	}
	if !isDynamic(k) {
		r.structure = structure.Of(k)
	}
	if k.Info().Status {
		r.add(&subresource{
			name: "status", kind: k.GroupVersionKind(), verbs: []string{verbGet, verbPatch, verbUpdate},
			serve: (*call).status,
		})
	}
	if scheme.CanUpdateFrom(c.kind.GroupVersionKind(), scaleKind) {
		r.add(&subresource{
			name: "scale", kind: scaleKind, verbs: []string{verbGet, verbPatch, verbUpdate},
			serve: (*call).scale,
		})
	}
	return r
}

func (r *resource) add(sub *subresource) { r.subresources[sub.name] = sub }

// prefix returns the first segment of the paths of a resource.
func (c *config) prefix(gvr schema.GroupVersionResource) string {
	return cmp.Or(c.prefixOf[gvr.GroupResource()], c.prefixes[gvr.GroupVersion()], discovery.PrefixOf(gvr.Group))
}

// describe returns the resource as discovery has it.
func (r *resource) describe() discovery.Resource {
	info := r.served.Info()
	out := discovery.Resource{
		Prefix: r.prefix, GroupVersionResource: r.gvr, Kind: r.served.GroupVersionKind(),
		Singular: info.Singular, Scope: r.served.Info().Scope,
		Verbs: r.verbs, ShortNames: info.ShortNames, Categories: info.Categories,
	}
	for _, sub := range r.subresources {
		out.Subresources = append(out.Subresources, discovery.Subresource{
			Name: sub.name, Kind: sub.kind,
			Verbs: sub.verbs,
		})
	}
	sorted.Func(out.Subresources, func(a, b discovery.Subresource) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// groupResource names the resource in the store.
func (c *collection) groupResource() schema.GroupResource {
	return c.kind.GroupVersionResource().GroupResource()
}

// newCollection describes the place of the objects of a group and kind, which [Server.open] opens.
func (s *Server) newCollection(st *state, gk schema.GroupKind) (*collection, error) {
	k, err := st.scheme.StorageVersion(gk)
	if err != nil {
		return nil, err
	}
	c := &collection{storage: &storage{gvk: k.GroupVersionKind(), scope: k.Info().Scope}, kind: k}
	if c.parts, err = newParts(k); err != nil {
		return nil, err
	}
	if c.fields, err = selectableFields(st.scheme, gk); err != nil {
		return nil, err
	}
	return c, s.addHooks(st, c)
}

// addHooks gives a collection the hooks of its kind.
func (s *Server) addHooks(st *state, c *collection) error {
	for _, h := range s.config.hooks {
		k, err := s.optionKind(st, h.kindIn)
		if err != nil {
			return fmt.Errorf("server: hooks: %w", err)
		}
		if k != nil && k.GroupVersionKind().GroupKind() == c.gvk.GroupKind() {
			h.kind = k
			c.hooks = append(c.hooks, h)
		}
	}
	return nil
}

// optionKind returns the kind that an option is for, or nil if all its versions have been removed:
// the option has no effect until the kind is installed again. If other versions remain, the option
// needs its own.
func (s *Server) optionKind(st *state, find func(*runtime.Scheme) (*runtime.Kind, error)) (*runtime.Kind, error) {
	if k, err := find(s.first); err == nil && len(st.scheme.VersionsOf(k.GroupVersionKind().GroupKind())) == 0 {
		return nil, nil
	}
	return find(st.scheme)
}

// in returns the collection in another state, with the same storage. It refers to nothing of its
// own state.
func (c *collection) in(s *Server, st *state) (*collection, error) {
	k, ok := st.scheme.Lookup(c.gvk)
	if !ok {
		return nil, fmt.Errorf("server: objects of the kind %s are stored in %s, which cannot be removed alone",
			c.gvk.GroupKind(), c.gvk.GroupVersion())
	}
	out := &collection{storage: c.storage, kind: k, fields: c.fields, parts: c.parts.of(k)}
	return out, s.addHooks(st, out)
}

// idleHooks returns the kinds whose hooks are never called, because their objects are not stored.
func (s *Server) idleHooks(st *state) (kinds []string) {
	for _, h := range s.config.hooks {
		k, err := h.kindIn(st.scheme)
		if err == nil && st.collections[k.GroupVersionKind().GroupKind()] == nil {
			kinds = append(kinds, k.GroupVersionKind().String())
		}
	}
	return kinds
}

// eachHook calls a function for the hooks of a kind, with the objects in the version that they
// want.
func (c *collection) eachHook(s *runtime.Scheme, o objects, f func(h kindHooks, o objects) error) error {
	for _, h := range c.hooks {
		shown, err := o.as(s, h.kind)
		if err != nil {
			return err
		}
		if err := f(h, shown); err != nil {
			return err
		}
	}
	return nil
}

// prepare runs the Prepare hooks and returns what they made of the new object, in the version in
// which it is stored.
func (c *collection) prepare(ctx context.Context, s *runtime.Scheme, r *Request, o objects) (runtime.Object, error) {
	for _, h := range c.hooks {
		if h.prepare == nil {
			continue
		}
		shown, err := o.as(s, h.kind)
		if err != nil {
			return nil, err
		}
		if err := h.prepare(ctx, r, shown.old, shown.new); err != nil {
			return nil, err
		}
		if h.kind.GroupVersionKind() == c.kind.GroupVersionKind() {
			continue
		}
		before := o.new
		if o.new, err = s.ConvertWith(shown.new, c.kind.GroupVersion(), r.scope(true)); err != nil {
			return nil, err
		}
		if err := c.kind.Default(o.new); err != nil {
			return nil, err
		}
		r.warnLost(s, h.kind, before, o.new)
	}
	return o.new, nil
}
