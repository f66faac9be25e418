package kubeadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	kmeta "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/askind/askind/meta/selector"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
)

// Storage keeps objects of one kind under keys such as /pods/namespace/name.
type Storage struct {
	options Options
	factory *serializer.Factory

	mu       sync.RWMutex
	store    *store.Store
	resource *store.Resource

	// tokens are those of the store by those that callers have, who expect to find a key in them.
	tokens sync.Map
}

var _ storage.Interface = (*Storage)(nil)

// Options describe a [Storage].
type Options struct {
	Engine store.Engine
	// Prefix is what keys begin with, such as /pods/, and Resource the name of the resource.
	Prefix, Resource string
	Kind             schema.GroupVersionKind
	// Codec writes objects as JSON in the version of the kind, and reads them as the caller has
	// them.
	Codec kruntime.Codec
	// New returns a new object.
	New func() kruntime.Object
	// Cluster says that keys have no namespace.
	Cluster bool
	// Fields are the paths of the fields that objects can be selected by.
	Fields []string
}

// New opens a store on an engine.
func New(ctx context.Context, o Options) (*Storage, error) {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		return nil, err
	}
	s := &Storage{options: o}
	if s.factory, err = serializer.NewFactory(scheme, askindjson.Format()); err != nil {
		return nil, err
	}
	return s, s.Reopen(ctx)
}

// Reopen opens the store anew, so that it has no more of the past than its engine.
func (s *Storage) Reopen(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			return err
		}
	}
	var err error
	if s.store, err = store.Open(ctx, s.options.Engine, store.Options{}); err != nil {
		return err
	}
	o := store.ResourceOptions{
		Factory: s.factory, Kind: s.options.Kind, Untyped: true, Resource: s.options.Resource,
		Scope: runtime.Namespaced,
	}
	if s.options.Cluster {
		o.Scope = runtime.Cluster
	}
	for _, path := range s.options.Fields {
		o.Fields = append(o.Fields, store.Field{Path: path, Index: true})
	}
	s.resource, err = s.store.Add(o)
	return err
}

// Close closes the store.
func (s *Storage) Close() error { return s.store.Close() }

// objects returns the resource.
func (s *Storage) objects() *store.Resource {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.resource
}

// nothing is a name that no object has.
const nothing = "."

// key returns what a key names: an object or, if it is recursive, the objects of a namespace or
// all.
func (s *Storage) key(key string, recursive bool) (store.Key, error) {
	key, err := storage.PrepareKey(s.options.Prefix, key, recursive)
	if err != nil {
		return store.Key{}, err
	}
	parts := strings.Split(strings.TrimPrefix(key, s.options.Prefix), "/")
	directories := len(parts) - 1
	if !recursive && parts[directories] == "" {
		parts[directories] = nothing
	}
	switch {
	case recursive && directories == 0:
		return store.Key{}, nil
	case recursive && directories == 1 && !s.options.Cluster:
		return store.Key{Namespace: parts[0]}, nil
	case recursive:
		return store.Key{Name: nothing}, nil
	case s.options.Cluster && (directories == 0 || directories == 1 && parts[0] == ""):
		return store.Key{Name: parts[directories]}, nil
	case directories == 1 && !s.options.Cluster:
		return store.Key{Namespace: parts[0], Name: parts[1]}, nil
	}
	return store.Key{Namespace: nothing, Name: nothing}, nil
}

// ours returns an object as it is stored.
func (s *Storage) ours(obj kruntime.Object) (*unstructured.Object, error) {
	text, err := kruntime.Encode(s.options.Codec, obj)
	if err != nil {
		return nil, err
	}
	out := new(unstructured.Object)
	return out, out.UnmarshalJSON(text)
}

// theirs reads an object into one of the caller.
func (s *Storage) theirs(obj runtime.Object, out kruntime.Object) error {
	text, err := obj.(*unstructured.Object).MarshalJSON()
	if err != nil {
		return err
	}
	v := reflect.ValueOf(out).Elem()
	v.Set(reflect.Zero(v.Type()))
	return kruntime.DecodeInto(s.options.Codec, text, out)
}

