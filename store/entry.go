package store

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// Key names an object of a resource. The namespace is blank for resources of cluster scope.
type Key struct{ Namespace, Name string }

// String returns "namespace/name", or the name alone if there is no namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// Entry is an object as it was stored at one revision. It keeps the object encoded and never
// changes.
type Entry struct {
	key      string // in the engine
	value    []byte // in the engine
	revision uint64
	known    atomic.Pointer[known]
	forms    atomic.Pointer[forms]
}

// TreeKey implements the interface of the internal tree of entries.
func (e *Entry) TreeKey() string { return e.key }

// known is what a resource has read from an entry, which belongs to it. It never changes.
type known struct {
	resource *Resource
	err      error    // the entry cannot be decoded; then the other fields are not set
	document document // the object
	labels   []string // alternating names and values, in the order of names
	fields   []string // the values of the declared fields, in the order of the declaration
	uid      string
}

// belongsTo reports whether a resource has read this.
func (k *known) belongsTo(r *Resource) bool { return k != nil && k.resource == r }

// at returns the entry with another revision: the last state of an object that is gone, or that has
// left what a watch selects.
func (e *Entry) at(revision uint64) *Entry {
	out := &Entry{key: e.key, value: e.value, revision: revision}
	out.known.Store(e.known.Load())
	return out
}

// decodable reports whether there is an entry, which belongs to a resource, and it can be decoded.
func (e *Entry) decodable() bool { return e != nil && e.known.Load().err == nil }

// resource returns the resource that the entry was got from.
func (e *Entry) resource() *Resource { return e.known.Load().resource }

// Key returns the name of the object.
func (e *Entry) Key() Key { return keyOf(e.key) }

// keyOf returns the name of the object that an engine has under a key, which is that of a resource.
func keyOf(key string) Key {
	_, rest, _ := strings.Cut(key, "/")
	_, rest, _ = strings.Cut(rest, "/")
	namespace, name, _ := strings.Cut(rest, "/")
	return Key{Namespace: namespace, Name: name}
}

// Revision returns the revision at which the object was written or, for the last state of a deleted
// object, deleted. It is 0 for an object that a dry run would have created.
func (e *Entry) Revision() uint64 { return e.revision }

// ResourceVersion returns the revision as objects state it, blank for 0.
func (e *Entry) ResourceVersion() string { return formatRevision(e.revision) }

// formatRevision returns a revision as objects state it.
func formatRevision(revision uint64) string {
	if revision == 0 {
		return ""
	}
	return strconv.FormatUint(revision, 10)
}

// Kind returns the kind of the object, in the storage version.
func (e *Entry) Kind() *runtime.Kind { return e.resource().Kind() }

// Object decodes the object, in the storage version and with its resourceVersion. It belongs to the
// caller.
func (e *Entry) Object() (runtime.Object, error) {
	k := e.known.Load()
	if k.err != nil { // it was deleted all the same
		return nil, k.err
	}
	return k.resource.decode(k.document, e.revision)
}

// Metadata decodes the metadata of the object, which belongs to the caller.
func (e *Entry) Metadata() (*metav1.ObjectMeta, error) {
	k := e.known.Load()
	if k.document.spliced() && !k.resource.untyped {
		if l, err := k.resource.Factory().Lazy(e.appendDocument(nil), k.resource.decodeOptions()); err == nil {
			return l.ObjectMeta()
		}
	}
	obj, err := e.Object()
	if err != nil {
		return nil, err
	}
	return metadataOf(k.resource.Kind(), obj)
}

// UID returns the uid of the object.
func (e *Entry) UID() string { return e.known.Load().uid }

// appendDocument appends the object as it is stored, with its resourceVersion if the document has a
// place for it.
func (e *Entry) appendDocument(dst []byte) []byte {
	return e.known.Load().document.append(dst, e.revision)
}

// Append appends what [serializer.Representation.Append] appends for the object. If the stored
// bytes, or bytes encoded before, are the same, it copies them.
func (e *Entry) Append(dst []byte, rep *serializer.Representation) ([]byte, error) {
	if e.known.Load().err == nil && e.resource().copies(rep) {
		return append(e.appendDocument(dst), '\n'), nil // documents are lines
	}
	return rep.Append(dst, e.Cached())
}

// Cached returns the entry for functions that take a [serializer.Cached] in place of an object,
// such as those of package httpapi. The encodings are cached within [Options].CacheBytes.
func (e *Entry) Cached() *serializer.Cached {
	if f := e.forms.Load(); f != nil {
		f.used.Store(true)
		return f.cached
	}
	f := e.resource().store.cache.forms(e)
	if !e.forms.CompareAndSwap(nil, f) {
		if other := e.forms.Load(); other != nil {
			return other.cached
		}
	}
	return f.cached
}

// metadataOf returns the metadata of an object. That of an untyped object is a copy.
func metadataOf(kind *runtime.Kind, obj runtime.Object) (*metav1.ObjectMeta, error) {
	if u, ok := obj.(interface {
		ObjectMeta() (*metav1.ObjectMeta, error)
	}); ok {
		return u.ObjectMeta()
	}
	return meta.Accessor(kind, obj)
}
