package etcd_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

// TestRestoredFromBackup checks that servers which run while etcd is restored from a backup, so
// that its revision goes back, show what is in etcd afterwards, and that watches list again. They
// showed what etcd had lost, and missed what was written until it reached the old revision.
func TestRestoredFromBackup(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	m := members[0]
	r := openReplica(t, dial(t, members, ""), store.Options{}, "")
	for i := range 5 {
		mustSet(t, r, fmt.Sprint("kept", i))
	}
	restore := backUp(t, m)
	for i := range 20 {
		mustSet(t, r, fmt.Sprint("lost", i))
	}
	w, err := r.Watch(t.Context(), store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	restore()
	other := openReplica(t, dial(t, members, ""), store.Options{}, "")
	mustSet(t, other, "new")
	want := []string{"kept0", "kept1", "kept2", "kept3", "kept4", "new"}
	var got []string
	for deadline := time.Now().Add(time.Minute); !slices.Equal(got, want); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute there are %q (%v), want %q", got, err, want)
		}
		var l *store.List
		if l, err = r.List(t.Context(), store.ListOptions{}); err != nil {
			if metav1.ReasonOf(err) != metav1.StatusReasonServiceUnavailable {
				t.Errorf("a list that notices it: %v", err)
			}
			continue
		}
		got = nil
		for e := range l.Entries() {
			got = append(got, e.Key().Name)
		}
	}
	if _, err := w.Next(nil); metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		t.Errorf("the watch goes on: %v", err)
	}
	mustSet(t, r, "again")
	if l, err := other.List(t.Context(), store.ListOptions{}); err != nil || l.Len() != len(want)+1 {
		t.Errorf("%v, %v; want the new object", l, err)
	}
}

// TestWriteAfterRestore checks that a write alone shows that etcd went back, and ends watches that
// would not see it.
func TestWriteAfterRestore(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var log lockedBuffer
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Compaction: etcd.Compaction{External: true},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	put := func(key string) {
		t.Helper()
		eventually(t, "it is written", func() bool {
			_, err := e.Put(t.Context(), key, []byte("v"), 0)
			return err == nil
		})
	}
	put("kept")
	restore := backUp(t, members[0])
	for i := range 20 {
		put(fmt.Sprint("lost", i))
	}
	ready := make(chan struct{})
	ended := make(chan error, 1)
	from := start(t, e)
	go func() {
		once := sync.OnceFunc(func() { close(ready) })
		ended <- e.Watch(t.Context(), "", from, func(store.Changes) error { once(); return nil })
	}()
	<-ready
	restore()
	put("new")
	select {
	case err := <-ended:
		if !errors.Is(err, store.ErrFuture) {
			t.Errorf("the watch ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the watch goes on")
	}
	if !strings.Contains(log.String(), "went back") {
		t.Errorf("the log has %q", log.String())
	}
}

// backUp stops a member and starts it again, and returns what does the same, with the data that it
// has now.
func backUp(t *testing.T, m *member) (restore func()) {
	t.Helper()
	backup := t.TempDir()
	m.stop()
	if err := os.CopyFS(backup, os.DirFS(m.config.Dir)); err != nil {
		t.Fatal(err)
	}
	m.restart()
	return func() {
		t.Helper()
		m.stop()
		if err := errors.Join(os.RemoveAll(m.config.Dir), os.CopyFS(m.config.Dir, os.DirFS(backup))); err != nil {
			t.Fatal(err)
		}
		m.restart()
	}
}

// eventually waits until a function returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still waiting until " + what)
		}
	}
}

// mustSet creates a machine, and tries again while etcd does not answer.
func mustSet(t *testing.T, r replica, name string) {
	t.Helper()
	var err error
	for range 600 {
		if _, err = set(t.Context(), r, name, 1); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal(err)
}
