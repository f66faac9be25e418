package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// shared is a storage in memory that several servers share.
type shared struct {
	mu       sync.Mutex
	groups   map[string]*v1alpha1.Group
	records  map[string]discovery.Record
	revision uint64
	changed  chan struct{}
	// history holds the states that each Group has had, blank where it was deleted. writes counts
	// the writes by type.
	history map[string][]string
	writes  map[string]int
}

func newShared() *shared {
	return &shared{
		groups: map[string]*v1alpha1.Group{}, records: map[string]discovery.Record{}, changed: make(chan struct{}),
		history: map[string][]string{}, writes: map[string]int{},
	}
}

// wrote records a write. The lock is held.
func (s *shared) wrote(what string) {
	s.revision++
	s.writes[what]++
	close(s.changed)
	s.changed = make(chan struct{})
}

// state returns the names of the Groups with their versions.
func (s *shared) state() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.groups)) {
		out = append(out, name+"="+v1alpha1.VersionNames(s.groups[name]))
	}
	return out
}

// handle is the storage as one server sees it. Each operation calls gate first and returns its
// error, if any.
type handle struct {
	*shared
	gate func() error
	last chan struct{}
}

func (h *handle) enter() error {
	if h.gate == nil {
		return nil
	}
	return h.gate()
}

func (h *handle) Groups(context.Context) ([]*v1alpha1.Group, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*v1alpha1.Group
	for _, g := range h.groups {
		out = append(out, copyOf(g))
	}
	return out, nil
}

func copyOf(g *v1alpha1.Group) *v1alpha1.Group {
	out := &v1alpha1.Group{}
	v1alpha1.DeepCopyIntoGroup(g, out)
	return out
}

func (h *handle) Group(_ context.Context, name string) (*v1alpha1.Group, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.groups[name]; g != nil {
		return copyOf(g), nil
	}
	return nil, nil
}

