package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// store keeps objects in memory, each in the storage version of its kind. Any number of goroutines may use it.
//
// The objects that it hands out are its own. Nobody changes them: a write puts a new object in the place of the old one, and encoding,
// converting and showing objects never write to their input, so no request needs a copy.
type store struct {
	scheme *runtime.Scheme
	now    func() time.Time

	mu          sync.RWMutex
	collections map[schema.GroupResource]*collection
	version     uint64 // the resource version of the latest change
	journal     journal
}

// collection is all objects of one resource, in the order of their namespaces and names.
type collection struct {
	kind    *runtime.Kind // in the storage version
	objects []stored
}

type stored struct {
	meta    *metav1.ObjectMeta // inside of the object
	object  runtime.Object
	source  string // where the object was read, for messages
	version uint64 // its resource version
}

// newStore returns an empty store. The clock dates objects that have no date.
func newStore(scheme *runtime.Scheme, now func() time.Time) *store {
	return &store{scheme: scheme, now: now, collections: map[schema.GroupResource]*collection{}, journal: newJournal()}
}

// prepare returns a copy of an object of any version in the storage version of its kind. It gets what only that version has a default
// for, and must be valid there too.
func (s *store) prepare(ctx context.Context, obj runtime.Object) (*runtime.Kind, stored, error) {
	from, err := s.scheme.KindOf(obj)
	if err != nil {
		return nil, stored{}, err
	}
	if !served(from) {
		return nil, stored{}, fmt.Errorf("objects of %s are not served here", from)
	}
	kind, err := s.scheme.StorageVersion(from.GroupVersionKind().GroupKind())
	if err != nil {
		return nil, stored{}, err
	}
	if obj, err = s.scheme.ConvertTo(obj, kind.GroupVersion()); err != nil {
		return nil, stored{}, err
	}
	if err := s.scheme.Default(obj); err != nil {
		return nil, stored{}, err
	}
	m, err := meta.Accessor(kind, obj)
	if err != nil {
		return nil, stored{}, err
	}
	if kind.Scope() == runtime.Namespaced {
		m.Namespace = cmp.Or(m.Namespace, metav1.NamespaceDefault)
	}
	return kind, stored{meta: m, object: obj}, s.scheme.Validate(ctx, obj)
}

// errThere says that the name of an object is taken.
type errThere struct{ source string }

func (e errThere) Error() string { return "it is there already, from " + e.source }

// add puts an object of any version into the store, as a copy, with what servers write: uid, resourceVersion, generation and, if it has none, its
// creationTimestamp. On a dry run nothing is stored. The error is an errThere if the name is taken.
func (s *store) add(ctx context.Context, obj runtime.Object, source string, dryRun bool) (runtime.Object, error) {
	kind, o, err := s.prepare(ctx, obj)
	if err != nil {
		return nil, err
	}
	o.source = source
	gr := kind.GroupVersionResource().GroupResource()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(kind)
	i, found := c.find(o.meta.Namespace, o.meta.Name)
	if found {
		return nil, errThere{c.objects[i].source}
	}
	o.meta.UID = newUID(gr.String(), o.meta.Namespace, o.meta.Name)
	o.meta.ResourceVersion = ""
	o.meta.Generation = max(o.meta.Generation, 1)
	if o.meta.CreationTimestamp.IsZero() {
		o.meta.CreationTimestamp = metav1.NewTime(s.now())
	}
	if dryRun {
		return o.object, nil
	}
	s.stamp(&o)
	c.objects = slices.Insert(c.objects, i, o)
	s.journal.write(change{kind: kind, version: o.version, now: o})
	return o.object, nil
}

// stamp gives an object the next resource version.
func (s *store) stamp(o *stored) {
	s.version++
	o.version = s.version
	o.meta.ResourceVersion = strconv.FormatUint(s.version, 10)
}

