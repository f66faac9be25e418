package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// The collector deletes objects whose owners no longer exist, and implements the propagation
// policies of owners under deletion. It watches all resources of the store and keeps the dependency
// graph in memory: a few words for each object with owners. Its writes state the UID and the
// resource version that it saw, so several collectors on one store do not interfere with each
// other.

// collectorUser makes the requests of the collector.
var collectorUser = &auth.User{Name: "system:collector", Groups: []string{auth.Authenticated}}

// collector is the state of the collector. Its goroutine alone uses the fields behind states.
type collector struct {
	s      *Server
	states chan *state // the latest state, whose resources will be watched

	st       *state
	watched  map[*storage]*store.Watch
	owners   map[place][]metav1.OwnerReference // of the objects that have any
	children map[string]map[place]bool         // by the UID of the owner
	dirty    map[place]time.Time               // the objects to look at, each no earlier than its time
	delays   map[place]time.Duration           // the last delay of those for which it failed
	again    time.Time                         // when to try to watch what is not watched; zero if there is nothing
	delay    time.Duration                     // the last one of these attempts, zero after a success
}

// place is the location of an object in the store.
type place struct {
	in  *storage
	key store.Key
}

func newCollector(s *Server) *collector {
	return &collector{
		s: s, states: make(chan *state, 1), watched: map[*storage]*store.Watch{},
		owners:   map[place][]metav1.OwnerReference{},
		children: map[string]map[place]bool{}, dirty: map[place]time.Time{}, delays: map[place]time.Duration{},
	}
}

// follow makes the collector watch the resources of another state.
func (g *collector) follow(st *state) {
	for {
		select {
		case g.states <- st:
			return
		default:
		}
		select {
		case <-g.states: // replaced before the collector received it
		default:
		}
	}
}

// run collects until the context is done.
func (g *collector) run(ctx context.Context) {
	defer g.stop()
	for ctx.Err() == nil {
		g.read(ctx)
		next := g.work(ctx)
		if ctx.Err() == nil {
			g.wait(ctx, next)
		}
	}
}

// stop closes all cursors.
func (g *collector) stop() {
	for _, cursor := range g.watched {
		cursor.Close()
	}
}

// watch opens and closes cursors so that they are those of the resources of a state.
func (g *collector) watch(ctx context.Context, st *state) {
	g.st = st
	for in := range g.watched {
		if !st.has(in) {
			g.unwatch(in)
		}
	}
	g.beginAll(ctx)
}

// beginAll starts to watch the resources that are not watched yet. It tries again later where that
// fails.
func (g *collector) beginAll(ctx context.Context) {
	begun, failed := map[schema.GroupKind]bool{}, false
	for gk, c := range g.st.collections {
		if g.watched[c.storage] != nil {
			continue
		}
		if g.begin(ctx, c.storage) {
			begun[gk] = true
		} else {
			failed = true
		}
	}
	g.reviewOwnedBy(begun)
	g.again = time.Time{}
	if !failed {
		g.delay = 0
		return
	}
	g.delay = longer(g.delay)
	g.again = time.Now().Add(g.delay)
}

// reviewOwnedBy queues the objects with owners of some kinds, which are watched from now on. The
// owners counted as present until now, and may be gone.
func (g *collector) reviewOwnedBy(kinds map[schema.GroupKind]bool) {
	if len(kinds) == 0 {
		return
	}
	for p, owners := range g.owners {
		if slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return kinds[groupKindOf(ref)] }) {
			g.dirty[p] = time.Time{}
		}
	}
}

// has reports whether a state has the objects that are in a place in the store.
func (st *state) has(in *storage) bool {
	c := st.collections[in.gvk.GroupKind()]
	return c != nil && c.storage == in
}

// begin starts to watch a resource and records its existing objects. It reports whether there is
// nothing to try again.
func (g *collector) begin(ctx context.Context, in *storage) bool {
	cursor, err := in.stored.Watch(ctx, store.WatchOptions{Initial: true})
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, store.ErrRemoved) || errors.Is(err, store.ErrClosed) {
			return true
		}
		g.s.config.log.WarnContext(ctx, "the collector cannot watch", "resource", in.stored.GroupResource().String(),
			"error", err)
		return false
	}
	g.watched[in] = cursor
	for e := range cursor.Initial().Entries() {
		g.see(in, e, false)
	}
	return true
}

