package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// Replicas states that other servers share the engine. Each announces what it serves, under a
// lease. The Groups of discovery.k8s.io list what all of them serve, so that they do not alternate
// during a rolling update. Each server needs its own [Identity].
func Replicas() Option { return optionFunc(func(c *config) { c.replicas = true }) }

// groupPrefix begins the keys of the engine for Groups: those of the objects and, below
// recordPrefix, those of the announcements of servers. A resource with the name recordsName, whose
// objects would be there too, is refused.
const (
	groupPrefix   = "discovery.k8s.io/"
	objectsPrefix = groupPrefix + "groups/"
	recordPrefix  = groupPrefix + "servers/"
	recordsName   = "servers.discovery.k8s.io"
)

// newController returns the controller that makes the Groups list what all replicas serve.
func (s *Server) newController() (*discovery.Controller, error) {
	c := discovery.ControllerConfig{
		Alone: !s.config.replicas, Release: s.config.version.filled().GitVersion,
		Period: s.config.discovery.Period, Lease: s.config.discovery.Lease, Local: s.config.discovery.Local,
		Keep: func() bool {
			select {
			case <-s.begun:
				return s.config.delegate != nil && !s.published.Load()
			default:
				return true // the program may still install kinds, such as those of stored definitions
			}
		},
		OnError: s.logGroups,
	}
	identity := s.config.identity
	if identity == "" {
		host, _ := os.Hostname() // blank if it is not known
		identity = strings.ReplaceAll(host, "/", "-") + "-" + newUID()
	}
	// Changes after this revision are seen, even if the controller waits for them later.
	now, err := s.engine.Revision(s.ctx)
	if err != nil {
		return nil, err
	}
	c.Storage, c.Server = &groupStorage{s: s, seen: max(now, 1)}, identity
	return discovery.NewController(c)
}

// groupStorage is the store and engine of a server as a [discovery.Storage].
type groupStorage struct {
	s    *Server
	seen uint64 // the revision that Changed has reached
}

var _ discovery.Storage = (*groupStorage)(nil)

// groups returns the resource of the Groups.
func (g *groupStorage) groups() (*store.Resource, error) {
	c := g.s.state.Load().collections[v1alpha1.GroupVersion.WithKind("Group").GroupKind()]
	if c == nil {
		return nil, errors.New("server: the group discovery.k8s.io is disabled")
	}
	return c.stored, nil
}

// groupOf returns the Group of an entry.
func groupOf(e *store.Entry) (*v1alpha1.Group, error) {
	obj, err := e.Object()
	if err != nil {
		return nil, err
	}
	return asGroup(obj)
}

func asGroup(obj runtime.Object) (*v1alpha1.Group, error) {
	if group, ok := obj.(*v1alpha1.Group); ok {
		return group, nil
	}
	return nil, fmt.Errorf("server: a Group is stored as a %T", obj)
}

// Groups implements [discovery.Storage].
func (g *groupStorage) Groups(ctx context.Context) ([]*v1alpha1.Group, error) {
	r, err := g.groups()
	if err != nil {
		return nil, err
	}
	list, err := r.List(ctx, store.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []*v1alpha1.Group
	for e := range list.Entries() {
		group, err := groupOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, group)
	}
	return out, nil
}

// Group implements [discovery.Storage].
func (g *groupStorage) Group(ctx context.Context, name string) (*v1alpha1.Group, error) {
	r, err := g.groups()
	if err != nil {
		return nil, err
	}
	e, err := r.Get(ctx, store.Key{Name: name}, store.GetOptions{})
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil, nil
	}
	if bad, ok := errors.AsType[*store.UndecodableError](err); ok {
		// Another client wrote it. It is deleted to make room for the correct object.
		g.s.config.log.Warn("an unreadable Group is deleted", "error", err)
		return nil, g.DeleteGroup(ctx, name, strconv.FormatUint(bad.Revision, 10))
	}
	if err != nil {
		return nil, err
	}
	return groupOf(e)
}

