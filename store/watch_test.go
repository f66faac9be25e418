package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	labels "github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

func selector(t testing.TB, text string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fieldSelector(t testing.TB, text string) store.FieldSelector {
	t.Helper()
	s, err := store.ParseFieldSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWatchSelects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    func(t *testing.T) store.WatchOptions
		want []string
	}{
		{"everything", func(*testing.T) store.WatchOptions { return store.WatchOptions{} }, []string{
			"ADDED a/m", "ADDED b/m", "MODIFIED a/m", "MODIFIED a/m", "MODIFIED b/m", "DELETED a/m", "ADDED a/m",
			"DELETED b/m",
		}},
		{
			"a namespace", func(*testing.T) store.WatchOptions { return store.WatchOptions{Namespace: "b"} },
			[]string{"ADDED b/m", "MODIFIED b/m", "DELETED b/m"},
		},
		{
			"an object", func(*testing.T) store.WatchOptions { return store.WatchOptions{Namespace: "b", Name: "m"} },
			[]string{"ADDED b/m", "MODIFIED b/m", "DELETED b/m"},
		},
		{
			"another object",
			func(*testing.T) store.WatchOptions { return store.WatchOptions{Namespace: "b", Name: "n"} },
			[]string{},
		},
		{"labels: entering and leaving", func(t *testing.T) store.WatchOptions {
			return store.WatchOptions{Labels: selector(t, "x=1")}
		}, []string{"ADDED a/m", "DELETED a/m", "ADDED b/m", "DELETED b/m"}},
		{"names", func(t *testing.T) store.WatchOptions {
			return store.WatchOptions{Fields: fieldSelector(t, "metadata.name=m,metadata.namespace!=a")}
		}, []string{"ADDED b/m", "MODIFIED b/m", "DELETED b/m"}},
		{"a name in all namespaces", func(t *testing.T) store.WatchOptions {
			return store.WatchOptions{Fields: fieldSelector(t, "metadata.name=m"), Labels: selector(t, "x")}
		}, []string{"ADDED a/m", "MODIFIED a/m", "ADDED b/m", "DELETED a/m", "DELETED b/m"}},
		{"contradictory names", func(t *testing.T) store.WatchOptions {
			return store.WatchOptions{Fields: fieldSelector(t, "metadata.name=m,metadata.name=n")}
		}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := machines(t, store.Options{})
			w, err := r.Watch(t.Context(), tt.o(t))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			a, b := store.Key{Namespace: "a", Name: "m"}, store.Key{Namespace: "b", Name: "m"}
			create(t, r, machine("a", "m"))
			create(t, r, machine("b", "m"))
			relabel(t, r, a, "x", "1")
			relabel(t, r, a, "x", "2")
			relabel(t, r, b, "x", "1")
			remove(t, r, a)
			create(t, r, machine("a", "m"))
			remove(t, r, b)
			if got := pull(t, w); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if w.Revision() != r.Store().Revision() {
				t.Errorf("the watch has reached %d of %d", w.Revision(), r.Store().Revision())
			}
		})
	}
}

func TestDeletedEventsHaveTheLastSelectedState(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	w := watch(t, r, store.WatchOptions{Labels: selector(t, "x=1")})
	other := watch(t, r, store.WatchOptions{Labels: selector(t, "x=1")})
	key := store.Key{Namespace: "a", Name: "m"}
	create(t, r, machine("a", "m", "x", "1"))
	left := relabel(t, r, key, "x", "2")
	events, err := w.Next(nil)
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	m, err := events[1].Entry.Metadata()
	if err != nil || m.Labels["x"] != "1" || m.ResourceVersion != left.ResourceVersion() {
		t.Errorf("got labels %v at version %s, %v; want x=1 at %s", m.Labels, m.ResourceVersion, err,
			left.ResourceVersion())
	}
	others, err := other.Next(nil)
	if err != nil || len(others) != 2 || others[1].Entry != events[1].Entry {
		t.Errorf("another watch does not share the last state, %v", err)
	}
}

