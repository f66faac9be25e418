package client

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Index finds objects of a [Cache] by something that they say.
type Index[T any] struct {
	// Name is the name for [Cache.By].
	Name string
	// Values returns what an object is found by. It must depend on nothing else but the object.
	Values func(*T) []string
}

// CacheOptions are the settings of a [Cache].
type CacheOptions[T any] struct {
	// Select are options of list and watch, Labels and Fields, for a cache of some objects.
	Select []Option
	// Indexes are by what else than their names objects are found.
	Indexes []Index[T]
	// OnChange is called for each change, by one goroutine at a time and in order, after the cache
	// has it.
	OnChange func(Change[T])
	// OnError is called when the server cannot be reached or refuses. The cache tries again.
	OnError func(error)
}

// Cache keeps the objects of a resource in memory and up to date while [Cache.Run] runs. It never
// has to be resynchronized: it goes on where it was when a connection breaks, and lists again when
// the server has forgotten where that was.
//
// All methods are safe for any number of goroutines. Objects are shared: do not change them.
type Cache[T any] struct {
	resource *Resource[T]
	options  CacheOptions[T]
	synced   chan struct{}
	once     sync.Once

	mu      sync.RWMutex
	objects map[Key]*T
	order   []Key // sorted; nil if it has to be made again
	indexes []map[string]map[Key]*T
	version string
}

// NewCache returns a cache of a resource. It is empty until [Cache.Run] runs.
func NewCache[T any](r *Resource[T], o CacheOptions[T]) *Cache[T] {
	c := &Cache[T]{
		resource: r, options: o, synced: make(chan struct{}), objects: map[Key]*T{},
		indexes: make([]map[string]map[Key]*T, len(o.Indexes)),
	}
	for i := range c.indexes {
		c.indexes[i] = map[string]map[Key]*T{}
	}
	return c
}

// Run keeps the cache up to date until the context is done, and returns its error. It is called
// once.
func (c *Cache[T]) Run(ctx context.Context) error {
	for change, err := range c.resource.Follow(ctx, c.options.Select...) {
		if err != nil {
			if c.options.OnError != nil {
				c.options.OnError(err)
			}
			continue
		}
		c.take(change)
		if change.Type == Synced {
			c.once.Do(func() { close(c.synced) })
		}
		if c.options.OnChange != nil {
			c.options.OnChange(change)
		}
	}
	return context.Cause(ctx)
}

// Wait waits until the cache has all objects that were there when it began, or the context is done,
// whose error it returns.
func (c *Cache[T]) Wait(ctx context.Context) error {
	select {
	case <-c.synced:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("client: the cache of %s has not been filled: %w", c.resource.groupResource(),
			context.Cause(ctx))
	}
}

// Get returns one object.
func (c *Cache[T]) Get(key Key) (*T, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	obj, ok := c.objects[key]
	return obj, ok
}

// Len returns how many objects the cache has.
func (c *Cache[T]) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.objects)
}

// List returns the objects of a namespace, or all of them if it is blank, in the order of
// namespaces and names.
func (c *Cache[T]) List(namespace string) []*T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.order == nil {
		c.order = sortedKeys(c.objects)
	}
	from, to := 0, len(c.order)
	if namespace != "" {
		from, _ = slices.BinarySearchFunc(c.order, Key{Namespace: namespace}, Key.compare)
		to, _ = slices.BinarySearchFunc(c.order, Key{Namespace: namespace + "\x00"}, Key.compare)
	}
	out := make([]*T, 0, to-from)
	for _, key := range c.order[from:to] {
		out = append(out, c.objects[key])
	}
	return out
}

// By returns the objects that an index finds by a value, in the order of namespaces and names. It
// has none for an index that the cache does not have.
func (c *Cache[T]) By(index, value string) []*T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	i := slices.IndexFunc(c.options.Indexes, func(x Index[T]) bool { return x.Name == index })
	if i < 0 {
		return nil
	}
	found := c.indexes[i][value]
	out := make([]*T, 0, len(found))
	for _, key := range sortedKeys(found) {
		out = append(out, found[key])
	}
	return out
}

// ResourceVersion returns the version of the collection that the cache shows, blank before the
// first list.
func (c *Cache[T]) ResourceVersion() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// take makes a change.
func (c *Cache[T]) take(change Change[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = change.ResourceVersion
	if change.Type == Synced {
		return
	}
	before, was := c.objects[change.Key]
	if was {
		c.unindex(change.Key, before)
	}
	if change.Type == Deleted {
		delete(c.objects, change.Key)
		c.order = nil
		return
	}
	c.objects[change.Key] = change.Object
	if !was {
		c.order = nil
	}
	for i, index := range c.options.Indexes {
		for _, value := range index.Values(change.Object) {
			if c.indexes[i][value] == nil {
				c.indexes[i][value] = map[Key]*T{}
			}
			c.indexes[i][value][change.Key] = change.Object
		}
	}
}

// unindex takes an object out of the indexes.
func (c *Cache[T]) unindex(key Key, obj *T) {
	for i, index := range c.options.Indexes {
		for _, value := range index.Values(obj) {
			delete(c.indexes[i][value], key)
			if len(c.indexes[i][value]) == 0 {
				delete(c.indexes[i], value)
			}
		}
	}
}
