package discovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
)

// ControllerConfig are the settings of a [Controller].
type ControllerConfig struct {
	// Storage is shared with the other servers of the API.
	Storage Storage
	// Server identifies this server among them. No two may have the same at a time. It must not be
	// blank or have a slash.
	Server string
	// Release is the version of the program, see [CompareReleases]. While servers of several
	// releases run, the newest decides where they differ.
	Release string
	// Period is how often everything is compared although nothing is known to have changed, give or
	// take a fifth. The default is one minute.
	Period time.Duration
	// Lease is for how long the other servers count on this one after they last heard of it. It is
	// renewed three times in that time. The default is 30 seconds.
	Lease time.Duration
	// Local marks the Groups with [LocalAnnotation] and leaves those without it alone. If it is not
	// set, it is the other way round. An aggregator and the server whose store it shares have
	// different values.
	Local bool
	// OnError is told what the controller could not do, and tries again later. It may be nil.
	OnError func(error)
}

// Controller keeps the stored Groups equal to what the servers of an API serve together.
//
// Each server announces what it serves in records, under a lease, and each Group is [Merge] of the
// announcements of all servers with a lease. Every controller writes a Group if it differs from
// that, by compare and swap. So servers that serve the same never write against each other. When a
// program is updated server by server, a version or resource appears with the first server that has
// it, and goes with the last.
//
// The first server to notice deletes a lease that was not renewed, and what its server announced
// does not count from then on. When the last server ends, the Groups stay as they are, and so a
// restart changes nothing.
//
// Writes are bounded: a server writes its lease once in a third of its time; it writes one record
// for each group that it announces, changes or withdraws; and for each such change of a record a
// Group is written at most once, by one of the servers.
type Controller struct {
	c ControllerConfig

	mu        sync.Mutex
	announced map[string][]byte // what this server announces: the value of the record by the name of the Group
	sums      map[string]string // what each announcement was made of
	renewed   time.Time         // when the lease was last written; zero before Set was called
	leases    map[string]sighting
}

// sighting is when a state of a lease was first seen.
type sighting struct {
	revision uint64
	at       time.Time
}

// lease is the value of a record.
type lease struct {
	Seconds float64 `json:"seconds"`
	Renewal int64   `json:"renewal"`
}

// The prefixes of records.
const (
	leasesPrefix        = "leases/"
	announcementsPrefix = "announcements/"
)

// NewController returns a controller. It does nothing until [Controller.Set] is called.
func NewController(c ControllerConfig) (*Controller, error) {
	if c.Storage == nil || c.Server == "" || strings.Contains(c.Server, "/") {
		return nil, fmt.Errorf(
			"discovery: a controller needs a storage, and an identity of the server without slashes, not %q", c.Server,
		)
	}
	c.Period, c.Lease = cmp.Or(c.Period, time.Minute), cmp.Or(c.Lease, 30*time.Second)
	if c.OnError == nil {
		c.OnError = func(error) {}
	}
	return &Controller{c: c, announced: map[string][]byte{}, leases: map[string]sighting{}}, nil
}

// Set announces what this server serves from now on. When it returns without an error, the Groups
// that this changes have been written. After an error the rest is done by [Controller.Run].
func (c *Controller) Set(ctx context.Context, d *Documents) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, sums := map[string][]byte{}, map[string]string{}
	for _, g := range d.groups {
		name := g.objectName()
		sums[name] = string(g.hash[:]) + d.shown.key
		if next[name] = c.announced[name]; next[name] != nil && sums[name] == c.sums[name] {
			continue
		}
		value, err := (&Announcement{Server: c.c.Server, Release: c.c.Release, Group: g.object(d.shown)}).encode()
		if err != nil {
			return fmt.Errorf("discovery: the announcement of %s: %w", name, err)
		}
		next[name] = value
	}
	var changed []string
	for name := range next {
		if !bytes.Equal(next[name], c.announced[name]) {
			changed = append(changed, name)
		}
	}
	for name := range c.announced {
		if next[name] == nil {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	c.announced, c.sums = next, sums
	first := c.renewed.IsZero()
	if err := c.renew(ctx, false); err != nil {
		return err
	}
	if first { // an earlier process may have left Groups that nobody serves
		return c.reconcileAll(ctx)
	}
	return c.reconcile(ctx, changed)
}

// Run keeps the Groups up to date until the context is done: when a Group or a record changes, and
// from time to time. Then it withdraws what this server announced and returns nil.
func (c *Controller) Run(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() { c.listen(ctx, changed) })
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
			continue // what else there is to do is done with the next change or period
		case <-period.C:
		case <-changed:
			sleep(ctx, settle/2+rand.N(settle)) // changes come in numbers
		}
		c.try(ctx, "reconciling the Groups", c.Reconcile)
		period.Reset(c.jittered())
	}
}

// settle is about how long a controller waits after a change for others to come.
const settle = 20 * time.Millisecond

// withdrawTime bounds the end of Run.
const withdrawTime = 5 * time.Second

// jittered returns the time until everything is compared again.
func (c *Controller) jittered() time.Duration {
	fifth := c.c.Period / 5
	return c.c.Period - fifth + rand.N(2*fifth+1)
}

// listen passes changes of the storage on.
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

// try does something and logs its error.
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

// Reconcile compares everything with what is stored, and writes what differs: the lease and the
// announcements of this server if somebody else has changed them, and all Groups. [Controller.Run]
// calls it.
func (c *Controller) Reconcile(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.renewed.IsZero() {
		return nil // nothing has been announced yet
	}
	return c.reconcileAll(ctx)
}