// groupKindOf returns the group and kind of an owner. They are blank if its apiVersion cannot be
// read.
func groupKindOf(ref metav1.OwnerReference) schema.GroupKind {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return schema.GroupKind{}
	}
	return gv.WithKind(ref.Kind).GroupKind()
}

// unwatch forgets a resource: it has been removed, or what takes its place is read from the
// beginning.
func (g *collector) unwatch(in *storage) {
	g.watched[in].Close()
	delete(g.watched, in)
	for p, owners := range g.owners {
		if p.in == in {
			g.forget(p, owners)
		}
	}
}

// read processes new events.
func (g *collector) read(ctx context.Context) {
	select {
	case st := <-g.states:
		g.watch(ctx, st)
	default:
	}
	var buf [64]store.Event
	for in, cursor := range g.watched {
		for {
			events, err := cursor.Next(buf[:0])
			for _, e := range events {
				g.see(in, e.Entry, e.Type == metav1.WatchDeleted)
			}
			if err != nil {
				g.unwatch(in)
				if !errors.Is(err, store.ErrRemoved) && !errors.Is(err, store.ErrClosed) {
					g.again = time.Now() // it fell behind
				}
				break
			}
			if len(events) == 0 {
				break
			}
		}
	}
	if !g.again.IsZero() && !time.Now().Before(g.again) {
		g.beginAll(ctx)
	}
}

// see records the state of one object.
func (g *collector) see(in *storage, e *store.Entry, deleted bool) {
	p := place{in, e.Key()}
	m, err := e.Metadata()
	if err != nil {
		return
	}
	if before := g.owners[p]; before != nil {
		g.forget(p, before)
	}
	if deleted {
		for child := range g.children[m.UID] {
			g.dirty[child] = time.Time{}
		}
		return
	}
	if len(m.OwnerReferences) > 0 {
		g.owners[p] = m.OwnerReferences
		g.dirty[p] = time.Time{}
	}
	for _, ref := range m.OwnerReferences {
		if g.children[ref.UID] == nil {
			g.children[ref.UID] = map[place]bool{}
		}
		g.children[ref.UID][p] = true
	}
	if m.DeletionTimestamp != nil && (slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents) ||
		slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents)) {
		g.dirty[p] = time.Time{}
	}
}

// forget removes an object from the children of its owners, and queues owners under deletion that
// may have waited for it.
func (g *collector) forget(p place, owners []metav1.OwnerReference) {
	delete(g.owners, p)
	for _, ref := range owners {
		delete(g.children[ref.UID], p)
		if len(g.children[ref.UID]) == 0 {
			delete(g.children, ref.UID)
		}
		if owner, ok := g.placeOf(ref, p.key.Namespace); ok {
			g.dirty[owner] = time.Time{}
		}
	}
}

// placeOf returns where an owner would be stored. ok is false for a kind that is not in this store,
// and for one in namespaces if the dependant is outside of them.
func (g *collector) placeOf(ref metav1.OwnerReference, namespace string) (place, bool) {
	if g.st == nil {
		return place{}, false
	}
	c := g.st.collections[groupKindOf(ref)]
	if c == nil || c.scope == runtime.Namespaced && namespace == "" {
		return place{}, false
	}
	key := store.Key{Name: ref.Name}
	if c.scope == runtime.Namespaced {
		key.Namespace = namespace
	}
	return place{c.storage, key}, true
}

// The collector looks again at an object for which it failed after the time retry, and after a
// longer time with each further failure, up to longestRetry.
const (
	retry        = time.Second
	longestRetry = time.Minute
)

// longer returns the delay that follows another one, or the first one for 0.
func longer(delay time.Duration) time.Duration { return min(max(2*delay, retry), longestRetry) }

