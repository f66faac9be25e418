package apiextensions

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions/v1"
)

// controller serves what the definitions in the store describe. All its fields belong to the
// goroutine of run.
type controller struct {
	srv         *server.Server
	compiler    *compiler
	definitions *client.Resource[v1.CustomResourceDefinition]
	metadata    *client.Resource[metav1.PartialObjectMetadata]
	log         *slog.Logger

	known       map[string]*metav1.PartialObjectMetadata // by name
	served      map[string]*v1.CustomResourceDefinition  // what the server has installed; see called
	dirty       map[string]bool                          // to be looked at
	failed      map[string]failure                       // to be looked at again after a pause
	terminating map[string]context.CancelFunc            // ends the deletion of all objects
	ended       chan termination
	emptied     map[string]bool // UIDs of definitions whose objects have been deleted
	work        sync.WaitGroup
}

// failure is that of a definition.
type failure struct {
	pause time.Duration // before it is looked at again
	due   time.Time     // when the pause ends
}

// The pause before a definition is looked at again after an error, which doubles with each further
// one, and before one that cannot be served is.
const (
	retryAfter  = time.Second
	mostRetry   = time.Minute
	resyncAfter = time.Minute
)

// run follows the definitions until the context is done. It sends nil to ready when those that
// exist at the beginning are served, or the error of the context.
func (c *controller) run(ctx context.Context, ready chan<- error) {
	defer c.work.Wait()
	changes := make(chan client.Change[metav1.PartialObjectMetadata], 100)
	c.work.Go(func() { c.follow(ctx, changes) })
	resync := time.NewTicker(resyncAfter)
	defer resync.Stop()
	synced := false
	for {
		var retry <-chan time.Time
		if synced {
			for len(c.dirty) > 0 { // what is served may free names that others wait for
				c.reconcile(ctx)
			}
			if ready != nil {
				ready <- nil
				ready = nil
			}
			if due, ok := c.nextRetry(); ok {
				retry = time.After(time.Until(due))
			}
		}
		select {
		case <-ctx.Done():
			if ready != nil {
				ready <- context.Cause(ctx)
			}
			return
		case change := <-changes:
			synced = c.take(change, changes) || synced
		case t := <-c.ended:
			delete(c.terminating, t.name)
			if t.err == nil {
				c.emptied[t.uid] = true
				c.forget(t.name)
			}
			if t.err == nil || t.canceled {
				c.dirty[t.name] = true
			} else {
				c.check(ctx, t.name, fmt.Errorf("its objects cannot be deleted: %w", t.err))
			}
		case <-resync.C:
			c.review("")
		case <-retry:
			c.retry(time.Now())
		}
	}
}

// nextRetry returns when the next pause after an error ends, and false if no definition waits.
func (c *controller) nextRetry() (due time.Time, ok bool) {
	for name, f := range c.failed {
		if c.terminating[name] == nil && (!ok || f.due.Before(due)) {
			due, ok = f.due, true
		}
	}
	return due, ok
}

// retry makes the definitions dirty whose pauses have ended.
func (c *controller) retry(now time.Time) {
	for name, f := range c.failed {
		if c.terminating[name] == nil && !f.due.After(now) {
			c.dirty[name] = true
		}
	}
}

// review makes the definitions dirty that are not served, those of one group or, if it is blank, of
// all: what kept them from being served may be gone.
func (c *controller) review(group string) {
	for name := range c.known {
		if _, of, _ := strings.Cut(name, "."); c.served[name] == nil && (group == "" || of == group) {
			c.dirty[name] = true
		}
	}
}

// follow sends the changes of definitions, with only their metadata: definitions are large, so they
// are read when they are looked at and not kept.
func (c *controller) follow(ctx context.Context, changes chan<- client.Change[metav1.PartialObjectMetadata]) {
	for change, err := range c.metadata.Follow(ctx) {
		if err != nil {
			c.log.WarnContext(ctx, "the definitions of kinds cannot be read; trying again", "error", err)
			continue
		}
		select {
		case changes <- change:
		case <-ctx.Done():
			return
		}
	}
}

