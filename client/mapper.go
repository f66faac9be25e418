package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// MapperOptions are the settings of a [Mapper].
type MapperOptions struct {
	// Groups is the order of preference for a bare name that belongs to several groups. Without it
	// such a name is ambiguous.
	Groups []string
	// Prefixes are searched in addition to "api" and "apis" on servers without Groups.
	Prefixes []string
	// OnError, if not nil, is called when Run cannot watch the Groups. Run retries.
	OnError func(error)
}

// Mapper is a [restmapper.Mapper] of the resources of a server. It requests them at the first
// lookup and whenever a name is not found, so that a new kind is found by one more request. While
// [Mapper.Run] runs, a watch of the Groups reports every change, so that a new kind is known
// without a request.
//
// Known resources stay known when the server cannot be reached or sends invalid answers.
type Mapper struct {
	*restmapper.Dynamic
	client  *Client
	options MapperOptions

	mu      sync.Mutex
	changed chan struct{} // closed when the known resources change
}

// Mapper returns a mapper of what the server offers.
func (c *Client) Mapper(o MapperOptions) *Mapper {
	m := &Mapper{client: c, options: o, changed: make(chan struct{})}
	var asking sync.Mutex
	d := newDiscoverer(c.backend, o.Prefixes)
	m.Dynamic = restmapper.NewDynamic(func(ctx context.Context) (restmapper.Discovery, error) {
		asking.Lock()
		defer asking.Unlock()
		found, problems, err := d.discover(ctx)
		if err != nil {
			return restmapper.Discovery{}, err
		}
		return restmapper.Discovery{Resources: mappings(found.Resources), Problems: problems}, nil
	}, o.Groups...)
	return m
}

// groupsMapping is the resource of the Groups.
var groupsMapping = restmapper.Mapping{
	Kind: v1alpha1.GroupVersion.WithKind("Group"), Resource: v1alpha1.GroupVersion.WithResource("groups"),
	Singular: "group", Scope: runtime.Cluster,
}

// Run watches the Groups of the server until the context is done, and returns the context's error.
// On a server without Groups it keeps retrying, and lookups send requests as needed. Changes that
// arrive close together are applied together.
func (m *Mapper) Run(ctx context.Context) error {
	var mu sync.Mutex // guards groups, and calls of OnError
	groups := map[string]*v1alpha1.Group{}
	failed := func(err error) {
		if err != nil && m.options.OnError != nil {
			m.options.OnError(err)
		}
	}
	changed := make(chan struct{}, 1)
	var learning sync.WaitGroup
	learning.Go(func() {
		for range changed {
			mu.Lock()
			known := maps.Clone(groups)
			mu.Unlock()
			begin := time.Now()
			if err := m.learn(known); err != nil {
				mu.Lock()
				failed(err)
				mu.Unlock()
			}
			select {
			case <-time.After(learnPause * time.Since(begin)):
			case <-ctx.Done():
			}
		}
	})
	synced := false
	for change, err := range m.client.Untyped(groupsMapping).Follow(ctx) {
		mu.Lock()
		if err == nil && change.Type != Synced {
			err = keepGroup(groups, change)
		}
		failed(err)
		mu.Unlock()
		synced = synced || change.Type == Synced
		if err == nil && synced {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}
	close(changed)
	learning.Wait()
	return context.Cause(ctx)
}

// learnPause is the pause after changes have been applied, as a multiple of the time that took,
// which grows with the number of Groups.
const learnPause = 4

// keepGroup applies a change of a Group.
func keepGroup(groups map[string]*v1alpha1.Group, change Change[unstructured.Object]) error {
	if change.Type == Deleted {
		delete(groups, change.Key.Name)
		return nil
	}
	f, err := documentFactory()
	if err != nil {
		return err
	}
	text, err := change.Object.AppendJSON(nil)
	if err != nil {
		return err
	}
	g, err := serializer.Decode[v1alpha1.Group](f, text, serializer.DecodeOptions{MediaType: jsonMediaType})
	if err != nil {
		return fmt.Errorf("client: the Group %s: %w", change.Key.Name, err)
	}
	groups[g.Name] = g
	return nil
}

// learn stores the resources of the Groups.
func (m *Mapper) learn(groups map[string]*v1alpha1.Group) error {
	var ordered []*v1alpha1.Group
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		ordered = append(ordered, groups[name])
	}
	c := configOf(ordered)
	if err := checkResources(c.Resources); err != nil {
		return err
	}
	if err := m.Learn(restmapper.Discovery{Resources: mappings(c.Resources)}); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
	return nil
}

// patience is the interval at which [Mapper.Wait] asks the server.
const patience = time.Second

// Wait blocks until the server serves a kind, in one of the versions if any are given, and returns
// its mapping. While [Mapper.Run] runs, it returns as soon as the change arrives; otherwise it asks
// the server once a second. If the context is done before, it returns the context's error.
func (m *Mapper) Wait(ctx context.Context, kind schema.GroupKind, versions ...string) (restmapper.Mapping, error) {
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		found, err := m.ForKind(ctx, kind, versions...)
		if err == nil {
			return found, nil
		}
		select {
		case <-changed:
		case <-time.After(patience):
		case <-ctx.Done():
			return restmapper.Mapping{}, fmt.Errorf("client: waiting for the kind %s: %w", kind,
				errors.Join(context.Cause(ctx), err))
		}
	}
}