func TestWatchResumes(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	begin := r.Store().Revision()
	var want []string
	for i := range 200 {
		name := fmt.Sprintf("m%03d", i)
		create(t, r, machine("a", name))
		want = append(want, "ADDED a/"+name)
	}
	for _, from := range []int{0, 1, 63, 64, 65, 128, 199, 200} {
		t.Run(fmt.Sprint("after ", from), func(t *testing.T) {
			w, err := r.Watch(t.Context(),
				store.WatchOptions{ResourceVersion: strconv.FormatUint(begin+uint64(from), 10)})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if got := pull(t, w); !slices.Equal(got, want[from:]) {
				t.Errorf("%d events, want %d", len(got), len(want)-from)
			}
		})
	}
}

func TestWatchBegins(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	begin := r.Store().Revision()
	create(t, r, machine("a", "m"))
	for _, tt := range []struct {
		name    string
		o       store.WatchOptions
		initial []string // nil if there are none
		events  []string
		reason  metav1.StatusReason
	}{
		{
			name: "after a revision", o: store.WatchOptions{ResourceVersion: strconv.FormatUint(begin, 10)},
			events: []string{"ADDED a/m", "ADDED a/n"},
		},
		{name: "now", events: []string{"ADDED a/n"}},
		{name: "now, for 0", o: store.WatchOptions{ResourceVersion: "0"}, events: []string{"ADDED a/n"}},
		{
			name: "with what is there", o: store.WatchOptions{Initial: true}, initial: []string{"a/m"},
			events: []string{"ADDED a/n"},
		},
		{name: "with what is there at a revision or later", o: store.WatchOptions{
			Initial:         true,
			ResourceVersion: strconv.FormatUint(begin, 10),
		}, initial: []string{"a/m"}, events: []string{"ADDED a/n"}},
		{
			name: "with what is there in an empty namespace", o: store.WatchOptions{Initial: true, Namespace: "empty"},
			initial: []string{}, events: []string{},
		},
		{
			name: "after what has been forgotten", o: store.WatchOptions{ResourceVersion: strconv.FormatUint(begin-1,
				10)},
			reason: metav1.StatusReasonExpired,
		},
		{name: "after nonsense", o: store.WatchOptions{ResourceVersion: "x"}, reason: metav1.StatusReasonBadRequest},
		{
			name: "after a negative revision", o: store.WatchOptions{ResourceVersion: "-1"},
			reason: metav1.StatusReasonBadRequest,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := r.Watch(t.Context(), tt.o)
			if got := metav1.ReasonOf(err); got != tt.reason {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				return
			}
			defer w.Close()
			create(t, r, machine("a", "n"))
			switch l := w.Initial(); {
			case (l == nil) != (tt.initial == nil):
				t.Errorf("initial events: %v", l)
			case l != nil && !slices.Equal(names(l), tt.initial):
				t.Errorf("initial events: %v, want %v", names(l), tt.initial)
			}
			if got := pull(t, w); !slices.Equal(got, tt.events) {
				t.Errorf("events: %q, want %q", got, tt.events)
			}
			remove(t, r, store.Key{Namespace: "a", Name: "n"})
		})
	}
}