// take records a change and those that are there already, so that they are served in one step. It
// reports whether the definitions of the beginning are complete.
func (c *controller) take(change client.Change[metav1.PartialObjectMetadata],
	more <-chan client.Change[metav1.PartialObjectMetadata],
) (synced bool) {
	for {
		switch change.Type {
		case client.Synced:
			synced = true
		case client.Deleted:
			delete(c.known, change.Key.Name)
			delete(c.emptied, change.Object.UID)
			delete(c.failed, change.Key.Name)
			c.dirty[change.Key.Name] = true
		default:
			if was := c.known[change.Key.Name]; was == nil || was.UID != change.Object.UID ||
				was.Generation != change.Object.Generation {
				delete(c.failed, change.Key.Name) // what failed may succeed now
			}
			c.known[change.Key.Name] = change.Object
			c.dirty[change.Key.Name] = true
		}
		select {
		case change = <-more:
		default:
			return synced
		}
	}
}

// pending is a definition that is about to be served.
type pending struct {
	definition *v1.CustomResourceDefinition
	resource   *dynamic.Resource
}

// reconcile brings what is served in line with the definitions that are dirty. It looks again
// at those that failed after a pause.
func (c *controller) reconcile(ctx context.Context) {
	found := c.read(ctx)
	names := slices.Collect(maps.Keys(found))
	sorted.Func(names, func(a, b string) int { return order(found, a, b) })
	clear(c.dirty)
	var all []pending
	for _, name := range names {
		d := found[name]
		var err error
		switch {
		case d == nil:
			err = c.withdraw(name)
		case d.DeletionTimestamp != nil:
			if err = c.terminate(ctx, d); err == nil && c.terminating[name] != nil {
				continue // it may still fail
			}
		default:
			var p *pending
			if p, err = c.prepare(ctx, d, all); p != nil {
				all = append(all, *p)
				continue
			}
		}
		c.check(ctx, name, err)
	}
	c.install(ctx, all)
}

// read returns the definitions that are dirty, nil for those that are gone. One that cannot be read
// is looked at later; so is one that has been deleted since, because that will be a change.
func (c *controller) read(ctx context.Context) map[string]*v1.CustomResourceDefinition {
	found := map[string]*v1.CustomResourceDefinition{}
	for name := range c.dirty {
		if c.known[name] == nil {
			found[name] = nil
			continue
		}
		d, err := c.definitions.Get(ctx, name)
		if err == nil {
			found[name] = d
		} else if metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
			c.check(ctx, name, err)
		}
	}
	return found
}

// order compares the names of definitions: first come those that are gone, then those that have
// been served, and of the others the older ones, so that no newer one takes the name of another.
func order(found map[string]*v1.CustomResourceDefinition, a, b string) int {
	rank := func(d *v1.CustomResourceDefinition) int {
		switch {
		case d == nil:
			return 0
		case established(d):
			return 1
		}
		return 2
	}
	x, y := found[a], found[b]
	byAge := 0
	if x != nil && y != nil {
		byAge = x.CreationTimestamp.Compare(y.CreationTimestamp.Time)
	}
	return cmp.Or(rank(x)-rank(y), byAge, strings.Compare(a, b))
}

