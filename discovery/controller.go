package discovery

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

// ControllerConfig holds the settings of a [Controller].
type ControllerConfig struct {
	// Storage is shared with the other servers of the API.
	Storage Storage
	// Alone states that there are no other servers. The controller then writes no records and no
	// leases, sees changes of the storage only after Period, and ignores Server and Lease.
	Alone bool
	// Server identifies this server. No two servers may use the same identity at the same time. It
	// must not be blank or contain a slash.
	Server string
	// Release is the version of the program, see [CompareReleases]. While servers of several
	// releases run, the newest decides where they differ.
	Release string
	// Period is how often everything is compared even if no change was reported, with a jitter of
	// 20 %. The default is one minute.
	Period time.Duration
	// Lease is how long the other servers consider this one alive after it last renewed its lease.
	// The lease is renewed three times in that period. The default is 30 seconds.
	Lease time.Duration
	// Local selects the Groups that this controller manages: those marked with [LocalAnnotation] if
	// it is set, and otherwise those without the annotation. An aggregator and a server that share
	// a store use different values.
	Local bool
	// Keep, if not nil, reports whether it is not yet known what else this server will announce. As
	// long as it does, the Groups of an earlier process keep all that they list. Call
	// [Controller.Reconcile] afterwards. A Group that this server withdraws is not kept.
	Keep func() bool
	// OnError, if not nil, is called with errors of operations that the controller will retry.
	OnError func(error)
}

// Controller keeps the stored Groups equal to what the servers of an API serve together.
//
// Each server announces what it serves in records, under a lease, and each Group is the [Merge] of
// the announcements of all servers that hold a lease. Every controller compares the Groups with
// that result and writes those that differ, by compare-and-swap, so servers that serve the same
// resources never overwrite each other. During a rolling update, a version or resource appears with
// the first server that serves it and disappears with the last.
//
// The first server that notices an expired lease deletes it, and the announcements of its holder no
// longer count. When the last server stops, the Groups stay as they are, so a restart changes
// nothing.
//
// The number of writes is bounded: a server renews its lease three times per lease duration; it
// writes one record for each group that it announces, changes or withdraws; and each such change of
// a record causes at most one write of a Group, by one of the servers.
type Controller struct {
	c ControllerConfig

	mu        sync.Mutex
	announced map[string][]byte // what this server announces: the record value, by Group name
	sums      map[string]string // a hash of the input of each announcement
	stale     map[string]bool   // Groups with a version that is marked as stale
	earlier   map[string]bool   // Groups of an earlier process that this server has not withdrawn
	begun     bool              // Set was called
	renewed   time.Time         // when the lease was last written; zero for never
	leases    map[string]sighting
	looked    time.Time // when the leases were last read
}

// sighting records when a state of a lease was first seen.
type sighting struct {
	revision uint64
	at       time.Time
}

// lease is the value of a record.
type lease struct {
	seconds float64
	renewal int64
}

// encode returns the value of a record, an object in JSON.
func (l lease) encode() ([]byte, error) {
	out, err := jsonwire.AppendFloat64([]byte(`{"seconds":`), l.seconds)
	if err != nil {
		return nil, err
	}
	return append(jsonwire.AppendIntMember(out, `,"renewal":`, l.renewal), '}'), nil
}

// decodeLease reads the value of a record.
func decodeLease(value []byte) (l lease, err error) {
	r := jsonwire.NewReader(value, jsonwire.Options{})
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "seconds":
			l.seconds = r.Float64(0)
		case "renewal":
			l.renewal = r.Int64(0)
		default:
			r.Skip()
		}
	}
	r.End()
	return l, r.Err()
}

// The prefixes of records.
const (
	leasesPrefix        = "leases/"
	announcementsPrefix = "announcements/"
)

// NewController returns a controller. It does nothing until [Controller.Set] is called.
func NewController(c ControllerConfig) (*Controller, error) {
	if c.Storage == nil || !c.Alone && (c.Server == "" || strings.Contains(c.Server, "/")) {
		return nil, fmt.Errorf(
			"discovery: a controller needs a storage and a server identity without slashes, not %q", c.Server,
		)
	}
	c.Period, c.Lease = cmp.Or(c.Period, time.Minute), cmp.Or(c.Lease, 30*time.Second)
	if c.Period < 0 || c.Lease < time.Millisecond {
		return nil, fmt.Errorf("discovery: a period of %v and a lease of %v are too short for a controller", c.Period, c.Lease)
	}
	if c.OnError == nil {
		c.OnError = func(error) {}
	}
	return &Controller{c: c, announced: map[string][]byte{}, leases: map[string]sighting{}}, nil
}