// read reads an entry into an object of the caller, unless that is nil.
func (s *Storage) read(e *store.Entry, out kruntime.Object) error {
	if out == nil {
		return nil
	}
	obj, err := e.Object()
	if err != nil {
		return err
	}
	return s.theirs(obj, out)
}

// failed returns an error as callers of the interface expect it.
func failed(key string, err error) error {
	status, ok := errors.AsType[*metav1.StatusError](err)
	if !ok {
		return err
	}
	switch metav1.ReasonOf(err) {
	case metav1.StatusReasonNotFound:
		return storage.NewKeyNotFoundError(key, 0)
	case metav1.StatusReasonAlreadyExists:
		return storage.NewKeyExistsError(key, 0)
	case metav1.StatusReasonConflict:
		return storage.NewResourceVersionConflictsError(key, 0)
	case metav1.StatusReasonExpired:
		text := "The resourceVersion for the provided list is too old."
		if status.Status.Continue != "" {
			text = "The provided continue parameter is too old to display a consistent list result."
		}
		return apierrors.NewResourceExpired(text)
	}
	text, failure := json.Marshal(status.Status)
	out := &apierrors.StatusError{}
	if failure = errors.Join(failure, json.Unmarshal(text, &out.ErrStatus)); failure != nil {
		return errors.Join(err, failure)
	}
	return out
}

// Versioner implements storage.Interface.
func (s *Storage) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

// Create implements storage.Interface.
func (s *Storage) Create(ctx context.Context, key string, obj, out kruntime.Object, ttl uint64) error {
	if version, err := s.Versioner().ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	k, err := s.key(key, false)
	if err != nil {
		return err
	}
	e, err := s.replace(ctx, k, nil, obj, &ttl)
	if err != nil {
		return failed(key, err)
	}
	return s.read(e, out)
}

// Delete implements storage.Interface. The object that the caller remembers is not needed, because
// all of them are in memory.
func (s *Storage) Delete(ctx context.Context, key string, out kruntime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ kruntime.Object, _ storage.DeleteOptions,
) error {
	k, err := s.key(key, false)
	if err != nil {
		return err
	}
	e, err := s.objects().Delete(ctx, k, store.WriteOptions{}, func(ctx context.Context, current runtime.Object) error {
		obj := s.options.New()
		if err := s.theirs(current, obj); err != nil {
			return err
		}
		if err := preconditions.Check(key, obj); err != nil {
			return err
		}
		return validate(ctx, obj)
	})
	if err != nil {
		return failed(key, err)
	}
	return s.read(e, out)
}

// Get implements storage.Interface.
func (s *Storage) Get(ctx context.Context, key string, o storage.GetOptions, out kruntime.Object) error {
	k, err := s.key(key, false)
	if err != nil {
		return err
	}
	e, err := s.objects().Get(ctx, k, store.GetOptions{ResourceVersion: o.ResourceVersion})
	if o.IgnoreNotFound && metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return kruntime.SetZeroValue(out)
	}
	if err != nil {
		return failed(key, err)
	}
	return s.read(e, out)
}

// GuaranteedUpdate implements storage.Interface. The function says only when it has been called how
// long the object is to be kept, so what it returns is written under the revision that it was
// given.
func (s *Storage) GuaranteedUpdate(ctx context.Context, key string, out kruntime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ kruntime.Object,
) error {
	k, err := s.key(key, false)
	if err != nil {
		return err
	}
	for {
		before, err := s.objects().Get(ctx, k, store.GetOptions{})
		if missing := metav1.ReasonOf(err) == metav1.StatusReasonNotFound; err != nil && (!missing || !ignoreNotFound) {
			return failed(key, err)
		}
		current, version := s.options.New(), uint64(0)
		if before != nil {
			version = before.Revision()
			if err := s.read(before, current); err != nil {
				return err
			}
		}
		if err := preconditions.Check(key, current); err != nil {
			return err
		}
		changed, ttl, err := update(current, storage.ResponseMeta{ResourceVersion: version})
		if err != nil {
			return err
		}
		e, err := s.replace(ctx, k, before, changed, ttl)
		switch metav1.ReasonOf(err) {
		case metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists, metav1.StatusReasonNotFound:
			continue
		}
		if err != nil {
			return failed(key, err)
		}
		return s.read(e, out)
	}
}