// check lets a definition be looked at again after an error, later each time. That it has been
// changed or deleted meanwhile is not worth a warning.
func (c *controller) check(ctx context.Context, name string, err error) {
	if err == nil {
		delete(c.failed, name)
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	pause := min(max(2*c.failed[name].pause, retryAfter), mostRetry)
	c.failed[name] = failure{pause, time.Now().Add(pause)}
	if reason := metav1.ReasonOf(err); reason != metav1.StatusReasonConflict && reason != metav1.StatusReasonNotFound {
		c.log.WarnContext(ctx, "a definition of a kind is not in force; trying again", "name", name, "after", pause,
			"error", err)
	}
}

// withdraw stops serving a definition that is gone.
func (c *controller) withdraw(name string) error {
	if cancel := c.terminating[name]; cancel != nil {
		cancel()
	}
	d := c.served[name]
	if d == nil {
		return nil
	}
	if err := c.srv.RemoveKinds(kindOf(d)); err != nil {
		return err
	}
	c.forget(name)
	return nil
}

// forget records that a definition is not served any more.
func (c *controller) forget(name string) {
	if d := c.served[name]; d != nil {
		delete(c.served, name)
		c.review(d.Spec.Group)
	}
}

// called returns what a definition is called, without what it says about objects.
func called(d *v1.CustomResourceDefinition) *v1.CustomResourceDefinition {
	out := new(v1.CustomResourceDefinition)
	out.Name, out.UID, out.Generation = d.Name, d.UID, d.Generation
	out.Spec.Group, out.Spec.Names, out.Spec.Scope = d.Spec.Group, d.Spec.Names, d.Spec.Scope
	return out
}

func kindOf(d *v1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}
}

// prepare makes a definition ready to be served together with others. It returns nil if it is
// served already or cannot be served, which its conditions say then.
func (c *controller) prepare(ctx context.Context, d *v1.CustomResourceDefinition, others []pending) (*pending, error) {
	if cancel := c.terminating[d.Name]; cancel != nil {
		cancel() // that was an earlier definition of this name; its end makes this one dirty
		return nil, nil
	}
	if served := c.served[d.Name]; served != nil {
		switch {
		case served.UID != d.UID || kindOf(served) != kindOf(d) || served.Spec.Scope != d.Spec.Scope:
			if err := c.withdraw(d.Name); err != nil {
				return nil, err
			}
		case served.Generation == d.Generation:
			return nil, c.establish(ctx, d)
		}
	}
	r, err := c.compiler.resource(d)
	if err != nil {
		return nil, c.fail(ctx, d, "Invalid", err)
	}
	if reason, message := c.conflict(d, others); reason != "" {
		return nil, c.rejectNames(ctx, d, reason, message)
	}
	if err := c.accept(ctx, d); err != nil {
		return nil, err
	}
	return &pending{d, r}, nil
}

// install serves definitions. New kinds are installed together, because every installation makes
// the documents of the server anew.
func (c *controller) install(ctx context.Context, all []pending) {
	var added []pending
	for _, p := range all {
		if c.served[p.definition.Name] != nil {
			c.installed(ctx, p, c.srv.ReplaceKind(p.resource))
			c.review(p.definition.Spec.Group) // it may have given up a name
		} else {
			added = append(added, p)
		}
	}
	groups := make([]func(*runtime.Builder), len(added))
	for i, p := range added {
		groups[i] = p.resource.AddTo
	}
	if len(added) > 1 && c.srv.Install(groups...) == nil {
		for _, p := range added {
			c.installed(ctx, p, nil)
		}
		return
	}
	for i, p := range added {
		c.installed(ctx, p, c.srv.Install(groups[i]))
	}
}

// installed writes what has become of a definition.
func (c *controller) installed(ctx context.Context, p pending, err error) {
	d := p.definition
	if err != nil {
		c.check(ctx, d.Name, c.fail(ctx, d, "NotInstalled", err))
		return
	}
	c.served[d.Name] = called(d)
	if ignored := p.resource.Ignored(); len(ignored) > 0 {
		c.log.WarnContext(ctx, "rules in CEL are not evaluated; see the option Rules", "kind", p.resource.GroupKind().String(),
			"count", len(ignored), "first", ignored[0].String())
	}
	c.check(ctx, d.Name, c.establish(ctx, d))
}

// termination is the end of the deletion of all objects of a definition.
type termination struct {
	name, uid string
	err       error
	canceled  bool // because the definition is gone
}

