package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/wire/jsonwire"
)

// UndecodableError reports that a stored object cannot be decoded. Find it with
// errors.AsType[*UndecodableError].
type UndecodableError struct {
	_ struct{} // literals name their fields

	// Resource and Key name the object.
	Resource schema.GroupResource
	Key      Key
	// Revision is that of the object.
	Revision uint64
	// Err is the cause.
	Err error
	// Stack is that of the panic if a function of the program panicked, such as a conversion.
	Stack []byte
}

// Error implements error.
func (e *UndecodableError) Error() string {
	return fmt.Sprintf("store: %s %q cannot be decoded: %v", e.Resource, e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *UndecodableError) Unwrap() error { return e.Err }

// Undecodable yields the undecodable objects, each with an [*UndecodableError]. It decodes objects
// that have not been decoded yet. They can be deleted with [WriteOptions].Undecodable.
func (r *Resource) Undecodable(ctx context.Context) iter.Seq2[Key, error] {
	return func(yield func(Key, error) bool) {
		for e := range r.store.state.Load().entries.From(r.prefix, PrefixEnd(r.prefix)) {
			if ctx.Err() != nil {
				return
			}
			if k := r.own(e).known.Load(); k.err != nil && !yield(e.Key(), k.err) {
				return
			}
		}
	}
}

// decodeOptions are those for what this package has written.
func (r *Resource) decodeOptions() serializer.DecodeOptions {
	o := serializer.DecodeOptions{MediaType: r.media}
	if r.untyped {
		o.Unknown = unstructured.Kind
	}
	return o
}

// decode returns the object of a document.
func (r *Resource) decode(d document, revision uint64) (runtime.Object, error) {
	obj, err := r.Factory().Decode(d.data, r.decodeOptions())
	if err != nil {
		return nil, err
	}
	return obj, r.setVersion(obj, formatRevision(revision))
}

// setVersion sets the resourceVersion of an object.
func (r *Resource) setVersion(obj runtime.Object, version string) error {
	if u, ok := obj.(*unstructured.Object); ok {
		u.SetResourceVersion(version)
		return nil
	}
	m, err := metadataOf(r.Kind(), obj)
	if err == nil {
		m.ResourceVersion = version
	}
	return err
}

// own returns an entry of the engine as this resource shows it, decoded if it has not been yet; nil
// for no entry. It is the entry itself, which belongs to the resource then. If it belongs to a
// removed resource of the same name, it is a copy, so that nothing changes for those who still read
// the entry.
//
// The document is that of the object as it is read now: decoded, defaulted, converted and encoded.
// If the bytes that are stored are the same, as they are unless types or defaults have changed
// since, they are shared.
func (r *Resource) own(e *Entry) *Entry {
	if e == nil {
		return nil
	}
	if e.known.Load().belongsTo(r) {
		return e
	}
	k, stack, err := r.tryRead(e)
	if err != nil {
		undecodable := &UndecodableError{
			Resource: r.resource, Key: e.Key(), Revision: e.revision, Err: err, Stack: stack,
		}
		k = &known{resource: r, err: undecodable}
		r.store.options.Undecodable(undecodable)
	}
	if r.gone.Load() == nil && e.known.CompareAndSwap(nil, k) || e.known.Load().belongsTo(r) {
		return e
	}
	out := &Entry{key: e.key, value: e.value, revision: e.revision}
	out.known.Store(k)
	return out
}

// tryRead is read, with a panic as an error. A stored object may lack what a function of the
// program relies on, and neither the other objects nor the goroutine that follows the engine depend
// on it.
func (r *Resource) tryRead(e *Entry) (k *known, stack []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			stack, err = debug.Stack(), fmt.Errorf("panic: %v", p)
		}
	}()
	k, err = r.read(e)
	return k, nil, err
}

// read reads what is stored.
func (r *Resource) read(e *Entry) (*known, error) {
	data, _, err := unwrap(e.value)
	if err != nil {
		return nil, err
	}
	obj, err := r.decodeStored(data, nil)
	if err != nil {
		return nil, err
	}
	if err := r.checkKind(obj); err != nil {
		return nil, err
	}
	k, meta, err := r.settle(obj)
	if err != nil {
		return nil, err
	}
	if stated := (Key{Namespace: meta.Namespace, Name: meta.Name}); stated != e.Key() {
		return nil, fmt.Errorf("the object states that it is %q", stated)
	}
	if bytes.Equal(k.document.data, data) {
		k.document.data = data
	}
	return k, nil
}

// decodeStored decodes what is stored, in any format and version, and converts it to the version of
// the resource. The function dropped may be nil.
func (r *Resource) decodeStored(data []byte, dropped func(conversion.DroppedValue)) (runtime.Object, error) {
	o := r.decodeOptions()
	o.MediaType, o.Default, o.Dropped = "", true, dropped
	if !r.untyped {
		o.Version = r.Kind().GroupVersion()
	}
	return r.Factory().Decode(data, o)
}

// checkKind returns an error for a stored object of another kind, such as one that was served under
// the name of the resource before.
func (r *Resource) checkKind(obj runtime.Object) error {
	if r.untyped {
		return nil
	}
	k, err := r.Factory().Scheme().KindOf(obj)
	if err == nil && k.GroupVersionKind() != r.Kind().GroupVersionKind() {
		err = fmt.Errorf("it is of the kind %s, but objects of %s are of the kind %s", k, r.resource, r.Kind())
	}
	return err
}