// Set announces what this server serves from now on. If it returns nil, the affected Groups have
// been written. After an error, [Controller.Run] completes the update.
//
// A group with a stale version keeps its previous announcement, and its Group stays as stored.
func (c *Controller) Set(ctx context.Context, d *Documents) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := c.replace(d)
	if err != nil {
		return err
	}
	first := c.renewed.IsZero()
	c.begun = true
	if err := c.renew(ctx, false); err != nil {
		return err
	}
	if first { // an earlier process may have left Groups that nobody serves
		return c.reconcileAll(ctx)
	}
	return c.reconcile(ctx, changed)
}

// replace makes the announcements those of the documents, and returns the names of the Groups that
// change. A group that is the same as before is not encoded again.
func (c *Controller) replace(d *Documents) (changed []string, err error) {
	next, sums, stale := map[string][]byte{}, map[string]string{}, map[string]bool{}
	for _, g := range d.groups {
		name := g.objectName()
		known := c.announced[name]
		if stale[name] = g.stale(); stale[name] {
			if known != nil {
				next[name], sums[name] = known, c.sums[name]
			}
			continue
		}
		sums[name] = string(g.hash[:]) + d.shown.key
		if known == nil || sums[name] != c.sums[name] {
			a := Announcement{Server: c.c.Server, Release: c.c.Release, Group: g.object(d.shown), local: c.c.Local}
			if known, err = a.encode(); err != nil {
				return nil, fmt.Errorf("discovery: the announcement of %s: %w", name, err)
			}
		}
		next[name] = known
	}
	for name, value := range next {
		if !bytes.Equal(value, c.announced[name]) {
			changed = append(changed, name)
		}
	}
	for name := range c.announced {
		if next[name] == nil {
			changed = append(changed, name)
			delete(c.earlier, name)
		}
	}
	for name := range c.stale {
		if c.stale[name] && !stale[name] && next[name] == nil {
			changed = append(changed, name)
		}
	}
	c.announced, c.sums, c.stale = next, sums, stale
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// Run keeps the Groups up to date until the context is done. It reacts to changes of Groups and
// records, and compares everything once per period. At the end it withdraws the announcements of
// this server and returns nil.
func (c *Controller) Run(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	var wg sync.WaitGroup
	if !c.c.Alone {
		wg.Go(func() { c.listen(ctx, changed) })
	}
	defer wg.Wait()
	renew := time.NewTicker(c.c.Lease / 3)
	defer renew.Stop()
	period := time.NewTimer(c.jittered())
	defer period.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.withdraw(context.WithoutCancel(ctx))
		case <-renew.C:
			c.try(ctx, "renewing the lease", func(ctx context.Context) error {
				c.mu.Lock()
				defer c.mu.Unlock()
				return c.renew(ctx, true)
			})
			continue // the next change or period does the rest
		case <-period.C:
		case <-changed:
			sleep(ctx, settle/2+rand.N(settle)) // changes come in bursts
		}
		c.try(ctx, "reconciling the Groups", c.Reconcile)
		period.Reset(c.jittered())
	}
}

// settle is roughly how long a controller waits after a change, so that it handles a burst at once.
const settle = 20 * time.Millisecond

// withdrawTime limits how long Run takes to withdraw its announcements.
const withdrawTime = 5 * time.Second

// jittered returns the time until the next full comparison.
func (c *Controller) jittered() time.Duration {
	fifth := c.c.Period / 5
	return c.c.Period - fifth + rand.N(2*fifth+1)
}

