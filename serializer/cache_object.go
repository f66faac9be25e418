package serializer

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// Cached is an object that is encoded once for all requests for the same form, such as the watches
// of a resource:
//
//	event := serializer.NewCached(obj)
//	for _, w := range watchers {
//		err := w.Send(metav1.WatchAdded, event)
//	}
//
// Pass it in place of the object to Append and Encode of a [Representation] or [Factory], and to
// [EventWriter.Send]. As an item of EncodeItems it stands for the object alone, because an item is
// not encoded like a document. Two representations have the same form if they come from one
// factory, were negotiated alike, and have equal terms; options of type [*metav1.TableOptions] are
// compared by value. Forms that belong to one request are not kept: those with links, and those
// whose terms request reports of dropped values. At most 64 forms are kept, because clients choose
// the options of tables; further forms are encoded each time. Forms live as long as the Cached, so
// make one for each state of an object rather than one for each object. Ages in tables are those at
// the time when the table was first requested, unless the terms state a time.
//
// A Cached is safe for concurrent use. It is not itself an object: where a scheme needs one, pass
// the result of [Cached.Object]. The zero value is not usable; use [NewCached].
type Cached struct {
	obj     runtime.Object
	options CachedOptions
	size    atomic.Int64

	mu    sync.Mutex
	forms []*form
}

// form is one encoded form of an object.
type form struct {
	key  formKey
	once sync.Once
	data []byte
	size atomic.Int64 // of data, once it has been counted
	err  error
}

// formKey holds everything that determines the encoded form of an object.
type formKey struct {
	factory weak.Pointer[Factory] // a form does not keep in memory what it was made with
	shape   shape
	offered schema.GroupVersionKind
	options any
	carry   int    // the limit of carried data
	now     int64  // the time to which ages are relative, 0 for the time of the call
	event   string // the type of the event, blank for the object alone
	first   bool   // with the parts that only the first event of a stream has
	plain   bool   // written by Factory.Append
}

// NewCached returns a Cached for the object, which must not be changed afterwards.
func NewCached(obj runtime.Object) *Cached { return &Cached{obj: obj} }

// CachedOptions describe a [Cached] whose object is not in memory and whose size the caller bounds.
// Stores use it.
type CachedOptions struct {
	_ struct{} // literals name their fields

	// Kind returns the kind of the object. It is a function so that a Cached does not keep a scheme
	// in memory. It must be set.
	Kind func() *runtime.Kind
	// Object returns the object. It is called for each form that has to be encoded, and its result
	// is not kept. It must be set.
	Object func() (runtime.Object, error)
	// Keep is called with the size of each encoded form, and reports whether to keep the form; nil
	// means always.
	Keep func(size int) bool
}

// NewCached returns a Cached with these options. It keeps the forms of the object in any version
// and of its metadata. Other forms, such as tables, depend on the time and on options chosen by
// clients, and are encoded each time.
func (o CachedOptions) NewCached() *Cached { return &Cached{options: o} }

// Object returns the object, decoded if it is not in memory. The caller must not change it.
func (c *Cached) Object() (runtime.Object, error) {
	if c.options.Object != nil {
		return c.options.Object()
	}
	return decoded(c.obj)
}

// Kind returns the kind of the object without decoding it.
func (c *Cached) Kind(s *runtime.Scheme) (*runtime.Kind, error) {
	if c.options.Kind != nil {
		return c.options.Kind(), nil
	}
	if l, ok := c.obj.(*Lazy); ok && l != nil {
		return l.Kind(), nil
	}
	return s.KindOf(c.obj)
}

// bounded reports whether a Cached with options keeps the form for a key. It removes the parts of
// the key that do not affect the form: an object in one of its own versions, or its metadata, has
// the same bytes at any time and with any options.
func (c *Cached) bounded(k *formKey) bool {
	kind := c.options.Kind()
	own, list := kind.Name(), ""
	if l := kind.ListKind(); l != nil {
		list = l.Name()
	}
	switch k.shape.target.Kind {
	case own, list, "", metadataKind, metadataKind + "List":
		k.now, k.options = 0, nil
		return true
	}
	return false
}

// Size returns the number of bytes in the forms that are kept.
func (c *Cached) Size() int64 { return c.size.Load() }

// encoded returns the form for the key, which it encodes with the function if necessary. The result
// must not be modified. ok is false if no more forms can be kept.
func (c *Cached) encoded(key formKey, encode func(dst []byte, obj runtime.Object) ([]byte, error)) (data []byte,
	ok bool,
	err error,
) {
	c.mu.Lock()
	i := slices.IndexFunc(c.forms, func(f *form) bool { return f.key == key })
	if i < 0 {
		c.forgetUnreachable()
		if len(c.forms) >= maxForms {
			c.mu.Unlock()
			return nil, false, nil
		}
		i = len(c.forms)
		c.forms = append(c.forms, &form{key: key})
	}
	f := c.forms[i]
	c.mu.Unlock()
	f.once.Do(func() {
		f.err = errPanicked // remains if encode does not return
		obj, err := c.Object()
		if err != nil {
			f.err = err
			return
		}
		factory := key.factory.Value() // the caller has it
		buf := factory.buffer()
		defer factory.release(buf)
		out, err := encode((*buf)[:0], obj)
		if f.err = err; err != nil {
			return
		}
		if cap(out) > maxPooled && len(out) > cap(out)-cap(out)/16 { // too large to be reused
			*buf, f.data = nil, slices.Clip(out)
		} else {
			*buf = out
			f.data = slices.Clip(slices.Clone(out))
		}
		f.size.Store(int64(cap(f.data)))
		c.size.Add(f.size.Load())
		if keep := c.options.Keep; keep != nil && !keep(len(f.data)) {
			c.forget(f)
		}
	})
	return f.data, true, f.err
}

