package etcd_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
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
	backup := t.TempDir()
	m.stop()
	if err := os.CopyFS(backup, os.DirFS(m.config.Dir)); err != nil {
		t.Fatal(err)
	}
	m.restart()
	for i := range 20 {
		mustSet(t, r, fmt.Sprint("lost", i))
	}
	w, err := r.Watch(t.Context(), store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m.stop()
	if err := errors.Join(os.RemoveAll(m.config.Dir), os.CopyFS(m.config.Dir, os.DirFS(backup))); err != nil {
		t.Fatal(err)
	}
	m.restart()
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
			continue // it says that etcd has gone back
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