// update puts what a function makes of an object in its place: an object of any version. What servers write is kept, and the generation counts
// changes of all but metadata. If that is no change at all, nothing is stored. If somebody else writes at the same time, the function is
// called again.
func (s *store) update(ctx context.Context, kind *runtime.Kind, namespace, name string, dryRun bool, f func(current runtime.Object) (runtime.Object, error)) (runtime.Object, error) {
	for {
		before, err := s.find(kind, namespace, name)
		if err != nil {
			return nil, err
		}
		obj, err := f(before.object)
		if err != nil {
			return nil, err
		}
		_, after, err := s.prepare(ctx, obj)
		if err != nil {
			return nil, err
		}
		after.source = before.source
		if err := s.keep(kind, before, &after); err != nil {
			return nil, err
		}
		switch same, err := s.same(kind, before.object, after.object); {
		case err != nil:
			return nil, err
		case same:
			return before.object, nil
		case dryRun:
			return after.object, nil
		}
		if s.replace(kind, before, &after) {
			return after.object, nil
		}
	}
}

// keep writes what servers write into the new state of an object.
func (s *store) keep(kind *runtime.Kind, before stored, after *stored) error {
	labels := *after.meta
	*after.meta = *before.meta
	same, err := s.same(kind, before.object, after.object)
	if err != nil {
		return err
	}
	m := after.meta
	m.Labels, m.Annotations, m.OwnerReferences, m.Finalizers = labels.Labels, labels.Annotations, labels.OwnerReferences, labels.Finalizers
	if !same {
		m.Generation++
	}
	return nil
}

// same reports whether two objects are written alike.
func (s *store) same(kind *runtime.Kind, a, b runtime.Object) (bool, error) {
	x, err := kind.AppendJSON(nil, a)
	if err != nil {
		return false, err
	}
	y, err := kind.AppendJSON(nil, b)
	return string(x) == string(y), err
}

// replace stores the new state of an object, unless it is not in the old state any more.
func (s *store) replace(kind *runtime.Kind, before stored, after *stored) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(kind)
	i, found := c.find(before.meta.Namespace, before.meta.Name)
	if !found || c.objects[i].version != before.version {
		return false
	}
	s.stamp(after)
	c.objects[i] = *after
	s.journal.write(change{kind: kind, version: after.version, before: before, now: *after})
	return true
}

// errFinalizers says that somebody else must do something before an object can go.
var errFinalizers = errors.New("it has finalizers, which must be gone first")

// remove takes an object out of the store if a function has nothing against it, and returns it as it was last.
func (s *store) remove(kind *runtime.Kind, namespace, name string, dryRun bool, check func(*metav1.ObjectMeta) error) (runtime.Object, error) {
	gr := kind.GroupVersionResource().GroupResource()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(kind)
	i, found := c.find(namespace, name)
	if !found {
		return nil, metav1.NotFound(gr, name)
	}
	o := c.objects[i]
	if err := check(o.meta); err != nil {
		return nil, err
	}
	if len(o.meta.Finalizers) > 0 {
		return nil, metav1.Conflict(gr, name, errFinalizers)
	}
	if dryRun {
		return o.object, nil
	}
	// The last state carries the version of its end, so that a watch can go on from there.
	last, err := s.scheme.DeepCopy(o.object)
	if err != nil {
		return nil, err
	}
	end := stored{object: last, source: o.source}
	if end.meta, err = meta.Accessor(kind, last); err != nil {
		return nil, err
	}
	s.stamp(&end)
	c.objects = slices.Delete(c.objects, i, i+1)
	s.journal.write(change{kind: kind, version: end.version, before: o, now: end, gone: true})
	return last, nil
}

// collection returns the collection of a kind, which it makes if there is none.
func (s *store) collection(kind *runtime.Kind) *collection {
	gr := kind.GroupVersionResource().GroupResource()
	c := s.collections[gr]
	if c == nil {
		c = &collection{kind: kind}
		s.collections[gr] = c
	}
	return c
}