// replace writes an object if the one before is still there.
func (s *Storage) replace(ctx context.Context, key store.Key, before *store.Entry, obj kruntime.Object,
	ttl *uint64,
) (*store.Entry, error) {
	own, err := s.ours(obj)
	if err != nil {
		return nil, err
	}
	if stated := (store.Key{Namespace: own.Namespace(), Name: own.Name()}); stated != key {
		return nil, fmt.Errorf("the object of the key %s states that it is %s", key, stated)
	}
	var o store.WriteOptions
	if ttl != nil {
		o.TTL = time.Duration(*ttl) * time.Second
	}
	if before == nil {
		return s.objects().Create(ctx, own, o)
	}
	o.ResourceVersion = before.ResourceVersion()
	return s.objects().Update(ctx, key, o, func(context.Context, runtime.Object) (runtime.Object, error) {
		return own, nil
	})
}

// selects returns the selectors of a predicate.
func selects(p storage.SelectionPredicate) (labels selector.Selector, fields store.FieldSelector, err error) {
	if p.Label != nil {
		labels, err = selector.Parse(p.Label.String())
	}
	if p.Field != nil && err == nil {
		fields, err = store.ParseFieldSelector(p.Field.String())
	}
	return labels, fields, err
}

// GetList implements storage.Interface.
func (s *Storage) GetList(ctx context.Context, key string, o storage.ListOptions, out kruntime.Object) error {
	k, err := s.key(key, o.Recursive)
	if err != nil {
		return err
	}
	options := store.ListOptions{
		Namespace: k.Namespace, Name: k.Name, ResourceVersion: o.ResourceVersion,
		ResourceVersionMatch: metav1.ResourceVersionMatch(o.ResourceVersionMatch), Undecodable: true,
	}
	if o.Recursive { // a list of one object has no pages
		options.Limit, options.Continue = o.Predicate.Limit, o.Predicate.Continue
		if token, ok := s.tokens.Load(options.Continue); ok {
			options.Continue = token.(string)
		}
	}
	if options.Labels, options.Fields, err = selects(o.Predicate); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	l, err := s.objects().List(ctx, options)
	if err != nil {
		return failed(key, err)
	}
	items := []kruntime.Object{}
	for obj, err := range l.Objects() {
		if err != nil {
			return err
		}
		item := s.options.New()
		if err := s.theirs(obj, item); err != nil {
			return err
		}
		items = append(items, item)
	}
	if err := meta.SetList(out, items); err != nil {
		return err
	}
	var remaining *int64
	if n, ok := l.Remaining(); ok {
		remaining = &n
	}
	token, err := s.token(key, l)
	if err != nil {
		return err
	}
	return s.Versioner().UpdateList(out, l.Revision(), token, remaining)
}

// token returns the continue token of a list as callers expect it.
func (s *Storage) token(key string, l *store.List) (string, error) {
	if l.Continue() == "" {
		return "", nil
	}
	var last store.Key
	for e := range l.Entries() {
		last = e.Key()
	}
	prefix := strings.TrimSuffix(key, "/") + "/"
	out, err := storage.EncodeContinue(s.options.Prefix+last.String()+"\x00", prefix, int64(l.Revision()))
	s.tokens.Store(out, l.Continue())
	return out, err
}

// Stats implements storage.Interface.
func (s *Storage) Stats(context.Context) (storage.Stats, error) {
	return storage.Stats{ObjectCount: s.objects().Count("")}, nil
}

// ReadinessCheck implements storage.Interface.
func (s *Storage) ReadinessCheck() error { return nil }

// RequestWatchProgress implements storage.Interface. A watch knows the revision of its store
// without being told.
func (s *Storage) RequestWatchProgress(context.Context) error { return nil }