func (h *handle) PutGroup(_ context.Context, g *v1alpha1.Group) error {
	if err := h.enter(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	present := ""
	if p := h.groups[g.Name]; p != nil {
		present = p.ResourceVersion
	}
	if present != g.ResourceVersion {
		return metav1.Conflict(schema.GroupResource{Resource: "groups"}, g.Name, metav1.ErrConflict)
	}
	h.wrote("groups")
	out := copyOf(g)
	out.ResourceVersion = strconv.FormatUint(h.revision, 10)
	h.groups[g.Name] = out
	text, err := v1alpha1.AppendJSONGroupStatus(nil, &g.Status)
	if err != nil {
		return err
	}
	h.history[g.Name] = append(h.history[g.Name], string(text))
	return nil
}

func (h *handle) DeleteGroup(_ context.Context, name, version string) error {
	if err := h.enter(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.groups[name]; p == nil || p.ResourceVersion != version {
		return metav1.Conflict(schema.GroupResource{Resource: "groups"}, name, metav1.ErrConflict)
	}
	h.wrote("groups")
	delete(h.groups, name)
	h.history[name] = append(h.history[name], "")
	return nil
}

func (h *handle) Records(_ context.Context, prefix string) ([]discovery.Record, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []discovery.Record
	for _, key := range slices.Sorted(maps.Keys(h.records)) {
		if strings.HasPrefix(key, prefix) {
			out = append(out, h.records[key])
		}
	}
	return out, nil
}

func (h *handle) PutRecord(_ context.Context, key string, value []byte) error {
	if err := h.enter(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrote(key[:strings.IndexByte(key, '/')])
	h.records[key] = discovery.Record{Key: key, Value: value, Revision: h.revision}
	return nil
}

func (h *handle) DeleteRecord(_ context.Context, key string, revision uint64) error {
	if err := h.enter(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.records[key]
	if ok && r.Revision != revision {
		return metav1.Conflict(schema.GroupResource{Resource: "records"}, key, metav1.ErrConflict)
	}
	if ok {
		h.wrote(key[:strings.IndexByte(key, '/')])
		delete(h.records, key)
	}
	return nil
}

func (h *handle) Changed(ctx context.Context) error {
	h.mu.Lock()
	wait := h.last
	h.last = h.changed
	h.mu.Unlock()
	if wait == nil {
		return nil
	}
	select {
	case <-wait:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serves makes documents of "group/version/resource,resource …".
func serves(t testing.TB, text string) *discovery.Documents {
	t.Helper()
	var c discovery.Config
	for _, part := range strings.Fields(text) {
		p := strings.Split(part, "/")
		for _, name := range strings.Split(p[2], ",") {
			c.Resources = append(c.Resources, resource("", p[0]+".example.com", p[1], name, "K"+name))
		}
	}
	return documents(t, c)
}

func controller(t testing.TB, s discovery.Storage, server, release string) *discovery.Controller {
	t.Helper()
	c, err := discovery.NewController(discovery.ControllerConfig{Storage: s, Server: server, Release: release})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestControllerWritesWhatChanges changes what one server serves and counts the writes.
func TestControllerWritesWhatChanges(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShared()
	c := controller(t, &handle{shared: s}, "a", "1.0.0")
	for _, step := range []struct {
		name, serves string
		state        []string
		writes       int // of Groups
	}{
		{"the first two", "cars/v1/cars boats/v1/boats", []string{"boats.example.com=v1", "cars.example.com=v1"}, 2},
		{"the same again", "cars/v1/cars boats/v1/boats", []string{"boats.example.com=v1", "cars.example.com=v1"}, 0},
		{
			"one installed", "cars/v1/cars boats/v1/boats planes/v1/planes",
			[]string{"boats.example.com=v1", "cars.example.com=v1", "planes.example.com=v1"},
			1,
		},
		{
			"one changed", "cars/v2/cars cars/v1/cars boats/v1/boats planes/v1/planes",
			[]string{"boats.example.com=v1", "cars.example.com=v2,v1", "planes.example.com=v1"},
			1,
		},
		{
			"one removed", "cars/v2/cars cars/v1/cars planes/v1/planes",
			[]string{"cars.example.com=v2,v1", "planes.example.com=v1"},
			1,
		},
	} {
		before := s.writes["groups"]
		if err := c.Set(ctx, serves(t, step.serves)); err != nil {
			t.Fatal(err)
		}
		if got := s.state(); !slices.Equal(got, step.state) || s.writes["groups"]-before != step.writes {
			t.Errorf("%s: got %q after %d writes", step.name, got, s.writes["groups"]-before)
		}
	}
}

// TestControllerRepairs checks that changes by others are reverted.
func TestControllerRepairs(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShared()
	h := &handle{shared: s}
	c := controller(t, h, "a", "1.0.0")
	if err := c.Set(ctx, serves(t, "cars/v1/cars boats/v1/boats")); err != nil {
		t.Fatal(err)
	}
	want := s.state()
	changed, _ := h.Group(ctx, "cars.example.com")
	changed.Status.Versions[0].Name, changed.Labels = "v9", map[string]string{"team": "a"}
	gone, _ := h.Group(ctx, "boats.example.com")
	extra := copyOf(gone)
	extra.Name, extra.ResourceVersion = "ghosts.example.com", ""
	err := errors.Join(h.PutGroup(ctx, changed), h.DeleteGroup(ctx, gone.Name, gone.ResourceVersion),
		h.PutGroup(ctx, extra))
	for key, r := range s.records {
		err = errors.Join(err, h.DeleteRecord(ctx, key, r.Revision))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reconcile(ctx); err != nil || !slices.Equal(s.state(), want) || len(s.records) != 3 {
		t.Errorf("got %q with %d records, %v", s.state(), len(s.records), err)
	}
	if g, _ := h.Group(ctx, "cars.example.com"); g.Labels["team"] != "a" {
		t.Error("labels are not kept")
	}
	before := s.revision
	if err := c.Reconcile(ctx); err != nil || s.revision != before {
		t.Errorf("a second time writes %d times, %v", s.revision-before, err)
	}
}

// TestControllersWithLocalGroups checks that an aggregator and a server over one storage leave each
// other's Groups alone.
func TestControllersWithLocalGroups(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShared()
	make := func(server string, local bool, serving string) *discovery.Controller {
		c, err := discovery.NewController(discovery.ControllerConfig{
			Storage: &handle{shared: s}, Server: server,
			Local: local,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Set(ctx, serves(t, serving)); err != nil {
			t.Fatal(err)
		}
		return c
	}
	server, aggregator := make("server", true, "cars/v1/cars"), make("aggregator", false, "metrics/v1/metrics")
	if g, _ := (&handle{shared: s}).Group(ctx, "cars.example.com"); g.Annotations[discovery.LocalAnnotation] != "true" {
		t.Errorf("the Group of the server has annotations %v", g.Annotations)
	}
	if g, _ := (&handle{shared: s}).Group(ctx, "metrics.example.com"); g.Annotations[discovery.LocalAnnotation] != "" {
		t.Errorf("the Group of the aggregator has annotations %v", g.Annotations)
	}
	before := s.writes["groups"]
	for range 3 {
		if err := errors.Join(server.Reconcile(ctx), aggregator.Reconcile(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if s.writes["groups"] != before {
		t.Errorf("they wrote %d times against each other", s.writes["groups"]-before)
	}
	h := &handle{shared: s}
	metrics, _ := h.Group(ctx, "metrics.example.com")
	if err := h.DeleteGroup(ctx, metrics.Name, metrics.ResourceVersion); err != nil {
		t.Fatal(err)
	}
	if err := server.Reconcile(ctx); err != nil {
		t.Fatal(err)
	}
	if g, _ := h.Group(ctx, "metrics.example.com"); g != nil {
		t.Errorf("the server writes a Group of the aggregator: %+v", g.ObjectMeta)
	}
	if err := aggregator.Reconcile(ctx); err != nil {
		t.Fatal(err)
	}
	if g, _ := h.Group(ctx, "metrics.example.com"); g == nil || g.Annotations[discovery.LocalAnnotation] != "" {
		t.Errorf("the aggregator does not repair its Group: %+v", g)
	}
}

// TestControllerAlone checks that a controller without others writes Groups but no records.
func TestControllerAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newShared()
		h := &handle{shared: s}
		c, err := discovery.NewController(discovery.ControllerConfig{Storage: h, Alone: true, Period: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		var run sync.WaitGroup
		run.Go(func() { _ = c.Run(ctx) })
		for _, serving := range []string{"cars/v1/cars boats/v1/boats", "boats/v1/boats", "cars/v1/cars,carts boats/v1/boats"} {
			if err := c.Set(ctx, serves(t, serving)); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"boats.example.com=v1", "cars.example.com=v1"}
		if got := s.state(); !slices.Equal(got, want) || len(s.records) != 0 || s.writes["groups"] != 4 {
			t.Errorf("got %q and %d records after %v writes", got, len(s.records), s.writes)
		}
		cars, _ := h.Group(ctx, "cars.example.com")
		if err := h.DeleteGroup(ctx, cars.Name, cars.ResourceVersion); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour * 6 / 5)
		if got := s.state(); !slices.Equal(got, want) {
			t.Errorf("after a period: got %q", got)
		}
		cancel()
		run.Wait()
		if got := s.state(); !slices.Equal(got, want) || len(s.records) != 0 {
			t.Errorf("after the end: got %q and %d records", got, len(s.records))
		}
	})
}

// TestControllerKeepsWhatItCannotKnow checks that Groups with stale versions stay as they are
// stored, and that while announcements may be missing, no Group loses anything unless the server
// withdraws it.
func TestControllerKeepsWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShared()
	h := &handle{shared: s}
	unknown := true
	c, err := discovery.NewController(discovery.ControllerConfig{
		Storage: h, Alone: true, Keep: func() bool { return unknown },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cars", "boats", "planes"} {
		if err := h.PutGroup(ctx, serves(t, name+"/v1/"+name).Groups()[0]); err != nil {
			t.Fatal(err)
		}
	}
	stale := documents(t, discovery.Config{Versions: []discovery.Version{{
		GroupVersion: schema.GroupVersion{Group: "cars.example.com", Version: "v2"}, Stale: true,
	}}})
	for _, step := range []struct {
		name    string
		unknown bool
		docs    *discovery.Documents
		want    []string
	}{
		{
			"nothing is known", true, documents(t, discovery.Config{}),
			[]string{"boats.example.com=v1", "cars.example.com=v1", "planes.example.com=v1"},
		},
		{
			"a version is known", true, serves(t, "planes/v2/planes"),
			[]string{"boats.example.com=v1", "cars.example.com=v1", "planes.example.com=v2,v1"},
		},
		{
			"it is withdrawn", true, documents(t, discovery.Config{}),
			[]string{"boats.example.com=v1", "cars.example.com=v1"},
		},
		{"one group does not answer", false, stale, []string{"cars.example.com=v1"}},
		{"it answers", false, serves(t, "cars/v2/cars"), []string{"cars.example.com=v2"}},
		{"it does not answer again", false, stale, []string{"cars.example.com=v2"}},
		{"it is gone", false, documents(t, discovery.Config{}), nil},
	} {
		unknown = step.unknown
		if err := errors.Join(c.Set(ctx, step.docs), c.Reconcile(ctx)); err != nil {
			t.Fatal(err)
		}
		if got := s.state(); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	one := func(server, release, serving string) discovery.Announcement {
		return discovery.Announcement{Server: server, Release: release, Group: serves(t, serving).Groups()[0]}
	}
	for _, c := range []struct {
		name, want string
		in         []discovery.Announcement
	}{
		{"nothing", "", nil},
		{"one", "v1[cars] v1beta1[cars]", []discovery.Announcement{one("a", "1.0", "cars/v1/cars cars/v1beta1/cars")}},
		{"union of versions, in the order of versions", "v2[cars] v1[cars] v1beta1[cars]", []discovery.Announcement{
			one("a", "1.1", "cars/v2/cars cars/v1beta1/cars"), one("b", "1.0", "cars/v1/cars cars/v1beta1/cars"),
		}},
		{"union of resources", "v1[cars trucks vans]", []discovery.Announcement{
			one("a", "1.0", "cars/v1/vans,cars"),
			one("b", "1.0", "cars/v1/trucks,cars"),
		}},
		{"the order of the newest release", "v1beta1[cars] v1[cars]", []discovery.Announcement{
			one("b", "1.9.0", "cars/v1/cars cars/v1beta1/cars"), one("a", "1.10.0", "cars/v1beta1/cars cars/v1/cars"),
		}},
		{"of equal releases the greatest identity", "v1[cars] v1beta1[cars]", []discovery.Announcement{
			one("b", "1.0", "cars/v1/cars cars/v1beta1/cars"), one("a", "1.0", "cars/v1beta1/cars cars/v1/cars"),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for range 10 {
				rand.Shuffle(len(c.in), func(i, j int) { c.in[i], c.in[j] = c.in[j], c.in[i] })
				var got []string
				if g := discovery.Merge(c.in); g != nil {
					for _, v := range g.Status.Versions {
						var names []string
						for _, r := range v.Resources {
							names = append(names, r.Name)
						}
						got = append(got, fmt.Sprintf("%s%v", v.Name, names))
					}
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
				}
			}
		})
	}
}

func TestCompareReleases(t *testing.T) {
	t.Parallel()
	ordered := []string{
		"", "0.9", "v1.0.0-rc.1", "1.0.0-rc.2", "v1.0.0-rc.9+dirty", "1.0.0-rc.10", "1.0.0-rc.1a", "v1.0.0", "1.0.0.1",
		"1.0.9", "v1.0.10+dirty", "1.9.0", "1.10.0", "v2",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := discovery.CompareReleases(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: got %d", a, b, got)
			}
		}
	}
}

// fleet runs servers whose accesses to the storage are interleaved by a seeded schedule.
type fleet struct {
	t       *testing.T
	rng     *rand.Rand
	storage *shared
	mu      sync.Mutex
	waiting []chan struct{}
	wg      sync.WaitGroup
}

var errCrashed = errors.New("crashed")

// start starts a server and returns functions that stop it and that let it crash.
func (f *fleet) start(server, release, serving string) (stop, crash func()) {
	ctx, cancel := context.WithCancel(context.Background())
	dead := make(chan struct{})
	h := &handle{shared: f.storage, gate: func() error {
		turn := make(chan struct{})
		f.mu.Lock()
		f.waiting = append(f.waiting, turn)
		f.mu.Unlock()
		<-turn
		select {
		case <-dead:
			return errCrashed
		default:
			return nil
		}
	}}
	c, err := discovery.NewController(discovery.ControllerConfig{Storage: h, Server: server, Release: release})
	if err != nil {
		f.t.Fatal(err)
	}
	docs := serves(f.t, serving)
	f.wg.Go(func() {
		_ = c.Set(ctx, docs)
		_ = c.Run(ctx)
	})
	return cancel, func() { close(dead); cancel() }
}

// steps grants turns, at most n, until no server waits for one.
func (f *fleet) steps(n int) {
	for range n {
		synctest.Wait()
		f.mu.Lock()
		if len(f.waiting) == 0 {
			f.mu.Unlock()
			return
		}
		i := f.rng.IntN(len(f.waiting))
		turn := f.waiting[i]
		f.waiting = slices.Delete(f.waiting, i, i+1)
		f.mu.Unlock()
		close(turn)
	}
}

// run lets time pass and grants turns to all waiting servers.
func (f *fleet) run(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		f.steps(1 << 20)
		time.Sleep(10 * time.Millisecond)
	}
	f.steps(1 << 20)
}

const (
	oldServes = "cars/v1/cars,vans cars/v1beta1/cars boats/v1/boats apps/v1/apps"
	newServes = "cars/v2/cars cars/v1/cars,trucks planes/v1/planes apps/v1/apps"
)

// TestRollingUpdate replaces two servers by two newer ones, with accesses to the storage
// interleaved in many ways. No Group returns to an earlier state, the last state is what the new
// servers serve, and the number of writes is bounded.
func TestRollingUpdate(t *testing.T) {
	t.Parallel()
	seeds := 60
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fleet{t: t, rng: rand.New(rand.NewPCG(uint64(seed), 7)), storage: newShared()}
				stopA, crashA := f.start("old-a", "1.0", oldServes)
				stopB, _ := f.start("old-b", "1.0", oldServes)
				f.run(time.Second)
				settled := maps.Clone(f.storage.writes)
				if settled["groups"] != 3 {
					t.Errorf("two servers that serve the same wrote %d times", settled["groups"])
				}
				end := stopA
				if seed%3 == 0 {
					end = crashA
				}
				var stopNew []func()
				startNew := func(server string) func() {
					return func() {
						stop, _ := f.start(server, "1.1", newServes)
						stopNew = append(stopNew, stop)
					}
				}
				for _, act := range []func(){startNew("new-a"), end, startNew("new-b"), stopB} {
					act()
					f.steps(f.rng.IntN(60))
					if f.rng.IntN(2) == 0 {
						f.run(time.Duration(f.rng.IntN(200)) * time.Millisecond)
					}
				}
				f.run(50 * time.Second) // longer than a lease
				f.check(newServes)
				// Each of the four differing Groups changes twice: when the first new server starts
				// and when the last old one stops.
				if n := f.storage.writes["groups"] - settled["groups"]; n > 8 {
					t.Errorf("the Groups were written %d times", n)
				}
				for _, stop := range stopNew {
					stop()
				}
				f.run(time.Second)
				f.wg.Wait()
				f.check(newServes) // the Groups stay for the next start
				if len(f.storage.records) != 0 {
					t.Errorf("records are left: %q", slices.Sorted(maps.Keys(f.storage.records)))
				}
			})
		})
	}
}

// check compares the Groups with what is served, and fails if an earlier state came back.
func (f *fleet) check(serving string) {
	f.t.Helper()
	var want []string
	for _, g := range serves(f.t, serving).Groups() {
		want = append(want, g.Name+"="+v1alpha1.VersionNames(g))
		text, err := v1alpha1.AppendJSONGroupStatus(nil, &g.Status)
		history := f.storage.history[g.Name]
		if err != nil || len(history) == 0 || history[len(history)-1] != string(text) {
			f.t.Errorf("%s is not what is served: %v", g.Name, history)
		}
	}
	slices.Sort(want)
	if got := f.storage.state(); !slices.Equal(got, want) {
		f.t.Errorf("got Groups %q, want %q", got, want)
	}
	for name, history := range f.storage.history {
		for i, state := range history {
			if slices.Contains(history[:i], state) {
				f.t.Errorf("%s flipped: state %d of %d came back", name, i, len(history))
			}
		}
	}
}

// TestPausedServerComesBack pauses a server for longer than its lease, so that the others consider
// it gone, and then resumes it.
func TestPausedServerComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShared()
		ctx, cancel := context.WithCancel(t.Context())
		running := make(chan struct{}, 1) // taken while the server is silent
		slow := &handle{shared: s, gate: func() error { running <- struct{}{}; <-running; return nil }}
		a, b := controller(t, &handle{shared: s}, "a", "1.0"), controller(t, slow, "b", "1.0")
		if err := errors.Join(a.Set(ctx, serves(t, "cars/v1/cars")),
			b.Set(ctx, serves(t, "cars/v1/cars boats/v1/boats"))); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _ = a.Run(ctx) })
		wg.Go(func() { _ = b.Run(ctx) })
		time.Sleep(time.Minute)
		running <- struct{}{}
		time.Sleep(4 * time.Minute)
		if got := s.state(); !slices.Equal(got, []string{"cars.example.com=v1"}) {
			t.Errorf("while b is silent there is %q", got)
		}
		<-running
		time.Sleep(5 * time.Minute)
		if got := s.state(); !slices.Equal(got, []string{"boats.example.com=v1", "cars.example.com=v1"}) {
			t.Errorf("when b is back there is %q", got)
		}
		cancel()
		wg.Wait()
	})
}