// work handles everything that is due. It returns the time until the next object is due, or a
// negative value if the queue is empty.
func (g *collector) work(ctx context.Context) time.Duration {
	now := time.Now()
	for p, due := range g.dirty {
		if due.After(now) {
			continue
		}
		delete(g.dirty, p)
		switch err := g.look(ctx, p); {
		case err == nil || ctx.Err() != nil || errors.Is(err, store.ErrReadOnly):
			delete(g.delays, p)
		case isConflict(err) || errors.Is(err, store.ErrRemoved): // the next state may have it in another place
			g.dirty[p] = now.Add(retry)
		default:
			g.delays[p] = longer(g.delays[p])
			g.dirty[p] = now.Add(g.delays[p])
			g.s.config.log.LogAttrs(ctx, slog.LevelWarn, "the collector failed", append(failure(err),
				slog.String("resource", p.in.stored.GroupResource().String()),
				slog.String("namespace", p.key.Namespace), slog.String("name", p.key.Name))...)
		}
	}
	next := time.Duration(-1)
	sooner := func(due time.Time) {
		if d := max(time.Until(due), 0); next < 0 || d < next {
			next = d
		}
	}
	if !g.again.IsZero() {
		sooner(g.again)
	}
	for _, due := range g.dirty {
		sooner(due)
	}
	return next
}

// wait waits until something has changed, or for a time if it is not negative.
func (g *collector) wait(ctx context.Context, d time.Duration) {
	cases := []reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(g.states)},
	}
	if d >= 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(t.C)})
	}
	for _, cursor := range g.watched {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(cursor.Ready())})
	}
	if chosen, value, ok := reflect.Select(cases); chosen == 1 && ok {
		g.watch(ctx, value.Interface().(*state))
	}
}

// look collects one object, or propagates its deletion. A panic of what takes part in the writes is
// an error.
func (g *collector) look(ctx context.Context, p place) (err error) {
	defer recovered(&err)
	m, err := g.meta(ctx, p)
	switch {
	case err != nil || m == nil:
		return err
	case m.DeletionTimestamp != nil:
		return g.propagate(ctx, p, m)
	}
	return g.collect(ctx, p, m)
}

// collect deletes an object if all of its owners are gone. If only some are, it removes the
// references to them.
func (g *collector) collect(ctx context.Context, p place, m *metav1.ObjectMeta) error {
	var gone []string
	for _, ref := range m.OwnerReferences {
		state, err := g.ownerState(ctx, ref, m.Namespace)
		if err != nil {
			return err
		}
		if state == ownerGone {
			gone = append(gone, ref.UID)
		}
	}
	switch {
	case len(m.OwnerReferences) == 0 || len(gone) == 0:
		return nil
	case len(gone) < len(m.OwnerReferences):
		return g.disown(ctx, p, m, gone)
	}
	return g.delete(ctx, p, m, "")
}

// ownerState is the state of an owner.
type ownerState int

const (
	ownerThere ownerState = iota
	ownerWaits            // it is being deleted in the foreground
	ownerGone
)

// ownerState looks up an owner. One whose place is not known counts as present.
func (g *collector) ownerState(ctx context.Context, ref metav1.OwnerReference, namespace string) (ownerState, error) {
	p, ok := g.placeOf(ref, namespace)
	if !ok {
		return ownerThere, nil
	}
	m, err := g.meta(ctx, p)
	switch {
	case err != nil:
		return ownerThere, err
	case m == nil || m.UID != ref.UID:
		return ownerGone, nil
	case m.DeletionTimestamp != nil && slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents):
		return ownerWaits, nil
	}
	return ownerThere, nil
}