// A watch is woken by what it selects, and by nothing else where it selects a name, a namespace, a
// value of an indexed field or a shard.
func TestWatchesAreWokenByTheirOwnEvents(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	r := addMachines(t, open(t, engine, store.Options{}),
		store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone", Index: true}}})
	for _, tt := range []struct {
		name    string
		o       store.WatchOptions
		other   func(i int)
		concern func()
	}{
		{
			"a namespace",
			store.WatchOptions{Namespace: "mine"},
			func(i int) { create(t, r, machine("theirs", fmt.Sprint("n", i))) },
			func() { create(t, r, machine("mine", "m")) },
		},
		{
			"a name",
			store.WatchOptions{Namespace: "theirs", Name: "m"},
			func(i int) { create(t, r, machine("theirs", fmt.Sprint("o", i))) },
			func() { create(t, r, machine("theirs", "m")) },
		},
		{
			"an indexed field",
			store.WatchOptions{Fields: fieldSelector(t, "spec.zone=north")},
			func(i int) { create(t, r, machine("theirs", fmt.Sprint("p", i))) },
			func() {
				m := machine("theirs", "north")
				m.Spec.Zone = "north"
				create(t, r, m)
			},
		},
		{
			"a shard by uid",
			store.WatchOptions{Shards: thirds(t, "object.metadata.uid")[1]},
			func(i int) { create(t, r, machineInThird(0, "object.metadata.uid", fmt.Sprint("q", i))) },
			func() { create(t, r, machineInThird(1, "object.metadata.uid", "q")) },
		},
		{
			"a shard by namespace",
			store.WatchOptions{Shards: thirds(t, "object.metadata.namespace")[1]},
			func(i int) { create(t, r, machineInThird(2, "object.metadata.namespace", fmt.Sprint("r", i))) },
			func() { create(t, r, machineInThird(1, "object.metadata.namespace", "r")) },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := r.Watch(t.Context(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			ready := w.Ready()
			for i := range 500 {
				tt.other(i)
			}
			select {
			case <-ready:
				t.Fatal("the watch was woken by what it does not watch")
			default:
			}
			tt.concern()
			select {
			case <-ready:
			case <-soon(t).Done():
				t.Fatal("the watch was not woken")
			}
			if got := pull(t, w); len(got) != 1 {
				t.Errorf("events: %q", got)
			}
		})
	}
}

// A watch that waits for a namespace in which nothing happens stays where everybody is, however
// much happens elsewhere.
func TestIdleWatchesDoNotFallBehind(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	r := addMachines(t, open(t, engine, store.Options{HistoryBytes: 64 << 10}), store.ResourceOptions{})
	w := watch(t, r, store.WatchOptions{Namespace: "quiet"})
	w.Ready()
	slow := watch(t, r, store.WatchOptions{})
	for i := range 1000 {
		create(t, r, machine("loud", fmt.Sprint("m", i)))
	}
	if got := pull(t, w); len(got) != 0 || w.Revision() != r.Store().Revision() {
		t.Errorf("%d events, reached %d of %d", len(got), w.Revision(), r.Store().Revision())
	}
	create(t, r, machine("quiet", "m"))
	if got := pull(t, w); !slices.Equal(got, []string{"ADDED quiet/m"}) {
		t.Errorf("events: %q", got)
	}
	_, err := slow.Next(nil)
	if metav1.ReasonOf(err) != metav1.StatusReasonExpired || !errors.Is(err, store.ErrCompacted) {
		t.Errorf("the watch that did not read gets %v", err)
	}
}

// TestDeletionOfAnUnreadObject watches the deletion, by another process, of an object that this
// store has never decoded.
func TestDeletionOfAnUnreadObject(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	entry := create(t, addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{}), machine("a", "m"))
	r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	w := watch(t, r, store.WatchOptions{})
	page, err := engine.List(t.Context(), "", store.RangeOptions{})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%d items, %v", len(page.Items), err)
	}
	if _, err := engine.Delete(t.Context(), page.Items[0].Key, entry.Revision()); err != nil {
		t.Fatal(err)
	}
	if err := w.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	events, err := w.Next(nil)
	if err != nil || len(events) != 1 || events[0].Type != metav1.WatchDeleted {
		t.Fatalf("%v, %v", events, err)
	}
	if _, err := events[0].Entry.Object(); err != nil || events[0].Entry.Key().Name != "m" {
		t.Errorf("the entry of %v has no object: %v", events[0].Entry.Key(), err)
	}
}