// find returns the index of an object, or the one where it belongs.
func (c *collection) find(namespace, name string) (int, bool) {
	return slices.BinarySearchFunc(c.objects, name, func(o stored, name string) int {
		return cmp.Or(cmp.Compare(o.meta.Namespace, namespace), cmp.Compare(o.meta.Name, name))
	})
}

// find returns an object of a kind.
func (s *store) find(kind *runtime.Kind, namespace, name string) (stored, error) {
	gr := kind.GroupVersionResource().GroupResource()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.collections[gr]; c != nil {
		if i, found := c.find(namespace, name); found {
			return c.objects[i], nil
		}
	}
	return stored{}, metav1.NotFound(gr, name)
}

// get returns an object in the storage version. It must not be changed.
func (s *store) get(gr schema.GroupResource, namespace, name string) (runtime.Object, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.collections[gr]
	if c == nil {
		return nil, false
	}
	i, found := c.find(namespace, name)
	if !found {
		return nil, false
	}
	return c.objects[i].object, true
}

// selection says which objects of a collection are meant.
type selection struct {
	namespace string // blank for all
	labels    meta.Selector
	fields    fieldSelector
}

// everything selects all objects.
func everything() selection { return selection{labels: meta.Everything()} }

func (s *selection) matches(m *metav1.ObjectMeta) bool {
	return (s.namespace == "" || m.Namespace == s.namespace) && s.labels.Matches(m.Labels) && s.fields.matches(m)
}

// list returns a new list, in the storage version, of the objects of a kind that are selected. What the items lead to belongs to the store and
// must not be changed.
func (s *store) list(gk schema.GroupKind, sel selection) (runtime.Object, error) {
	kind, err := s.scheme.StorageVersion(gk)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	found, version := s.selected(kind, sel), s.version
	s.mu.RUnlock()
	list := kind.ListKind().New()
	m, err := meta.ListAccessor(kind.ListKind(), list)
	if err != nil {
		return nil, err
	}
	m.ResourceVersion = strconv.FormatUint(version, 10)
	return list, meta.SetItems(kind.ListKind(), list, found...)
}

// selected returns the objects of a kind that are selected. The lock is held.
func (s *store) selected(kind *runtime.Kind, sel selection) (found []runtime.Object) {
	c := s.collections[kind.GroupVersionResource().GroupResource()]
	if c == nil {
		return nil
	}
	for _, o := range c.objects {
		if sel.matches(o.meta) {
			found = append(found, o.object)
		}
	}
	return found
}

// current returns the resource version of the latest change.
func (s *store) current() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// all yields every object with the kind that it is stored as, in the order of groups and kinds, as they were when it was called.
func (s *store) all() iter.Seq2[*runtime.Kind, stored] {
	collections := s.ordered()
	return func(yield func(*runtime.Kind, stored) bool) {
		for _, c := range collections {
			for _, o := range c.objects {
				if !yield(c.kind, o) {
					return
				}
			}
		}
	}
}

// ordered returns a copy of the collections in the order of groups and kinds.
func (s *store) ordered() []*collection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*collection
	for c := range maps.Values(s.collections) {
		out = append(out, &collection{kind: c.kind, objects: slices.Clone(c.objects)})
	}
	slices.SortFunc(out, func(a, b *collection) int {
		x, y := a.kind.GroupVersionKind(), b.kind.GroupVersionKind()
		return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Kind, y.Kind))
	})
	return out
}

// served reports whether objects of a kind are kept and served: whether it belongs to one of the groups and has lists.
func served(k *runtime.Kind) bool {
	return k.ListKind() != nil && k.Resource() != "" && slices.Contains(groups, k.GroupVersionKind().Group)
}

// newUID returns a UID of RFC 9562, version 8, that depends on nothing but the names, so that it is the same each time the program runs.
func newUID(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "/")))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
