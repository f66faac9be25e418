package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/client"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// checkOptions are the settings of a check.
type checkOptions struct {
	period time.Duration
	seed   uint64 // 0 for a random one
	out    io.Writer
}

// check kills, stops and starts one part after the other while clients write and watch, and returns
// an error unless all of this holds:
//
//   - every write that was acknowledged is an event of every watch, in the order of the writes;
//   - no event comes twice, and each is a write that somebody tried;
//   - all watches see the same events in the same order, whether they are with one replica, move
//     between replicas after each event, or go through the aggregator, and none expires;
//   - a read after an acknowledged write shows it or a later one, whichever replica answers;
//   - what the events lead to is what every replica lists in the end.
func check(ctx context.Context, all *installation, o checkOptions) error {
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	c := &checker{
		all: all, out: o.out, random: rand.New(rand.NewPCG(o.seed, 1)),
		run: strconv.FormatInt(time.Now().UnixMilli(), 36),
	}
	for _, name := range all.names {
		if kind := all.parts[name].Kind; kind == "fleet" || kind == "front" {
			access, err := newAccess("http://" + all.address(name))
			if err != nil {
				return err
			}
			c.ways = append(c.ways, way{name, access})
		}
	}
	fmt.Fprintf(o.out, "checking for %v, -seed %d\n", o.period, o.seed)
	return c.check(ctx, o.period)
}

// machines gives access to the objects of a check.
type machines = client.Resource[fleetv1.Machine]

// way is one access path to the objects: a replica, or the aggregator.
type way struct {
	name     string
	machines *machines
}

// newAccess returns access to the machines through a server. It does not repeat requests, so that
// each is answered for once.
func newAccess(address string) (*machines, error) {
	scheme, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		return nil, err
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		return nil, err
	}
	backend, err := client.HTTP(address, factory, client.Retries(0), client.RoundTripper(&http.Transport{}))
	if err != nil {
		return nil, err
	}
	return client.Of[fleetv1.Machine](client.New(backend, scheme)).In(metav1.NamespaceDefault), nil
}

// checker is one check.
type checker struct {
	all    *installation
	out    io.Writer
	random *rand.Rand // of the faults
	run    string     // tells the objects of this check from others
	ways   []way

	faults, attempts, acknowledged atomic.Int64

	mu         sync.Mutex
	violations []error
}

// The labels of objects: the check that they belong to, and the attempt that wrote them.
const (
	runLabel    = "cluster.example.com/run"
	numberLabel = "cluster.example.com/number"
)

const (
	writerCount = 8
	requestTime = 10 * time.Second
	settleTime  = time.Minute // until everybody has seen everything, without faults
)

// violation records a violated guarantee.
func (c *checker) violation(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.violations = append(c.violations, fmt.Errorf(format, args...))
}

// check runs all phases.
func (c *checker) check(ctx context.Context, period time.Duration) error {
	begin, err := c.ways[0].machines.List(ctx, c.mine())
	if err != nil {
		return err
	}
	watching, endWatching := context.WithCancel(ctx)
	defer endWatching()
	var watches sync.WaitGroup
	watchers := c.newWatchers(begin.ResourceVersion)
	for _, w := range watchers {
		watches.Go(func() { w.run(watching) })
	}
	writing, endWriting := context.WithTimeout(ctx, period)
	defer endWriting()
	var writes sync.WaitGroup
	var writers []*writer
	for i := range writerCount {
		w := &writer{
			checker: c, name: fmt.Sprintf("check-%s-%d", c.run, i), random: rand.New(rand.NewPCG(c.random.Uint64(), 2)),
		}
		writers = append(writers, w)
		writes.Go(func() { w.work(writing) })
	}
	err = c.fail(writing)
	endWriting()
	writes.Wait()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	end, err := c.ways[0].machines.Create(ctx, newMachine(c.endName(), c.run, 0))
	if err != nil {
		return err
	}
	if !c.allReach(ctx, watchers, c.endName()) {
		endWatching()
	}
	watches.Wait()
	c.compare(ctx, writers, watchers, end.ResourceVersion)
	c.clean(ctx)
	return c.report(watchers)
}

