package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// aStore returns a store of sites, and their kind.
func aStore(t *testing.T) (*store, *runtime.Kind) {
	t.Helper()
	s := newStore(mustFactory(t).Scheme(), clock)
	k, err := s.scheme.KindOf(&inventoryv1.Site{})
	if err != nil {
		t.Fatal(err)
	}
	return s, k
}

// put stores a site with a label, new or not.
func put(t *testing.T, s *store, k *runtime.Kind, name, label string) {
	t.Helper()
	site := &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"l": label}}, Spec: inventoryv1.SiteSpec{Address: "a"}}
	if _, err := s.find(k, "", name); err != nil {
		if _, err := s.add(t.Context(), site, "here", false); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, err := s.update(t.Context(), k, "", name, false, func(runtime.Object) (runtime.Object, error) { return site, nil }); err != nil {
		t.Fatal(err)
	}
}

// drop removes a site.
func drop(t *testing.T, s *store, k *runtime.Kind, name string) {
	t.Helper()
	if _, err := s.remove(k, "", name, false, func(*metav1.ObjectMeta) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// describe says what an event is.
func describe(t *testing.T, e serializer.Event) string {
	t.Helper()
	obj := e.Object
	if c, ok := obj.(*serializer.Cached); ok {
		obj = c.Object()
	}
	switch o := obj.(type) {
	case *inventoryv1.Site:
		return fmt.Sprintf("%s %s %s=%s@%s", e.Type, o.Kind, o.Name, o.Labels["l"], o.ResourceVersion)
	case *metav1.Status:
		return e.Type + " " + string(o.Reason)
	}
	return fmt.Sprintf("%s %T", e.Type, obj)
}

// drain returns what is in a channel.
func drain(t *testing.T, events <-chan serializer.Event) (out []string) {
	t.Helper()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return append(out, "closed")
			}
			out = append(out, describe(t, e))
		default:
			return out
		}
	}
}

func labelled(t *testing.T, selector string) selection {
	t.Helper()
	parsed, err := meta.ParseSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return selection{labels: parsed}
}

// TestWatchSelects holds that an object which comes into a selection is a new one to those who watch it, and that one which leaves it is gone.
func TestWatchSelects(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	put(t, s, k, "x", "in")
	selected, err := s.watch(t.Context(), k, labelled(t, "l=in"), httpapi.WatchStart{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.watch(t.Context(), k, everything(), httpapi.WatchStart{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, k, "y", "out")
	put(t, s, k, "y", "in")
	put(t, s, k, "x", "out")
	drop(t, s, k, "x")
	put(t, s, k, "y", "in")
	drop(t, s, k, "y")
	for name, c := range map[string]struct {
		changes *httpapi.Changes
		want    string
	}{
		"selected": {selected, "ADDED Site y=in@3, DELETED Site x=out@4, DELETED Site y=in@6"},
		"all":      {all, "ADDED Site y=out@2, MODIFIED Site y=in@3, MODIFIED Site x=out@4, DELETED Site x=out@5, DELETED Site y=in@6"},
	} {
		if got := strings.Join(drain(t, c.changes.Events), ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	// Who comes later hears the same.
	for name, want := range map[string]string{"l=in": "ADDED Site y=in@3, DELETED Site x=out@4, DELETED Site y=in@6", "": "MODIFIED Site x=out@4, DELETED Site x=out@5, DELETED Site y=in@6"} {
		version := map[string]string{"l=in": "1", "": "3"}[name]
		late, err := s.watch(t.Context(), k, labelled(t, name), httpapi.WatchStart{ResourceVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(drain(t, late.Events), ", "); got != want {
			t.Errorf("from version %s on: %s, want %s", version, got, want)
		}
	}
}

// TestWatchBegins has the starts that a watch can have.
func TestWatchBegins(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	put(t, s, k, "x", "a")
	put(t, s, k, "y", "b")
	w, err := s.watch(t.Context(), k, labelled(t, "l=b"), httpapi.WatchStart{Initial: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for obj, err := range w.Initial {
		if site, ok := obj.(*inventoryv1.Site); err != nil || !ok || site.Name != "y" {
			t.Errorf("%v, %v", obj, err)
		}
		n++
	}
	if n != 1 || w.ResourceVersion != "2" {
		t.Errorf("%d objects at version %s", n, w.ResourceVersion)
	}
	for version, reason := range map[string]metav1.StatusReason{"3": metav1.StatusReasonTimeout, "x": metav1.StatusReasonBadRequest} {
		if _, err := s.watch(t.Context(), k, everything(), httpapi.WatchStart{ResourceVersion: version}); metav1.ReasonOf(err) != reason {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

// TestWatchForgets holds that a version which is too old to go on from is refused, and that one which is not is not.
func TestWatchForgets(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	for i := range journalLength + 5 {
		put(t, s, k, "x", fmt.Sprint(i))
	}
	if _, err := s.watch(t.Context(), k, everything(), httpapi.WatchStart{ResourceVersion: "4"}); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		t.Errorf("an old version: %v", err)
	}
	w, err := s.watch(t.Context(), k, everything(), httpapi.WatchStart{ResourceVersion: "5"})
	if err != nil {
		t.Fatal(err)
	}
	if got := drain(t, w.Events); len(got) != journalLength || got[0] != "MODIFIED Site x=5@6" {
		t.Errorf("%d events, the first is %s", len(got), got[0])
	}
}

// TestSlowWatcher holds that who does not receive is told so and forgotten, and holds up nobody.
func TestSlowWatcher(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	w, err := s.watch(t.Context(), k, everything(), httpapi.WatchStart{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range watchAhead + 10 {
		put(t, s, k, "x", fmt.Sprint(i))
	}
	got := drain(t, w.Events)
	if len(got) != watchAhead+2 || got[watchAhead] != "ERROR Expired" || got[watchAhead+1] != "closed" || len(s.journal.watchers) != 0 {
		t.Errorf("%d events, the last are %s; %d watchers", len(got), got[len(got)-2:], len(s.journal.watchers))
	}
}

// TestBookmarks holds that who knows bookmarks hears of the version now and then.
func TestBookmarks(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	put(t, s, k, "x", "a")
	knows, err := s.watch(t.Context(), k, labelled(t, "l=none"), httpapi.WatchStart{ResourceVersion: "1", Bookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	not, err := s.watch(t.Context(), k, labelled(t, "l=none"), httpapi.WatchStart{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*bookmarkAfter + 1 {
		put(t, s, k, "x", fmt.Sprint(i))
	}
	if got := strings.Join(drain(t, knows.Events), ", "); got != fmt.Sprintf("BOOKMARK Site =@%d, BOOKMARK Site =@%d", bookmarkAfter+1, 2*bookmarkAfter+1) {
		t.Errorf("got %s", got)
	}
	if got := drain(t, not.Events); got != nil {
		t.Errorf("who does not know them gets %s", got)
	}
}

// TestWatchEndsWithItsContext holds that nobody is told who is gone.
func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, k := aStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.watch(ctx, k, everything(), httpapi.WatchStart{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 1000 {
		s.mu.Lock()
		n := len(s.journal.watchers)
		s.mu.Unlock()
		if n == 0 {
			return
		}
		put(t, s, k, "x", "a")
	}
	t.Error("it is still told")
}