// propagate handles the finalizer of an owner under deletion.
func (g *collector) propagate(ctx context.Context, p place, m *metav1.ObjectMeta) error {
	// The deletion may have been read before dependants that are older, because each resource has a
	// cursor of its own. An orphan that is missed here would be deleted once its owner is gone.
	if err := g.catchUp(ctx, p.in.stored.Store()); err != nil {
		return err
	}
	g.read(ctx)
	if !g.st.has(p.in) {
		return nil
	}
	for _, c := range g.st.collections {
		if g.watched[c.storage] == nil { // its dependants are not known
			return fmt.Errorf("%w: %s is being replaced", metav1.ErrConflict, c.groupResource())
		}
	}
	switch {
	case slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents):
		for child := range g.children[m.UID] {
			if err := g.orphan(ctx, child, m.UID); err != nil {
				return err
			}
		}
		return g.unfinalize(ctx, p, m, metav1.FinalizerOrphanDependents)
	case slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents):
		blocked, err := g.deleteChildren(ctx, p, m.UID)
		if err != nil || blocked {
			return err
		}
		return g.unfinalize(ctx, p, m, metav1.FinalizerDeleteDependents)
	}
	return nil
}

// catchUp waits until all stores but one show everything that has been written. Within a store,
// changes are shown in their order, but those of another engine may be shown late.
func (g *collector) catchUp(ctx context.Context, but *store.Store) error {
	current := map[*store.Store]bool{but: true}
	for in := range g.watched {
		if s := in.stored.Store(); !current[s] {
			cursor, err := in.stored.Watch(ctx, store.WatchOptions{})
			if err != nil {
				return err
			}
			cursor.Close()
			current[s] = true
		}
	}
	return nil
}

// deleteChildren deletes the dependants of an owner that is being deleted in the foreground. It
// reports whether the owner has to wait for any of them. An object whose reference has the UID but
// does not lead to the owner is left to collect.
func (g *collector) deleteChildren(ctx context.Context, owner place, uid string) (blocked bool, err error) {
	for child := range g.children[uid] {
		if child == owner {
			continue // it does not wait for itself
		}
		m, err := g.meta(ctx, child)
		if err != nil {
			return false, err
		}
		if m == nil {
			continue
		}
		i := slices.IndexFunc(m.OwnerReferences, func(ref metav1.OwnerReference) bool {
			p, ok := g.placeOf(ref, m.Namespace)
			return ok && p == owner && ref.UID == uid
		})
		if i < 0 {
			continue
		}
		blocked = blocked || blocks(m.OwnerReferences[i])
		if m.DeletionTimestamp != nil {
			continue
		}
		others, err := g.hasOtherOwners(ctx, m, uid)
		if err != nil {
			return false, err
		}
		if others {
			if err := g.disown(ctx, child, m, []string{uid}); err != nil {
				return false, err
			}
			continue
		}
		var policy metav1.DeletionPropagation
		if len(g.children[m.UID]) > 0 {
			policy = metav1.DeletePropagationForeground
			waits, err := g.waits(ctx, m)
			switch {
			case err != nil:
				return false, err
			case waits:
				// As in Kubernetes, no owner waits for the dependant any more. The change brings
				// the collector back to the owner.
				return true, g.edit(ctx, child, m, func(m *metav1.ObjectMeta) {
					for i := range m.OwnerReferences {
						m.OwnerReferences[i].BlockOwnerDeletion = nil
					}
				})
			}
		}
		if err := g.delete(ctx, child, m, policy); err != nil {
			return false, err
		}
	}
	return blocked, nil
}

// waits reports whether an owner may wait for an object that has a dependant which is being deleted
// in the foreground. Each of them may then wait for the other.
func (g *collector) waits(ctx context.Context, m *metav1.ObjectMeta) (bool, error) {
	if !slices.ContainsFunc(m.OwnerReferences, blocks) {
		return false, nil
	}
	for p := range g.children[m.UID] {
		below, err := g.meta(ctx, p)
		if err != nil {
			return false, err
		}
		if below != nil && below.DeletionTimestamp != nil &&
			slices.Contains(below.Finalizers, metav1.FinalizerDeleteDependents) {
			return true, nil
		}
	}
	return false, nil
}

// blocks reports whether an owner that is being deleted in the foreground waits for its dependant.
func blocks(ref metav1.OwnerReference) bool { return deref(ref.BlockOwnerDeletion) }