// PutGroup implements [discovery.Storage].
func (g *groupStorage) PutGroup(ctx context.Context, group *v1alpha1.Group) error {
	r, err := g.groups()
	if err != nil {
		return err
	}
	next := new(v1alpha1.Group)
	v1alpha1.DeepCopyIntoGroup(group, next)
	if group.ResourceVersion == "" {
		next.UID, next.Generation, next.CreationTimestamp = newUID(), 1, metav1.NewTime(g.s.config.now())
		_, err = r.Create(ctx, next, store.WriteOptions{})
		return raced(err)
	}
	o := store.WriteOptions{ResourceVersion: group.ResourceVersion}
	update := func(_ context.Context, current runtime.Object) (runtime.Object, error) {
		stored, err := asGroup(current)
		if err != nil {
			return nil, err
		}
		stored.Status, stored.Labels, stored.Annotations = next.Status, next.Labels, next.Annotations
		return stored, nil
	}
	_, err = r.Update(ctx, store.Key{Name: group.Name}, o, update)
	return raced(err)
}

// DeleteGroup implements [discovery.Storage].
func (g *groupStorage) DeleteGroup(ctx context.Context, name, resourceVersion string) error {
	r, err := g.groups()
	if err != nil {
		return err
	}
	o := store.WriteOptions{ResourceVersion: resourceVersion, Undecodable: true}
	_, err = r.Delete(ctx, store.Key{Name: name}, o, nil)
	return raced(err)
}

// raced wraps the error of a write that lost a race in [metav1.ErrConflict].
func raced(err error) error {
	switch metav1.ReasonOf(err) {
	case metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonNotFound:
		return fmt.Errorf("%w: %w", metav1.ErrConflict, err)
	}
	return err
}

// Records implements [discovery.Storage].
func (g *groupStorage) Records(ctx context.Context, prefix string) ([]discovery.Record, error) {
	page, err := g.s.engine.List(ctx, recordPrefix+prefix, store.RangeOptions{})
	if err != nil {
		return nil, err
	}
	out := make([]discovery.Record, len(page.Items))
	for i, item := range page.Items {
		out[i] = discovery.Record{
			Key: strings.TrimPrefix(item.Key, recordPrefix), Value: item.Value,
			Revision: item.Revision,
		}
	}
	return out, nil
}

// PutRecord implements [discovery.Storage]. It does not read the record, which may be encrypted
// with a key that is not known any more: a conflict states the revision.
func (g *groupStorage) PutRecord(ctx context.Context, key string, value []byte) error {
	for expected := uint64(0); ; {
		_, err := g.s.engine.Put(ctx, recordPrefix+key, value, expected)
		conflict, ok := errors.AsType[*store.ConflictError](err)
		if !ok {
			return err
		}
		expected = conflict.Current
	}
}

// DeleteRecord implements [discovery.Storage].
func (g *groupStorage) DeleteRecord(ctx context.Context, key string, revision uint64) error {
	_, err := g.s.engine.Delete(ctx, recordPrefix+key, revision)
	switch conflict, ok := errors.AsType[*store.ConflictError](err); {
	case !ok:
		return err
	case conflict.Current == 0:
		return nil
	}
	return fmt.Errorf("%w: %w", metav1.ErrConflict, err)
}

// errChanged ends a watch that has seen a change.
var errChanged = errors.New("something has changed")

// Changed implements [discovery.Storage].
func (g *groupStorage) Changed(ctx context.Context) error {
	err := g.s.engine.Watch(ctx, groupPrefix, g.seen, func(c store.Changes) error {
		g.seen = max(c.Revision, 1)
		// Other resources may share the API group.
		if slices.ContainsFunc(c.List, func(c store.Change) bool {
			return strings.HasPrefix(c.Key, objectsPrefix) || strings.HasPrefix(c.Key, recordPrefix)
		}) {
			return errChanged
		}
		return nil
	})
	switch {
	case errors.Is(err, errChanged):
		return nil
	case errors.Is(err, store.ErrCompacted), errors.Is(err, store.ErrFuture): // the engine may have been restored
		now, err := g.s.engine.Revision(ctx)
		if err == nil {
			g.seen = max(now, 1) // the caller looks at everything next
		}
		return err
	}
	return err
}
