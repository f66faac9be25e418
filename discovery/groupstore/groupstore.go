// Package groupstore keeps the Groups and the records of a discovery.Controller in a store.
//
//	groups, err := st.Add(store.ResourceOptions{Factory: f, Kind: v1alpha1.GroupVersion.WithKind("Group")})
//	storage, err := groupstore.New(groups, groupstore.Options{})
//	c, err := discovery.NewController(discovery.ControllerConfig{Storage: storage, Server: hostname})
//
// Groups are ordinary objects, which a server serves. Records are objects of a kind that is never
// served, in the same store.
//
// # Related packages
//
// Package discovery has the controller. Package store stores the objects.
package groupstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// RecordKind is the kind of the objects that hold records.
var RecordKind = schema.GroupVersionKind{Group: "records.discovery.k8s.io", Version: "v1alpha1", Kind: "Record"}

// Options holds the settings of [New].
type Options struct {
	// Complete, if not nil, is called for each new Group before it is stored, to set its UID and
	// creation time.
	Complete func(*v1alpha1.Group)
}

// Storage is a [discovery.Storage]. Changed must not be called concurrently; the other methods are
// safe for concurrent use.
type Storage struct {
	Objects
	groups, records *store.Resource
	watches         []*store.Watch
}

// New returns a storage for the Groups of a resource. It adds a resource for the records to the
// store of that resource, unless it exists.
func New(groups *store.Resource, o Options) (*Storage, error) {
	gr := schema.GroupResource{Group: RecordKind.Group, Resource: "records"}
	records, ok := groups.Store().Resource(gr)
	if !ok {
		var err error
		records, err = groups.Store().Add(store.ResourceOptions{
			Factory: groups.Factory(), Kind: RecordKind, Untyped: true, Resource: gr.Resource,
			Scope: runtime.Namespaced,
		})
		if err != nil {
			return nil, err
		}
	}
	find := func() (*store.Resource, error) { return groups, nil }
	return &Storage{Objects: Objects{Resource: find, Complete: o.Complete}, groups: groups, records: records}, nil
}

// conflict makes errors.Is find [metav1.ErrConflict] in the errors of conflicting writes.
func conflict(err error) error {
	switch metav1.ReasonOf(err) {
	case metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists, metav1.StatusReasonNotFound:
		return fmt.Errorf("%w: %w", metav1.ErrConflict, err)
	}
	return err
}

// keyOf returns the key of the object that holds a record: the last segment is the name, the
// preceding segments are the namespace.
func keyOf(record string) store.Key {
	i := strings.LastIndexByte(record, '/')
	return store.Key{Namespace: strings.ReplaceAll(record[:i], "/", ":"), Name: record[i+1:]}
}

// Records implements [discovery.Storage].
func (s *Storage) Records(ctx context.Context, prefix string) ([]discovery.Record, error) {
	o := store.ListOptions{}
	if strings.Count(prefix, "/") == 2 || prefix == "leases/" { // all in one namespace
		o.Namespace = keyOf(prefix).Namespace
	}
	list, err := s.records.List(ctx, o)
	if err != nil {
		return nil, err
	}
	var out []discovery.Record
	for e := range list.Entries() {
		key := strings.Replace(e.Key().Namespace, ":", "/", 1) + "/" + e.Key().Name // a group may have a colon
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		obj, err := e.Object()
		if err != nil {
			return nil, err
		}
		u, ok := obj.(*unstructured.Object)
		if !ok {
			return nil, fmt.Errorf("groupstore: the record %s is stored as a %T", key, obj)
		}
		value, _, err := u.String("value")
		if err != nil {
			return nil, err
		}
		out = append(out, discovery.Record{Key: key, Value: []byte(value), Revision: e.Revision()})
	}
	return out, nil
}

// PutRecord implements [discovery.Storage]. A record that cannot be decoded is deleted first.
func (s *Storage) PutRecord(ctx context.Context, key string, value []byte) error {
	at := keyOf(key)
	for {
		_, err := s.records.Update(ctx, at, store.WriteOptions{CreateIfMissing: true},
			func(context.Context, runtime.Object) (runtime.Object, error) {
				obj := unstructured.New(RecordKind)
				obj.SetNamespace(at.Namespace)
				obj.SetName(at.Name)
				return obj, obj.Set(string(value), "value")
			})
		bad, ok := errors.AsType[*store.UndecodableError](err)
		if !ok {
			return err
		}
		if err := s.DeleteRecord(ctx, key, bad.Revision); err != nil && !errors.Is(err, metav1.ErrConflict) {
			return err
		}
	}
}

// DeleteRecord implements [discovery.Storage].
func (s *Storage) DeleteRecord(ctx context.Context, key string, revision uint64) error {
	o := store.WriteOptions{ResourceVersion: strconv.FormatUint(revision, 10), Undecodable: true}
	_, err := s.records.Delete(ctx, keyOf(key), o, nil)
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil
	}
	return conflict(err)
}

// Changed implements [discovery.Storage]. The first call returns at once.
func (s *Storage) Changed(ctx context.Context) error {
	if len(s.watches) < 2 { // or one of them could not begin
		return s.watch(ctx)
	}
	buf := make([]store.Event, 0, 64)
	for {
		for _, w := range s.watches {
			events, err := w.Next(buf)
			if err != nil { // the watch has fallen behind
				return s.watch(ctx)
			}
			if len(events) > 0 {
				return nil
			}
		}
		select {
		case <-s.watches[0].Ready():
		case <-s.watches[1].Ready():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watch starts a watch at the current revision.
func (s *Storage) watch(ctx context.Context) error {
	for _, w := range s.watches {
		w.Close()
	}
	s.watches = nil
	for _, r := range []*store.Resource{s.groups, s.records} {
		w, err := r.Watch(ctx, store.WatchOptions{})
		if err != nil {
			return err
		}
		s.watches = append(s.watches, w)
	}
	return nil
}