// hasOtherOwners reports whether an object has an owner that stays, besides the one with the UID.
func (g *collector) hasOtherOwners(ctx context.Context, m *metav1.ObjectMeta, uid string) (bool, error) {
	for _, ref := range m.OwnerReferences {
		if ref.UID == uid {
			continue
		}
		if state, err := g.ownerState(ctx, ref, m.Namespace); err != nil || state == ownerThere {
			return err == nil, err
		}
	}
	return false, nil
}

// meta returns the metadata of an object, nil if it is gone or its kind is no longer served.
func (g *collector) meta(ctx context.Context, p place) (*metav1.ObjectMeta, error) {
	if !g.st.has(p.in) {
		return nil, nil
	}
	e, err := p.in.stored.Get(ctx, p.key, store.GetOptions{})
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return e.Metadata()
}

// orphan removes the reference to an owner from an object that stays.
func (g *collector) orphan(ctx context.Context, p place, uid string) error {
	m, err := g.meta(ctx, p)
	if err != nil || m == nil {
		return err
	}
	return g.disown(ctx, p, m, []string{uid})
}

// call returns a request of the collector for an object.
func (g *collector) call(ctx context.Context, p place, verb string) *call {
	return g.s.callAs(ctx, g.st, collectorUser, p, verb)
}

// callAs returns a request of the server itself for an object.
func (s *Server) callAs(ctx context.Context, st *state, u *auth.User, p place, verb string) *call {
	gvk := p.in.gvk
	c := st.collections[gvk.GroupKind()]
	r := st.resources[c.kind.GroupVersionResource()]
	if r == nil { // the version in which objects are stored is not served
		r = &resource{collection: c, gvr: c.kind.GroupVersionResource(), served: c.kind}
	}
	return &call{s: s, st: st, res: r, ctx: ctx, Request: &Request{
		ID: newUID(), Verb: verb, Resource: r.gvr, Kind: gvk, Namespace: p.key.Namespace, Name: p.key.Name, User: u,
	}}
}

// goneIsFine ignores the error for an object that has been deleted meanwhile.
func goneIsFine(err error) error {
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
		return nil
	}
	return err
}

// delete deletes an object in the state that was seen. A blank policy leaves what becomes of its
// dependants to its finalizers, as in Kubernetes.
func (g *collector) delete(ctx context.Context, p place, m *metav1.ObjectMeta,
	policy metav1.DeletionPropagation,
) error {
	o := &metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{ResourceVersion: &m.ResourceVersion},
		PropagationPolicy: &policy,
	}
	if m.UID != "" { // else the program has written the object into the store itself
		o.Preconditions.UID = &m.UID
	}
	_, _, err := g.call(ctx, p, verbDelete).deleteObject(o)
	return goneIsFine(err)
}

// disown removes references to owners from an object in the state that was seen.
func (g *collector) disown(ctx context.Context, p place, m *metav1.ObjectMeta, uids []string) error {
	return g.edit(ctx, p, m, func(m *metav1.ObjectMeta) {
		m.OwnerReferences = sorted.Delete(
			m.OwnerReferences, func(ref metav1.OwnerReference) bool { return slices.Contains(uids, ref.UID) },
		)
	})
}

// unfinalize removes a finalizer from an object in the state that was seen.
func (g *collector) unfinalize(ctx context.Context, p place, m *metav1.ObjectMeta, name string) error {
	return g.edit(ctx, p, m, func(m *metav1.ObjectMeta) {
		m.Finalizers = sorted.Delete(m.Finalizers, func(f string) bool { return f == name })
	})
}

// edit changes the metadata of an object in the state that was seen.
func (g *collector) edit(ctx context.Context, p place, m *metav1.ObjectMeta, f func(*metav1.ObjectMeta)) error {
	c := g.call(ctx, p, verbUpdate)
	_, err := c.change(change{
		uid: m.UID, version: m.ResourceVersion, part: partAll,
		next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
			next, err := c.st.scheme.DeepCopy(old)
			if err != nil {
				return nil, err
			}
			f(c.metadataOf(next))
			return next, nil
		},
	})
	return goneIsFine(err)
}