// TestControllerAfterFullStorage has the storage refuse writes, as a full one does, when a server
// has to write its lease: at its start, or because the others have deleted it.
func TestControllerAfterFullStorage(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]func(put int) bool{
		"at the start": func(put int) bool { return put < 4 },
		"later":        func(put int) bool { return put > 2 && put < 10 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShared()
				h := &fullStorage{handle: &handle{shared: s}, full: full}
				c := controller(t, h, "a", "1.0")
				ctx, cancel := context.WithCancel(t.Context())
				err := c.Set(ctx, serves(t, "cars/v1/cars"))
				if r, ok := s.records["leases/a"]; ok { // another server finds it outdated
					err = errors.Join(err, h.DeleteRecord(ctx, r.Key, r.Revision))
				}
				if failed := err != nil; failed != full(1) {
					t.Errorf("got %v", err)
				}
				var wg sync.WaitGroup
				wg.Go(func() { _ = c.Run(ctx) })
				time.Sleep(5 * time.Minute)
				records, err := h.Records(ctx, "")
				if err != nil || len(records) != 2 || !slices.Equal(s.state(), []string{"cars.example.com=v1"}) {
					t.Errorf("got Groups %q with %d records, %v", s.state(), len(records), err)
				}
				cancel()
				wg.Wait()
			})
		})
	}
}

