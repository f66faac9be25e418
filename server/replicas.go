package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/groupstore"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
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
	objects := groupstore.Objects{
		Resource: s.groupResource,
		Complete: func(g *v1alpha1.Group) {
			g.UID, g.Generation, g.CreationTimestamp = newUID(), 1, metav1.NewTime(s.config.now())
		},
		Unreadable: func(err *store.UndecodableError) {
			s.config.log.Warn("an unreadable Group is deleted", "error", err)
		},
	}
	c.Storage, c.Server = &groupStorage{Objects: objects, s: s, seen: max(now, 1)}, identity
	return discovery.NewController(c)
}

// groupStorage is the store and engine of a server as a [discovery.Storage].
type groupStorage struct {
	groupstore.Objects
	s    *Server
	seen uint64 // the revision that Changed has reached
}

var _ discovery.Storage = (*groupStorage)(nil)

// groupResource returns the resource of the Groups.
func (s *Server) groupResource() (*store.Resource, error) {
	c := s.state.Load().collections[v1alpha1.GroupVersion.WithKind("Group").GroupKind()]
	if c == nil {
		return nil, errors.New("server: the group discovery.k8s.io is disabled")
	}
	return c.stored, nil
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

// peersList reports whether a shared Group lists a group version, or a resource of it, that this
// server does not serve: another replica has announced it. Clients may have learned of it there.
// Only the memory of this replica is read.
func (s *Server) peersList(prefix string, gvr schema.GroupVersionResource) bool {
	if !s.config.replicas || s.groups == nil || gvr.Group == "" && prefix != discovery.PrefixOf("") {
		return false
	}
	r, err := s.groupResource()
	if err != nil {
		return false
	}
	name := discovery.GroupName(prefix, gvr.Group)
	e, err := r.Get(s.ctx, store.Key{Name: name}, store.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return false
	}
	group, err := groupstore.GroupOf(e)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(group.Status.Versions, func(v v1alpha1.GroupVersionResources) bool {
		named := func(r metav1.APIResource) bool { return r.Name == gvr.Resource }
		return v.Name == gvr.Version && (gvr.Resource == "" || slices.ContainsFunc(v.Resources, named))
	})
}

// find returns the resource that a path names. A client that asks for one which another replica
// serves shall try again: this replica has not seen its definition yet, or has an older version of
// the program.
func (s *Server) find(st *state, t *target) (*resource, *subresource, error) {
	r, sub, err := st.find(t)
	if err != nil && st.resources[t.gvr] == nil && s.peersList(t.prefix, t.gvr) {
		err = unavailable(errAtPeer)
	}
	return r, sub, err
}