func (c *checker) mine() client.Option { return client.Labels(runLabel + "=" + c.run) }

// endName returns the name of the last object written.
func (c *checker) endName() string { return "check-" + c.run + "-end" }

func newMachine(name, run string, number int) *fleetv1.Machine {
	return &fleetv1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespaceDefault, Name: name,
			Labels: map[string]string{runLabel: run, numberLabel: strconv.Itoa(number)},
		},
		Spec: fleetv1.MachineSpec{
			Zone: "fra-1", Hardware: fleetv1.Hardware{Cores: 4, Memory: resource.MustParse("8Gi")},
			Boot: fleetv1.BootSource{Type: fleetv1.BootFromImage, Image: &fleetv1.BootImage{Name: "debian-13"}},
		},
	}
}

// fail kills or stops one part after the other, and starts it again, until the context is done.
func (c *checker) fail(ctx context.Context) error {
	names := c.all.names
	for pause(ctx, time.Duration(c.random.IntN(700)+1)*time.Millisecond) {
		name := names[c.random.IntN(len(names))]
		end, what := c.all.kill, "killed"
		if c.random.IntN(5) == 0 {
			end, what = c.all.stop, "stopped"
		}
		c.faults.Add(1)
		fmt.Fprintf(c.out, "  %s %s\n", what, name)
		if err := end(name); err != nil {
			return err
		}
		pause(ctx, time.Duration(c.random.IntN(1500)+1)*time.Millisecond)
		// Everything is up again at the end, whatever the context.
		if err := c.all.start(context.WithoutCancel(ctx), name); err != nil {
			return err
		}
	}
	return nil
}

// pause waits, and reports whether the context is still good.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// writer writes one object, again and again, each time by another way. An attempt that fails may
// have taken effect or not, and the writer reads then to find out.
type writer struct {
	*checker
	name   string
	random *rand.Rand

	number   int // of the last attempt to put
	attempts []attempt
}

// attempt is a write that was tried, in the words of an event.
type attempt struct {
	event        string
	acknowledged bool
}

// The words of events: what was put, or what was there when the object was deleted.
func putEvent(name, number string) string    { return name + " " + number }
func deleteEvent(name, number string) string { return name + " " + number + " deleted" }

// work writes until the context is done.
func (w *writer) work(ctx context.Context) {
	var current *fleetv1.Machine
	known := false
	for ctx.Err() == nil {
		if !known || w.random.IntN(4) == 0 { // a read after a write, too
			read, err := w.read(ctx)
			if err != nil {
				pause(ctx, 20*time.Millisecond)
				continue
			}
			current, known = read, true
		}
		next, err := w.write(ctx, current)
		current, known = next, err == nil
		pause(ctx, time.Duration(w.random.IntN(20)+1)*time.Millisecond)
	}
}

func (w *writer) way() *machines { return w.ways[w.random.IntN(len(w.ways))].machines }

// read returns the object, or nil if it does not exist, and checks that it is not older than the
// last acknowledged write.
func (w *writer) read(ctx context.Context) (*fleetv1.Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	m, err := w.way().Get(ctx, w.name)
	if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
		return nil, err
	}
	last := -1
	for i, a := range w.attempts {
		if a.acknowledged {
			last = i
		}
	}
	if last < 0 {
		return m, nil
	}
	for _, a := range w.attempts[last:] {
		if m == nil && strings.HasSuffix(a.event, " deleted") ||
			m != nil && a.event == putEvent(w.name, m.Labels[numberLabel]) {
			return m, nil
		}
	}
	w.violation("a read after the acknowledged write %q shows %s", w.attempts[last].event, describe(m))
	return m, nil
}

func describe(m *fleetv1.Machine) string {
	if m == nil {
		return "nothing"
	}
	return "number " + m.Labels[numberLabel]
}