// GetCurrentResourceVersion implements storage.Interface.
func (s *Storage) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	return s.options.Engine.Revision(ctx)
}

// EnableResourceSizeEstimation implements storage.Interface.
func (s *Storage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// CompactRevision implements storage.Interface. Stores do not say what they have forgotten.
func (s *Storage) CompactRevision() int64 { return 0 }

// Watch implements storage.Interface.
func (s *Storage) Watch(ctx context.Context, key string, o storage.ListOptions) (watch.Interface, error) {
	k, err := s.key(key, o.Recursive)
	if err != nil {
		return nil, err
	}
	options := store.WatchOptions{
		Namespace: k.Namespace, Name: k.Name, ResourceVersion: o.ResourceVersion,
		Bookmarks: o.Predicate.AllowWatchBookmarks,
	}
	if options.Labels, options.Fields, err = selects(o.Predicate); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	options.Initial = o.ResourceVersion == "" || o.ResourceVersion == "0"
	if o.SendInitialEvents != nil {
		options.Initial = *o.SendInitialEvents
	}
	closing := options.Initial && o.SendInitialEvents != nil && options.Bookmarks
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{storage: s, cancel: cancel, events: make(chan watch.Event, 100)}
	resource := s.objects()
	inner, err := resource.Watch(ctx, options)
	if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		cancel()
		return nil, failed(key, err)
	}
	flowcontrol.WatchInitialized(ctx)
	go func() {
		defer close(w.events)
		defer cancel()
		if err == nil {
			defer inner.Close()
			err = w.run(ctx, resource, inner, closing, options.Bookmarks)
		}
		if err != nil && ctx.Err() == nil {
			w.send(ctx, watch.Event{Type: watch.Error, Object: statusOf(failed(key, err))})
		}
	}()
	return w, nil
}

// statusOf returns an error as watches report it.
func statusOf(err error) *kmeta.Status {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return &status.ErrStatus
	}
	return &kmeta.Status{Status: kmeta.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
}

// watcher reads a watch and sends what it gets.
type watcher struct {
	storage *Storage
	cancel  context.CancelFunc
	events  chan watch.Event
}

// Stop implements watch.Interface.
func (w *watcher) Stop() { w.cancel() }

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

// send sends an event, and reports whether somebody took it.
func (w *watcher) send(ctx context.Context, e watch.Event) bool {
	select {
	case w.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// object sends an event with an entry.
func (w *watcher) object(ctx context.Context, kind string, obj runtime.Object, err error) error {
	if err != nil {
		return err
	}
	out := w.storage.options.New()
	if err := w.storage.theirs(obj, out); err != nil {
		return err
	}
	if !w.send(ctx, watch.Event{Type: watch.EventType(kind), Object: out}) {
		return ctx.Err()
	}
	return nil
}

func (w *watcher) run(ctx context.Context, r *store.Resource, inner *store.Watch, closing, bookmarks bool) error {
	if l := inner.Initial(); l != nil {
		for obj, err := range l.Objects() {
			if err := w.object(ctx, metav1.WatchAdded, obj, err); err != nil {
				return err
			}
		}
		if closing {
			obj, err := r.Bookmark(l.Revision(), true)
			if err := w.object(ctx, metav1.WatchBookmark, obj, err); err != nil {
				return err
			}
		}
	}
	stream := inner.Stream(bookmarks)
	for {
		events, err := stream.Next(make([]serializer.Event, 0, 16))
		if err != nil {
			return err
		}
		for _, e := range events {
			obj, err := w.decoded(e)
			if err := w.object(ctx, e.Type, obj, err); err != nil {
				return err
			}
		}
		if len(events) == 0 {
			if err := stream.Wait(ctx); err != nil {
				return err
			}
		}
	}
}

// decoded returns the object of an event.
func (w *watcher) decoded(e serializer.Event) (runtime.Object, error) {
	if c, ok := e.Object.(*serializer.Cached); ok {
		return c.Object()
	}
	return e.Object.(runtime.Object), nil
}
