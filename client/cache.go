package client

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Index finds objects of a [Cache] by values computed from them.
type Index[T any] struct {
	// Name is the name for [Cache.By].
	Name string
	// Values returns the values of an object in the index. It must depend only on the object.
	Values func(*T) []string
}

// CacheOptions are the settings of a [Cache].
type CacheOptions[T any] struct {
	// Select restricts the cache to some objects. It takes the options Labels, Fields and Shard.
	Select []Option
	// Indexes are used by [Cache.By].
	Indexes []Index[T]
	// OnChange is called for each change, in order and never concurrently, after the cache has
	// applied it.
	OnChange func(Change[T])
	// OnError is called when the server cannot be reached or rejects a request. The cache retries.
	OnError func(error)
}

// Cache keeps the objects of a resource in memory and up to date while [Cache.Run] runs. There is
// no periodic resync: when a connection breaks, the cache resumes at its last resource version, and
// it lists again when that version has expired. What a program writes is in its cache when the
// server has sent it back: until then a second Create is an AlreadyExists, and an Update of what
// the cache has is a Conflict, which [Resource.Change] avoids.
//
// All methods are safe for concurrent use. Objects are shared: do not modify them.
type Cache[T any] struct {
	resource *Resource[T]
	options  CacheOptions[T]
	synced   chan struct{}
	once     sync.Once

	mu      sync.RWMutex
	objects map[Key]*T
	order   []Key // sorted; nil if it is out of date
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

// Run keeps the cache up to date until the context is done, and returns the context's error. Call
// it once.
func (c *Cache[T]) Run(ctx context.Context) error {
	f := newFollower(c.resource, c.options.Select)
	f.yield = func(change Change[T], err error) bool {
		if err != nil {
			if c.options.OnError != nil {
				c.options.OnError(err)
			}
			return true
		}
		c.take(change, f.version != "")
		if change.Type == Synced {
			c.once.Do(func() { close(c.synced) })
		}
		if c.options.OnChange != nil {
			c.options.OnChange(change)
		}
		return true
	}
	f.run(ctx)
	return context.Cause(ctx)
}

// Wait blocks until the cache has all objects of its first list. If the context is done before, it
// returns the context's error.
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

// List returns the objects of a namespace, or of all namespaces if it is blank, sorted by namespace
// and name.
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

// By returns the objects that have a value in an index, sorted by namespace and name. It returns
// none if the cache has no such index.
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

// ResourceVersion returns the version of the collection in the cache, blank before the first list.
// It is that of a new list when the cache has all its objects.
func (c *Cache[T]) ResourceVersion() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// take applies a change. The cache is complete afterwards, unless other changes of the same list
// follow.
func (c *Cache[T]) take(change Change[T], complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if complete && change.ResourceVersion != "" {
		c.version = change.ResourceVersion
	}
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

// unindex removes an object from the indexes.
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
