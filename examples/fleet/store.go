package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// store keeps objects in memory, each in the storage version of its kind. It is filled by one goroutine and then only read, by any number of
// them.
//
// The objects that it hands out are its own. Nobody changes them: encoding, converting and showing objects never write to their input, so no
// request needs a copy.
type store struct {
	scheme *runtime.Scheme
	now    func() time.Time

	collections map[schema.GroupResource]*collection
	version     uint64 // the resource version of the latest object
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
	version uint64 // its resource version, which is the order of reading
}

// newStore returns an empty store. The clock dates objects that have no date.
func newStore(scheme *runtime.Scheme, now func() time.Time) *store {
	return &store{scheme: scheme, now: now, collections: map[schema.GroupResource]*collection{}}
}

// add puts an object of any version into the store, as a copy in the storage version. Once there, it gets what only that version has a default
// for, must be valid there too, and gets what servers write: uid, resourceVersion, generation and, if it has none, its creationTimestamp.
func (s *store) add(ctx context.Context, obj runtime.Object, source string) error {
	from, err := s.scheme.KindOf(obj)
	if err != nil {
		return err
	}
	if !served(from) {
		return fmt.Errorf("objects of %s are not served here", from)
	}
	kind, err := s.scheme.StorageVersion(from.GroupVersionKind().GroupKind())
	if err != nil {
		return err
	}
	if obj, err = s.scheme.ConvertTo(obj, kind.GroupVersion()); err != nil {
		return err
	}
	if err := s.scheme.Default(obj); err != nil {
		return err
	}
	m, err := meta.Accessor(kind, obj)
	if err != nil {
		return err
	}
	if kind.Scope() == runtime.Namespaced {
		m.Namespace = cmp.Or(m.Namespace, metav1.NamespaceDefault)
	}
	if err := s.scheme.Validate(ctx, obj); err != nil {
		return err
	}
	return s.insert(kind, stored{meta: m, object: obj, source: source})
}

func (s *store) insert(kind *runtime.Kind, o stored) error {
	gr := kind.GroupVersionResource().GroupResource()
	c := s.collections[gr]
	if c == nil {
		c = &collection{kind: kind}
		s.collections[gr] = c
	}
	i, found := c.find(o.meta.Namespace, o.meta.Name)
	if found {
		return fmt.Errorf("it is there already, from %s", c.objects[i].source)
	}
	s.version++
	o.version = s.version
	o.meta.ResourceVersion = strconv.FormatUint(s.version, 10)
	o.meta.UID = newUID(gr.String(), o.meta.Namespace, o.meta.Name)
	o.meta.Generation = max(o.meta.Generation, 1)
	if o.meta.CreationTimestamp.IsZero() {
		o.meta.CreationTimestamp = metav1.NewTime(s.now())
	}
	c.objects = slices.Insert(c.objects, i, o)
	return nil
}

// find returns the index of an object, or the one where it belongs.
func (c *collection) find(namespace, name string) (int, bool) {
	return slices.BinarySearchFunc(c.objects, name, func(o stored, name string) int {
		return cmp.Or(cmp.Compare(o.meta.Namespace, namespace), cmp.Compare(o.meta.Name, name))
	})
}

// get returns an object in the storage version. It must not be changed.
func (s *store) get(gr schema.GroupResource, namespace, name string) (runtime.Object, bool) {
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

// list returns a new list, in the storage version, of the objects of a kind that a selector selects: those of a namespace or, if that is
// blank, of all. What the items lead to belongs to the store and must not be changed.
func (s *store) list(gk schema.GroupKind, namespace string, selector meta.Selector) (runtime.Object, error) {
	kind, err := s.scheme.StorageVersion(gk)
	if err != nil {
		return nil, err
	}
	var found []runtime.Object
	if c := s.collections[kind.GroupVersionResource().GroupResource()]; c != nil {
		for _, o := range c.objects {
			if (namespace == "" || o.meta.Namespace == namespace) && selector.Matches(o.meta.Labels) {
				found = append(found, o.object)
			}
		}
	}
	list := kind.ListKind().New()
	m, err := meta.ListAccessor(kind.ListKind(), list)
	if err != nil {
		return nil, err
	}
	m.ResourceVersion = strconv.FormatUint(s.version, 10)
	return list, meta.SetItems(kind.ListKind(), list, found...)
}

// all yields every object with the kind that it is stored as, in the order of groups and kinds.
func (s *store) all() iter.Seq2[*runtime.Kind, stored] {
	return func(yield func(*runtime.Kind, stored) bool) {
		for _, c := range s.ordered() {
			for _, o := range c.objects {
				if !yield(c.kind, o) {
					return
				}
			}
		}
	}
}

// ordered returns the collections in the order of groups and kinds.
func (s *store) ordered() []*collection {
	return slices.SortedFunc(maps.Values(s.collections), func(a, b *collection) int {
		x, y := a.kind.GroupVersionKind(), b.kind.GroupVersionKind()
		return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Kind, y.Kind))
	})
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