// listen forwards changes of the storage.
func (c *Controller) listen(ctx context.Context, changed chan<- struct{}) {
	for ctx.Err() == nil {
		if err := c.c.Storage.Changed(ctx); err != nil {
			if ctx.Err() == nil {
				c.c.OnError(fmt.Errorf("discovery: waiting for changes: %w", err))
				sleep(ctx, time.Second)
			}
			continue
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

// try calls do and reports its error.
func (c *Controller) try(ctx context.Context, what string, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		c.c.OnError(fmt.Errorf("discovery: %s: %w", what, err))
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Reconcile compares everything with what is stored and writes the differences: the lease and the
// announcements of this server, if someone else has changed them, and all Groups. [Controller.Run]
// calls it.
func (c *Controller) Reconcile(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun {
		return nil
	}
	if err := c.renew(ctx, false); err != nil { // before the announcements
		return err
	}
	return c.reconcileAll(ctx)
}

func (c *Controller) reconcileAll(ctx context.Context) error {
	names := map[string]bool{}
	groups, err := c.c.Storage.Groups(ctx)
	if err != nil {
		return err
	}
	for _, g := range groups {
		names[g.Name] = true
	}
	if c.earlier == nil {
		c.earlier = maps.Clone(names)
	}
	for name := range c.announced {
		names[name] = true
	}
	var records []Record
	if !c.c.Alone {
		if records, err = c.c.Storage.Records(ctx, announcementsPrefix); err != nil {
			return err
		}
	}
	for _, r := range records {
		if group, _, ok := strings.Cut(strings.TrimPrefix(r.Key, announcementsPrefix), "/"); ok {
			names[group] = true
		}
	}
	return c.reconcile(ctx, slices.Sorted(maps.Keys(names)))
}

// renew writes the lease, always or if it is due.
func (c *Controller) renew(ctx context.Context, always bool) error {
	if !c.begun || !always && time.Since(c.renewed) < c.c.Lease/3 {
		return nil
	}
	now := time.Now()
	if c.c.Alone {
		c.renewed = now
		return nil
	}
	value, err := lease{seconds: c.c.Lease.Seconds(), renewal: now.UnixNano()}.encode()
	if err != nil {
		return err
	}
	if err := c.c.Storage.PutRecord(ctx, leasesPrefix+c.c.Server, value); err != nil {
		return err
	}
	c.renewed = now
	return nil
}

// live returns the servers that hold a lease. It deletes expired leases, and restores the lease of
// this server if someone else has deleted it. It runs whenever a lease is renewed, that of this
// server included, so after a pause the storage was away and no server could renew its lease: all
// leases count from then on.
func (c *Controller) live(ctx context.Context) (map[string]bool, error) {
	records, err := c.c.Storage.Records(ctx, leasesPrefix)
	if err != nil {
		return nil, err
	}
	out, now := map[string]bool{}, time.Now()
	if now.Sub(c.looked) > c.c.Lease/2 {
		clear(c.leases)
	}
	c.looked = now
	for _, r := range records {
		server := strings.TrimPrefix(r.Key, leasesPrefix)
		seen, ok := c.leases[server]
		if !ok || seen.revision != r.Revision {
			seen = sighting{r.Revision, now}
			c.leases[server] = seen
		}
		l, err := decodeLease(r.Value)
		bad := err != nil || l.seconds <= 0
		if server != c.c.Server && (bad || now.Sub(seen.at).Seconds() > l.seconds) {
			if err := c.c.Storage.DeleteRecord(ctx, r.Key, r.Revision); err == nil {
				delete(c.leases, server)
				continue
			} else if !errors.Is(err, metav1.ErrConflict) {
				return nil, err
			}
		}
		out[server] = true
	}
	for server := range c.leases {
		if !out[server] {
			delete(c.leases, server)
		}
	}
	if !out[c.c.Server] {
		if err := c.renew(ctx, true); err != nil {
			return nil, err
		}
		out[c.c.Server] = true
	}
	return out, nil
}

// reconcile brings the named Groups up to date.
func (c *Controller) reconcile(ctx context.Context, names []string) error {
	var errs []error
	for _, name := range names {
		if err := c.reconcileGroup(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("discovery: the Group %s: %w", name, err))
		}
		if err := c.renew(ctx, false); err != nil { // many Groups may take longer than the lease
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// attempts is how often a conflicting write is retried. With each conflict, another server has made
// progress.
const attempts = 20

// reconcileGroup brings one Group up to date. The order of its steps makes the result correct
// although other servers do the same concurrently: each server writes its lease, then its
// announcement, then the Group, and reads the Group before it reads the announcements. If another
// server has changed an announcement and written the Group since then, the resourceVersion of the
// Group has changed.
func (c *Controller) reconcileGroup(ctx context.Context, name string) error {
	if err := c.announce(ctx, name); err != nil {
		return err
	}
	for range attempts {
		stored, err := c.c.Storage.Group(ctx, name)
		if err != nil {
			return err
		}
		wanted, err := c.wanted(ctx, name, stored)
		if err != nil {
			return err
		}
		if err := c.write(ctx, name, stored, wanted); !errors.Is(err, metav1.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("gave up after %d conflicting writes: %w", attempts, metav1.ErrConflict)
}

// announce writes or deletes the record of this server about a group, unless it is already up to
// date.
func (c *Controller) announce(ctx context.Context, name string) error {
	if c.c.Alone {
		return nil
	}
	key := announcementsPrefix + name + "/" + c.c.Server
	records, err := c.c.Storage.Records(ctx, announcementsPrefix+name+"/")
	if err != nil {
		return err
	}
	value, served := c.announced[name]
	i := slices.IndexFunc(records, func(r Record) bool { return r.Key == key })
	switch {
	case served && (i < 0 || !bytes.Equal(records[i].Value, value)):
		return c.c.Storage.PutRecord(ctx, key, value)
	case !served && i >= 0:
		err := c.c.Storage.DeleteRecord(ctx, key, records[i].Revision)
		if errors.Is(err, metav1.ErrConflict) {
			return nil // an earlier process with this identity wrote it again; the next round sees it
		}
		return err
	}
	return nil
}

// wanted returns the Group that the servers with a lease serve together. What is stored counts as
// the announcement of an earlier process as long as it is kept.
func (c *Controller) wanted(ctx context.Context, name string, stored *v1alpha1.Group) (*v1alpha1.Group, error) {
	all, err := c.announcements(ctx, name)
	if err != nil {
		return nil, err
	}
	if stored != nil && c.earlier[name] && c.c.Keep != nil && c.c.Keep() {
		all = append(all, Announcement{Group: stored})
	}
	return Merge(all), nil
}

// announcements returns those of the servers with a lease about a group. It considers either the
// servers that mark their Groups as local or the others, according to the settings. It deletes
// announcements of servers without a lease.
func (c *Controller) announcements(ctx context.Context, name string) (all []Announcement, err error) {
	if c.c.Alone {
		value, ok := c.announced[name]
		if !ok {
			return nil, nil
		}
		a, err := decodeAnnouncement(name, c.c.Server, value)
		return []Announcement{a}, err
	}
	prefix := announcementsPrefix + name + "/"
	records, err := c.c.Storage.Records(ctx, prefix)
	if err != nil {
		return nil, err
	}
	live, err := c.live(ctx) // after the announcements, because a server writes its lease first
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		server := strings.TrimPrefix(r.Key, prefix)
		if !live[server] {
			if err := c.c.Storage.DeleteRecord(ctx, r.Key, r.Revision); err != nil &&
				!errors.Is(err, metav1.ErrConflict) {
				return nil, err
			}
			continue
		}
		a, err := decodeAnnouncement(name, server, r.Value)
		if err != nil {
			c.c.OnError(err)
			continue
		}
		if a.local == c.c.Local {
			all = append(all, a)
		}
	}
	return all, nil
}

// write makes the stored Group equal to the wanted one. Groups that belong to someone else are left
// alone.
func (c *Controller) write(ctx context.Context, name string, stored, wanted *v1alpha1.Group) error {
	switch {
	case stored != nil && (stored.Annotations[LocalAnnotation] == "true") != c.c.Local:
		return nil
	case stored != nil && c.stale[name]:
		return nil
	case stored == nil && wanted == nil:
		return nil
	case wanted == nil:
		return c.c.Storage.DeleteGroup(ctx, name, stored.ResourceVersion)
	case stored == nil:
		stored = newGroup(name)
	case sameContent(stored, wanted):
		return nil
	}
	stored.Status = wanted.Status
	if stored.Annotations == nil {
		stored.Annotations = map[string]string{}
	}
	delete(stored.Annotations, PrefixAnnotation)
	maps.Copy(stored.Annotations, wanted.Annotations)
	if c.c.Local {
		stored.Annotations[LocalAnnotation] = "true"
	}
	return c.c.Storage.PutGroup(ctx, stored)
}

// sameContent reports whether a stored Group has the wanted content.
func sameContent(stored, wanted *v1alpha1.Group) bool {
	if stored.Annotations[PrefixAnnotation] != wanted.Annotations[PrefixAnnotation] {
		return false
	}
	a, errA := v1alpha1.AppendJSONGroupStatus(nil, &stored.Status)
	b, errB := v1alpha1.AppendJSONGroupStatus(nil, &wanted.Status)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// withdraw deletes the announcements of this server and its lease. The other servers see that and
// update the Groups. If there are no others, the Groups stay.
func (c *Controller) withdraw(ctx context.Context) error {
	if c.c.Alone {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, withdrawTime)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	// The lease is deleted first, which invalidates all announcements at once.
	var errs []error
	for _, prefix := range []string{leasesPrefix, announcementsPrefix} {
		records, err := c.c.Storage.Records(ctx, prefix)
		errs = append(errs, err)
		for _, r := range records {
			if strings.HasSuffix(r.Key, "/"+c.c.Server) {
				errs = append(errs, c.c.Storage.DeleteRecord(ctx, r.Key, r.Revision))
			}
		}
	}
	c.begun, c.renewed, c.announced, c.sums = false, time.Time{}, map[string][]byte{}, nil
	return errors.Join(errs...)
}