func (c *Controller) reconcileAll(ctx context.Context) error {
	names := map[string]bool{}
	for name := range c.announced {
		names[name] = true
	}
	groups, err := c.c.Storage.Groups(ctx)
	if err != nil {
		return err
	}
	for _, g := range groups {
		names[g.Name] = true
	}
	records, err := c.c.Storage.Records(ctx, announcementsPrefix)
	if err != nil {
		return err
	}
	for _, r := range records {
		if group, _, ok := strings.Cut(strings.TrimPrefix(r.Key, announcementsPrefix), "/"); ok {
			names[group] = true
		}
	}
	return c.reconcile(ctx, slices.Sorted(maps.Keys(names)))
}

// renew writes the lease, if it is there no longer or it is time.
func (c *Controller) renew(ctx context.Context, always bool) error {
	if !always && !c.renewed.IsZero() && time.Since(c.renewed) < c.c.Lease/3 || always && c.renewed.IsZero() {
		return nil
	}
	now := time.Now()
	value, err := json.Marshal(lease{Seconds: c.c.Lease.Seconds(), Renewal: now.UnixNano()})
	if err != nil {
		return err
	}
	if err := c.c.Storage.PutRecord(ctx, leasesPrefix+c.c.Server, value); err != nil {
		return err
	}
	c.renewed = now
	return nil
}

// live returns the servers that have a lease. It deletes the leases of those that were not heard of
// for too long, and writes that of this server if somebody has deleted it.
func (c *Controller) live(ctx context.Context) (map[string]bool, error) {
	records, err := c.c.Storage.Records(ctx, leasesPrefix)
	if err != nil {
		return nil, err
	}
	out, now := map[string]bool{}, time.Now()
	for _, r := range records {
		server := strings.TrimPrefix(r.Key, leasesPrefix)
		seen, ok := c.leases[server]
		if !ok || seen.revision != r.Revision {
			seen = sighting{r.Revision, now}
			c.leases[server] = seen
		}
		var l lease
		bad := json.Unmarshal(r.Value, &l) != nil || l.Seconds <= 0
		if server != c.c.Server && (bad || now.Sub(seen.at).Seconds() > l.Seconds) {
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
		c.renewed = time.Time{}
		if err := c.renew(ctx, false); err != nil {
			return nil, err
		}
		out[c.c.Server] = true
	}
	return out, nil
}

// reconcile brings some Groups up to date.
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

// attempts is how often a write is tried that others get in the way of. Each time one of the others
// has made progress.
const attempts = 20

// reconcileGroup brings one Group up to date. The order of its steps is what makes the result right
// although others do the same: each server writes its lease, then its announcement, then the Group,
// and reads the Group before it reads what the Group is made of. If the others announced or
// withdrew something since then and wrote the Group, its version is another one.
func (c *Controller) reconcileGroup(ctx context.Context, name string) error {
	if err := c.announce(ctx, name); err != nil {
		return err
	}
	for range attempts {
		stored, err := c.c.Storage.Group(ctx, name)
		if err != nil {
			return err
		}
		wanted, err := c.wanted(ctx, name)
		if err != nil {
			return err
		}
		if err := c.write(ctx, name, stored, wanted); !errors.Is(err, metav1.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("others wrote it %d times while it was compared: %w", attempts, metav1.ErrConflict)
}

// announce writes the record of this server about a group, or deletes it, if it is not as it should
// be.
func (c *Controller) announce(ctx context.Context, name string) error {
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
			return nil // written again by an earlier process of this name; the next round sees it
		}
		return err
	}
	return nil
}

// wanted returns the Group that the servers with a lease serve together. It deletes announcements
// of servers without one.
func (c *Controller) wanted(ctx context.Context, name string) (*v1alpha1.Group, error) {
	prefix := announcementsPrefix + name + "/"
	records, err := c.c.Storage.Records(ctx, prefix)
	if err != nil {
		return nil, err
	}
	live, err := c.live(ctx) // after the announcements, because a server has its lease first
	if err != nil {
		return nil, err
	}
	var all []Announcement
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
		all = append(all, a)
	}
	return Merge(all), nil
}

// write makes the stored Group the wanted one. Groups that are marked as somebody else's are left
// alone.
func (c *Controller) write(ctx context.Context, name string, stored, wanted *v1alpha1.Group) error {
	if stored != nil && (stored.Annotations[LocalAnnotation] == "true") != c.c.Local {
		return nil
	}
	switch {
	case stored == nil && wanted == nil:
		return nil
	case wanted == nil:
		return c.c.Storage.DeleteGroup(ctx, name, stored.ResourceVersion)
	case stored == nil:
		stored = newGroup(name)
	case sameContent(stored, wanted, c.c.Local):
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

// sameContent reports whether a stored Group says what it should.
func sameContent(stored, wanted *v1alpha1.Group, local bool) bool {
	if stored.Annotations[PrefixAnnotation] != wanted.Annotations[PrefixAnnotation] {
		return false
	}
	if (stored.Annotations[LocalAnnotation] == "true") != local {
		return false
	}
	a, errA := v1alpha1.AppendJSONGroupStatus(nil, &stored.Status)
	b, errB := v1alpha1.AppendJSONGroupStatus(nil, &wanted.Status)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// withdraw deletes what this server announced, and its lease. The other servers see that and write
// the Groups; if there is no other one, they stay.
func (c *Controller) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, withdrawTime)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	// The lease goes first: from then on the announcements do not count, all at once.
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
	c.renewed, c.announced, c.sums = time.Time{}, map[string][]byte{}, nil
	return errors.Join(errs...)
}