// settle brings an object, which it changes, into the form that is stored, and returns what is
// known about it.
func (r *Resource) settle(obj runtime.Object) (*known, *metav1.ObjectMeta, error) {
	if !r.untyped {
		if err := r.Factory().Scheme().Default(obj); err != nil {
			return nil, nil, err
		}
	}
	meta, err := metadataOf(r.Kind(), obj)
	if err != nil {
		return nil, nil, err
	}
	k := &known{resource: r, uid: meta.UID, labels: flatten(meta.Labels)}
	if k.document, err = r.encode(obj, meta); err != nil {
		return nil, nil, err
	}
	for _, f := range r.fields {
		switch {
		case f.Value != nil:
			k.fields = append(k.fields, f.Value(obj))
		case r.json:
			k.fields = append(k.fields, pathText(k.document.data, f.path))
		default:
			text, err := r.Kind().AppendJSON(nil, obj)
			if err != nil {
				return nil, nil, err
			}
			k.fields = append(k.fields, pathText(text, f.path))
		}
	}
	return k, meta, nil
}

// flatten returns the names and values of labels in the order of names. A map takes several times
// the memory.
func flatten(labels map[string]string) []string {
	if len(labels) == 0 {
		return nil
	}
	out := slices.AppendSeq(make([]string, 0, 2*len(labels)), maps.Keys(labels))
	slices.Sort(out)
	out = out[:2*len(labels)]
	for i := len(labels) - 1; i >= 0; i-- {
		out[2*i], out[2*i+1] = out[i], labels[out[i]]
	}
	return out
}

// texts are buffers for encoded objects.
var texts = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// release puts a buffer back, unless it is large.
func release(buf *[]byte) {
	if cap(*buf) <= 1<<20 {
		texts.Put(buf)
	}
}

// encode returns the document of an object, whose resourceVersion and selfLink it clears.
func (r *Resource) encode(obj runtime.Object, meta *metav1.ObjectMeta) (document, error) {
	if u, ok := obj.(*unstructured.Object); ok {
		u.SetResourceVersion(versionMark)
		if _, err := u.Delete("metadata", "selfLink"); err != nil {
			return document{}, err
		}
	} else {
		//lint:ignore SA1019 objects of old clients may have it
		meta.ResourceVersion, meta.SelfLink = versionMark, ""
	}
	if !r.json {
		if err := r.setVersion(obj, ""); err != nil {
			return document{}, err
		}
		data, err := r.Factory().Append(nil, obj, serializer.EncodeOptions{MediaType: r.media})
		return document{data: bytes.Clone(data)}, err
	}
	buf := texts.Get().(*[]byte)
	text, err := r.Kind().AppendJSON((*buf)[:0], obj)
	var out document
	if err == nil {
		err = readable(text)
	}
	if err == nil {
		out, err = cut(text, r.start)
	}
	*buf = text
	release(buf)
	return out, errors.Join(err, r.setVersion(obj, ""))
}

// readable returns an error for a text that nests too deeply to be read again. JSON in a request in
// protobuf is not measured, and a conversion may move a value to a deeper level.
func readable(text []byte) error {
	most := schema.Limits{}.OrDefaults().Depth
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) <= most { // nearly always
		return nil
	}
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if r.Skip(); r.Err() != nil {
		return metav1.BadRequest(fmt.Sprintf("the object has more than %d levels of nesting", most))
	}
	return nil
}

// prepare returns a new entry for an object of any version, which is not changed.
func (r *Resource) prepare(obj runtime.Object) (*Entry, error) {
	own, err := r.convert(obj)
	if err != nil {
		return nil, err
	}
	k, meta, err := r.settle(own)
	if err != nil {
		return nil, err
	}
	key, err := r.engineKey(Key{Namespace: meta.Namespace, Name: meta.Name})
	if err != nil {
		return nil, metav1.BadRequest(fmt.Sprintf("%s: %v", r.resource, err))
	}
	e := &Entry{key: key, value: k.document.data}
	e.known.Store(k)
	return e, nil
}

// convert returns a copy of an object in the storage version.
func (r *Resource) convert(obj runtime.Object) (runtime.Object, error) {
	if r.untyped {
		u, ok := obj.(*unstructured.Object)
		if !ok || u == nil {
			return nil, fmt.Errorf("store: objects of %s are untyped, but this is a %T", r.resource, obj)
		}
		gvk, err := u.GroupVersionKind()
		if err != nil {
			return nil, err
		}
		if gvk.GroupKind() != r.Kind().GroupVersionKind().GroupKind() {
			return nil, fmt.Errorf("store: objects of %s are of the kind %s, but this is a %s", r.resource, r.Kind(),
				gvk)
		}
		own := u.Clone()
		own.SetType(r.Kind().APIVersion(), r.Kind().Name())
		return own, nil
	}
	own, err := r.Factory().Scheme().ConvertTo(obj, r.Kind().GroupVersion())
	if err != nil {
		return nil, err
	}
	if err := r.Kind().Check(own); err != nil {
		return nil, fmt.Errorf("store: objects of %s are of the kind %s: %w", r.resource, r.Kind(), err)
	}
	return own, nil
}