// write creates, changes or deletes the object, and returns the result.
func (w *writer) write(ctx context.Context, current *fleetv1.Machine) (*fleetv1.Machine, error) {
	// A write is not broken off when the check ends, so that it is acknowledged if it can be.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	r := w.way()
	if current != nil && w.random.IntN(10) == 0 {
		err := r.Delete(ctx, w.name, client.IfVersion(current.ResourceVersion))
		w.note(deleteEvent(w.name, current.Labels[numberLabel]), err)
		return nil, err
	}
	w.number++
	event := putEvent(w.name, strconv.Itoa(w.number))
	if current == nil {
		made, err := r.Create(ctx, newMachine(w.name, w.run, w.number))
		w.note(event, err)
		return made, err
	}
	next := newMachine(w.name, w.run, w.number)
	next.ResourceVersion = current.ResourceVersion
	made, err := r.Update(ctx, next)
	w.note(event, err)
	return made, err
}

// note records an attempt. A deletion can be tried several times for one state.
func (w *writer) note(event string, err error) {
	w.checker.attempts.Add(1)
	if err == nil {
		w.checker.acknowledged.Add(1)
	}
	w.attempts = append(w.attempts, attempt{event, err == nil})
}

// watcher follows the objects and records every event.
type watcher struct {
	*checker
	name string
	ways []way // by turns, after each interruption
	move bool  // go to another way after each event

	mu       sync.Mutex
	events   []watched
	version  string
	requests int
}

// watched is an event of a watch.
type watched struct{ version, event string }

// newWatchers returns a watcher for each way, and one that moves between the replicas.
func (c *checker) newWatchers(version string) []*watcher {
	var out []*watcher
	for _, w := range c.ways {
		out = append(out, &watcher{checker: c, name: w.name, ways: []way{w}, version: version})
	}
	return append(out, &watcher{checker: c, name: "moving", ways: c.ways, move: true, version: version})
}

// run watches until the last object has been seen or the context is done.
func (w *watcher) run(ctx context.Context) {
	for turn := 0; ctx.Err() == nil && !w.saw(w.endName()); turn++ {
		err := w.watch(ctx, w.ways[turn%len(w.ways)].machines)
		if reason := metav1.ReasonOf(err); err != nil &&
			(reason == metav1.StatusReasonExpired || reason == metav1.StatusReasonGone) {
			w.violation("%s: the watch has expired: %w", w.name, err)
			return
		}
		if err != nil {
			pause(ctx, 20*time.Millisecond)
		}
	}
}

// watch is one request. Its error is why it ended, nil if the watcher is to move.
func (w *watcher) watch(ctx context.Context, r *machines) error {
	w.mu.Lock()
	w.requests++
	version := w.version
	w.mu.Unlock()
	for event, err := range r.Watch(ctx, client.AtVersion(version), client.Bookmarks(), w.mine()) {
		if err != nil {
			return err
		}
		w.take(&event)
		if event.Type != metav1.WatchBookmark && w.move || w.saw(w.endName()) {
			return nil
		}
	}
	return errors.New("the server ended the watch")
}

// take records an event.
func (w *watcher) take(e *client.Event[fleetv1.Machine]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, err1 := strconv.ParseUint(w.version, 10, 64)
	version, err2 := strconv.ParseUint(e.ResourceVersion, 10, 64)
	switch {
	case err1 != nil || err2 != nil:
		w.violation("%s: the versions %q and %q are not numbers", w.name, w.version, e.ResourceVersion)
	case version < before || version == before && e.Type != metav1.WatchBookmark:
		w.violation("%s: an event of version %d comes after version %d", w.name, version, before)
	}
	w.version = e.ResourceVersion
	name, number := e.Object.Name, e.Object.Labels[numberLabel]
	switch e.Type {
	case metav1.WatchBookmark:
	case metav1.WatchDeleted:
		w.events = append(w.events, watched{e.ResourceVersion, deleteEvent(name, number)})
	default:
		w.events = append(w.events, watched{e.ResourceVersion, putEvent(name, number)})
	}
}

// saw reports whether the last event is about an object.
func (w *watcher) saw(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.events) > 0 && strings.HasPrefix(w.events[len(w.events)-1].event, name+" ")
}