// forgetUnreachable removes the forms whose factories are gone, so that nothing can ask for them.
// The caller holds the mutex.
func (c *Cached) forgetUnreachable() {
	c.forms = sorted.Delete(c.forms, func(f *form) bool {
		if f.key.factory.Value() != nil {
			return false
		}
		c.size.Add(-f.size.Load())
		return true
	})
}

// maxForms bounds the forms that one Cached keeps, because clients determine them, for example by
// the columns of tables. It exceeds the number of formats and versions of a typical server.
const maxForms = 64

// errPanicked is returned to goroutines that ask for what is made once, when that has panicked.
var errPanicked = errors.New("serializer: the object could not be encoded or decoded: a function of its kind panicked")

// metadataKind is the name of the kind that shows only metadata.
const metadataKind = "PartialObjectMetadata"

// forget removes one form. Only the goroutine that created it calls forget.
func (c *Cached) forget(f *form) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.forms, f)
	c.forms = slices.Delete(c.forms, i, i+1)
	c.size.Add(-int64(cap(f.data)))
}

// once appends the output of encode for an object to dst. For a [Cached], encode is called once for
// each form.
func once(dst []byte, obj runtime.Object, key func() (formKey, bool),
	encode func(dst []byte, obj runtime.Object) ([]byte, error),
) ([]byte, error) {
	out, kept, err := encodeOnce(dst, obj, key, encode)
	if kept {
		return append(dst, out...), err
	}
	return out, err
}

// encodeOnce is the only place that requests forms of a [Cached]: encode is called with the object
// inside, and only if the form with that key does not exist. If key returns false, the form is not
// cached. A [Lazy] is decoded. If kept is true, out is the form in the Cached, which must not be
// modified; otherwise it is dst with the appended output.
func encodeOnce(dst []byte, obj runtime.Object, key func() (formKey, bool),
	encode func(dst []byte, obj runtime.Object) ([]byte, error),
) (out []byte, kept bool, err error) {
	c, ok := obj.(*Cached)
	if ok && c != nil {
		k, ok := key()
		if ok && c.options.Object != nil {
			ok = c.options.Kind != nil && c.bounded(&k)
		}
		if ok && (k.options == nil || reflect.ValueOf(k.options).Comparable()) {
			if out, kept, err = c.encoded(k, encode); kept {
				return out, true, err
			}
		}
		if obj, err = c.Object(); err != nil {
			return dst, false, err
		}
	}
	if obj, err = decoded(obj); err != nil {
		return dst, false, err
	}
	out, err = encode(dst, obj)
	return out, false, err
}

// wrapped reports whether an object is a [Cached] or a [Lazy].
func wrapped(obj runtime.Object) bool {
	switch obj.(type) {
	case *Cached, *Lazy:
		return true
	}
	return false
}

// decoded returns the object in a [Lazy], and any other object unchanged.
func decoded(obj runtime.Object) (runtime.Object, error) {
	if l, ok := obj.(*Lazy); ok && l != nil {
		return l.Object()
	}
	return obj, nil
}

// key returns the key of the form that the representation writes. It returns false if the form
// belongs to one request: it has links, or the terms request a report of dropped values.
func (r *Representation) key() (formKey, bool) {
	k := formKey{
		factory: r.factory.self, shape: r.shape, offered: r.offered, options: r.options,
		carry: r.scope.CarryLimit(), now: r.now,
	}
	if o, ok := k.options.(*metav1.TableOptions); ok && o != nil {
		k.options = tableTermsOf(o)
	}
	return k, r.place == nil && !r.scope.ReportsDropped()
}

// tableTerms holds the values of [metav1.TableOptions] in comparable form.
type tableTerms struct {
	include         metav1.IncludeObjectPolicy
	noHeaders, wide string
	labels, sortBy  string
}

func tableTermsOf(o *metav1.TableOptions) tableTerms {
	t := tableTerms{include: o.IncludeObject}
	if o.NoHeaders != nil {
		t.noHeaders = strconv.FormatBool(*o.NoHeaders)
	}
	if o.Wide != nil {
		t.wide = strconv.FormatBool(*o.Wide)
	}
	if len(o.LabelColumns) > 0 {
		t.labels = fmt.Sprintf("%q", o.LabelColumns)
	}
	if len(o.SortBy) > 0 {
		t.sortBy = fmt.Sprintf("%q", o.SortBy)
	}
	return t
}

// key returns the key of the form that the options request, in a format of the factory.
func (f *Factory) key(fm *format.Format, o EncodeOptions) (formKey, bool) {
	media := slices.IndexFunc(f.mediaTypes, func(m mediaType) bool { return m.Name == fm.MediaTypes[0] })
	return formKey{
		factory: f.self, shape: shape{media: media, target: o.Version.WithKind(""), pretty: o.Pretty},
		carry: f.sharing.CarryLimit(), plain: true,
	}, true
}