// fullStorage refuses some writes of records, which are counted from 1.
type fullStorage struct {
	*handle
	full func(put int) bool
	puts int
}

func (s *fullStorage) PutRecord(ctx context.Context, key string, value []byte) error {
	if s.puts++; s.full(s.puts) {
		return errors.New("there is no space")
	}
	return s.handle.PutRecord(ctx, key, value)
}

// TestStorageComesBack has the storage fail for longer than a lease, so that no server can renew
// its own. None of them may take another one for gone when the storage is back.
func TestStorageComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShared()
		var away atomic.Bool
		gate := func() error {
			if away.Load() {
				time.Sleep(time.Second)
				return errors.New("the storage does not answer")
			}
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for _, name := range []string{"boats", "cars", "planes"} {
			c := controller(t, &handle{shared: s, gate: gate}, name, "1.0")
			if err := c.Set(ctx, serves(t, name+"/v1/"+name)); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() { _ = c.Run(ctx) })
		}
		time.Sleep(5 * time.Minute)
		away.Store(true)
		time.Sleep(5 * time.Minute)
		away.Store(false)
		time.Sleep(5 * time.Minute)
		for _, group := range []string{"boats", "cars", "planes"} {
			if history := s.history[group+".example.com"]; len(history) != 1 {
				t.Errorf("the Group of %s was %q", group, history)
			}
		}
		cancel()
		wg.Wait()
	})
}

func TestControllerConfigErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []discovery.ControllerConfig{
		{Server: "a"},
		{Storage: &handle{shared: newShared()}},
		{Storage: &handle{shared: newShared()}, Server: "a/b"},
		{Storage: &handle{shared: newShared()}, Server: "a", Lease: -time.Second},
		{Storage: &handle{shared: newShared()}, Server: "a", Period: -time.Second},
	} {
		if _, err := discovery.NewController(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