// allReach waits until all watchers have seen an object, and reports whether they have.
func (c *checker) allReach(ctx context.Context, watchers []*watcher, name string) bool {
	for deadline := time.Now().Add(settleTime); ; {
		late := ""
		for _, w := range watchers {
			if !w.saw(name) {
				late = w.name
			}
		}
		if late == "" {
			return true
		}
		if time.Now().After(deadline) {
			c.violation("%s: the last event does not come", late)
			return false
		}
		if !pause(ctx, 20*time.Millisecond) {
			return false
		}
	}
}

// compare checks that watchers, writers and lists agree.
func (c *checker) compare(ctx context.Context, writers []*writer, watchers []*watcher, end string) {
	first := watchers[0]
	for _, w := range watchers[1:] {
		c.compareEvents(first, w)
	}
	seen := map[string]int{} // the place of each event
	for i, e := range first.events {
		if before, twice := seen[e.event]; twice {
			c.violation("the event %q comes twice, in places %d and %d", e.event, before, i)
		}
		seen[e.event] = i
	}
	tried := map[string]bool{putEvent(c.endName(), "0"): true}
	for _, w := range writers {
		last := -1
		for _, a := range w.attempts {
			tried[a.event] = true
			place, ok := seen[a.event]
			switch {
			case !a.acknowledged:
			case !ok:
				c.violation("the acknowledged write %q has no event", a.event)
			case place <= last:
				c.violation("the acknowledged write %q comes before an earlier one", a.event)
			default:
				last = place
			}
		}
	}
	for _, e := range first.events {
		if !tried[e.event] {
			c.violation("nobody has tried the write of the event %q", e.event)
		}
	}
	c.compareLists(ctx, first, end)
}

// compareEvents checks that two watchers saw the same events.
func (c *checker) compareEvents(a, b *watcher) {
	if slices.Equal(a.events, b.events) {
		return
	}
	for i := range max(len(a.events), len(b.events)) {
		at := func(w *watcher) watched {
			if i < len(w.events) {
				return w.events[i]
			}
			return watched{"none", "none"}
		}
		if x, y := at(a), at(b); x != y {
			c.violation("event %d of %s is %v, and of %s %v", i, a.name, x, b.name, y)
			return
		}
	}
}

// compareLists checks that every access path lists the state that results from the events.
func (c *checker) compareLists(ctx context.Context, w *watcher, end string) {
	state := map[string]string{}
	for _, e := range w.events {
		name, rest, _ := strings.Cut(e.event, " ")
		if state[name] = rest; strings.HasSuffix(rest, " deleted") {
			delete(state, name)
		}
	}
	for _, way := range c.ways {
		list, err := way.machines.List(ctx, c.mine(), client.AtVersion(end), client.Exactly())
		if err != nil {
			c.violation("%s: listing in the end: %w", way.name, err)
			continue
		}
		listed := map[string]string{}
		for _, m := range list.Items {
			listed[m.Name] = m.Labels[numberLabel]
		}
		if !maps.Equal(listed, state) {
			c.violation("%s lists %v, and the events lead to %v", way.name, listed, state)
		}
	}
}

// clean deletes the objects of the check.
func (c *checker) clean(ctx context.Context) {
	if err := c.ways[0].machines.DeleteAll(ctx, c.mine()); err != nil {
		fmt.Fprintf(c.out, "the objects of the check remain: %v\n", err)
	}
}

// report describes what was found.
func (c *checker) report(watchers []*watcher) error {
	requests := 0
	for _, w := range watchers {
		requests += w.requests
	}
	fmt.Fprintf(c.out, "%d faults; %d writes were tried and %d acknowledged; %d watchers saw %d events in %d requests\n",
		c.faults.Load(), c.attempts.Load(), c.acknowledged.Load(), len(watchers), len(watchers[0].events), requests)
	if err := errors.Join(c.violations...); err != nil {
		return err
	}
	if c.acknowledged.Load() == 0 {
		return errors.New("no write was acknowledged, so nothing could be lost; look into the logs, or check for longer with -for")
	}
	fmt.Fprintln(c.out, "ok: nothing was lost, repeated or reordered")
	return nil
}