// terminate deletes the objects of a definition that is being deleted, and then lets it go.
func (c *controller) terminate(ctx context.Context, d *v1.CustomResourceDefinition) error {
	if !slices.Contains(d.Finalizers, v1.Finalizer) || c.terminating[d.Name] != nil {
		return nil
	}
	last := withServedVersion(d)
	if c.served[d.Name] == nil {
		if c.emptied[d.UID] || !d.HasServed() || c.succeeded(d) {
			return c.release(ctx, d)
		}
		last = withNeededNames(last)
		if _, message := c.conflict(last, nil); message != "" {
			return c.terminates(ctx, d, "InstanceDeletionFailed", message)
		}
	}
	if last != d {
		if err := c.serveLast(last); err != nil {
			return err
		}
	}
	err := c.terminates(ctx, d, "InstanceDeletionInProgress", "CustomResource deletion is in progress")
	if err != nil {
		return err
	}
	deleting, cancel := context.WithCancel(ctx)
	c.terminating[d.Name] = cancel
	gk := kindOf(c.served[d.Name])
	c.work.Go(func() {
		defer cancel()
		err := c.srv.DeleteKinds(deleting, gk)
		select {
		case c.ended <- termination{d.Name, d.UID, err, deleting.Err() != nil}:
		case <-ctx.Done():
		}
	})
	return nil
}

// succeeded reports whether the program has a resource of its own where that of a definition was.
// The objects are those of the program then.
func (c *controller) succeeded(d *v1.CustomResourceDefinition) bool {
	for k := range c.srv.Scheme().Kinds() {
		if !k.Info().Shared && k.GroupVersionKind().Group == d.Spec.Group && k.Info().Resource == d.Spec.Names.Plural {
			return true
		}
	}
	return false
}

// withServedVersion returns a definition that serves a version: the one in which objects are stored
// if the definition serves none, because the objects could not be deleted otherwise.
func withServedVersion(d *v1.CustomResourceDefinition) *v1.CustomResourceDefinition {
	if slices.ContainsFunc(d.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Served }) {
		return d
	}
	out := *d
	out.Spec.Versions = slices.Clone(d.Spec.Versions)
	for i := range out.Spec.Versions {
		out.Spec.Versions[i].Served = out.Spec.Versions[i].Storage
	}
	return &out
}

// withNeededNames returns a definition with only the names without which its objects cannot be
// deleted.
func withNeededNames(d *v1.CustomResourceDefinition) *v1.CustomResourceDefinition {
	out := *d
	out.Spec.Names.Singular, out.Spec.Names.ShortNames, out.Spec.Names.Categories = out.Spec.Names.Plural, nil, nil
	return &out
}

// serveLast serves a definition that is being deleted, so that its objects can be deleted: an
// earlier process has not finished that, or the definition has lost one of its names, or serves no
// version, or the program refuses it by now.
func (c *controller) serveLast(d *v1.CustomResourceDefinition) error {
	r, err := c.compiler.resource(d)
	if err != nil {
		d = withoutSchemas(d)
		r, err = c.compiler.resource(d)
	}
	switch {
	case err != nil:
	case c.served[d.Name] != nil:
		err = c.srv.ReplaceKind(r)
	default:
		err = c.srv.Install(r.AddTo)
	}
	if err != nil {
		return fmt.Errorf("its objects cannot be deleted: %w", err)
	}
	c.served[d.Name] = called(d)
	return nil
}

// withoutSchemas returns a definition with schemas that allow everything, and without what depends
// on them.
func withoutSchemas(d *v1.CustomResourceDefinition) *v1.CustomResourceDefinition {
	d = v1.DeepCopyCustomResourceDefinition(d)
	d.Spec.Conversion = nil
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		v.Schema = &v1.CustomResourceValidation{
			OpenAPIV3Schema: []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`),
		}
		v.AdditionalPrinterColumns, v.SelectableFields = nil, nil
		if v.Subresources != nil {
			v.Subresources.Scale = nil
		}
	}
	return d
}
