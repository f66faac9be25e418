package serializer

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Cached is an object that is encoded once for all who want it in the same form, such as the watchers of a resource:
//
//	event := serializer.NewCached(obj)
//	for _, w := range watchers {
//		err := w.Send(metav1.WatchAdded, event)
//	}
//
// It is given in place of the object to Append and Encode of a [Representation] or [Factory], and to [EventWriter.Send]; as an item of EncodeItems it stands for
// the object alone, because an item is not written as a document is. Representations count as
// the same if they come from one factory and were chosen alike, and their terms are equal: options of the type [*metav1.TableOptions] by
// what they say, others as values. A form is kept until the Cached is collected or [Cached.Drop] is called, so make one for each
// state of an object rather than one for each object. Ages in tables are those at the time when the table was first asked for, unless the terms state
// a time.
//
// A Cached is safe for any number of goroutines. It is no object of its own: a scheme does not know it.
type Cached struct {
	obj  runtime.Object
	size atomic.Int64

	mu    sync.Mutex
	forms []*form
}

// form is one encoded form of an object.
type form struct {
	key  formKey
	once sync.Once
	data []byte
	err  error
}

// formKey is all that what is written of an object depends on.
type formKey struct {
	factory *Factory
	shape   shape
	offered schema.GroupVersionKind
	options any
	now     int64  // the time that ages are counted from, 0 if it is that of the call
	event   string // the type of the event that is written, blank for the object alone
	first   bool   // with what only the first event of a stream has
}

// NewCached returns a Cached for the object, which must not be changed any more.
func NewCached(obj runtime.Object) *Cached { return &Cached{obj: obj} }

// Object returns the object.
func (c *Cached) Object() runtime.Object { return c.obj }

// Size returns how many bytes the encoded forms take that are kept.
func (c *Cached) Size() int64 { return c.size.Load() }

// Drop lets go of the encoded forms. They are made again when they are asked for.
func (c *Cached) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forms = nil
	c.size.Store(0)
}

// encoded returns the form for the key, which is made by the function if it is not there. It is not to be changed.
func (c *Cached) encoded(key formKey, encode func(dst []byte, obj runtime.Object) ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	i := slices.IndexFunc(c.forms, func(f *form) bool { return f.key == key })
	if i < 0 {
		i = len(c.forms)
		c.forms = append(c.forms, &form{key: key})
	}
	f := c.forms[i]
	c.mu.Unlock()
	f.once.Do(func() {
		f.err = errNotEncoded // stays if encode does not return
		obj, err := decoded(c.obj)
		if err != nil {
			f.err = err
			return
		}
		buf := key.factory.buffer()
		defer key.factory.release(buf)
		out, err := encode((*buf)[:0], obj)
		if f.err = err; err != nil {
			return
		}
		*buf = out
		f.data = slices.Clip(slices.Clone(out))
		c.count(f)
	})
	return f.data, f.err
}

// errNotEncoded is for those who wait for a form whose maker has panicked.
var errNotEncoded = errors.New("serializer: the object could not be encoded")

// count adds the size of a form, unless it was dropped while it was made.
func (c *Cached) count(f *form) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.forms, f) {
		c.size.Add(int64(cap(f.data)))
	}
}

// once appends what encode makes of an object to dst. That of a [Cached] is made once.
func once(dst []byte, obj runtime.Object, key func() (formKey, bool), encode func(dst []byte, obj runtime.Object) ([]byte, error)) ([]byte, error) {
	out, kept, err := encodeOnce(dst, obj, key, encode)
	if kept {
		return append(dst, out...), err
	}
	return out, err
}

// encodeOnce is the one place where the forms of a [Cached] are asked for: encode is called with the object inside, and only if the form with that
// key is not there. A key that is not ok stands for no form. A [Lazy] is decoded. If kept is true, out is the form that the Cached keeps, which is not to
// be changed; else it is dst and what was appended to it.
func encodeOnce(dst []byte, obj runtime.Object, key func() (formKey, bool), encode func(dst []byte, obj runtime.Object) ([]byte, error)) (out []byte, kept bool, err error) {
	c, ok := obj.(*Cached)
	if ok && c != nil {
		if k, ok := key(); ok {
			out, err = c.encoded(k, encode)
			return out, true, err
		}
		obj = c.obj
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

// decoded returns the object that a [Lazy] holds, and any other as it is.
func decoded(obj runtime.Object) (runtime.Object, error) {
	if l, ok := obj.(*Lazy); ok && l != nil {
		return l.Object()
	}
	return obj, nil
}

// key is what identifies the form that the representation writes.
func (r *Representation) key() (formKey, bool) {
	k := formKey{factory: r.factory, shape: r.shape, offered: r.offered, options: r.options, now: r.now}
	if o, ok := k.options.(*metav1.TableOptions); ok && o != nil {
		k.options = tableTermsOf(o)
	}
	return k, k.options == nil || reflect.ValueOf(k.options).Comparable()
}

// tableTerms is what [metav1.TableOptions] say, in a form that can be compared.
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

// key is what identifies the form that the options ask for, in a format of the factory.
func (f *Factory) key(format Format, o EncodeOptions) (formKey, bool) {
	media := slices.IndexFunc(f.mediaTypes, func(m mediaType) bool { return m.name == format.MediaTypes()[0] })
	return formKey{factory: f, shape: shape{media: media, target: o.Version.WithKind(""), pretty: o.Pretty}}, true
}
