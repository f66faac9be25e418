package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// unsynced returns how many pages of a file have not reached the disk.
func unsynced(t testing.TB, path string) uint64 {
	t.Helper()
	const cachestat = 451
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all [2]uint64
	var pages struct{ cached, dirty, writeback, evicted, recentlyEvicted uint64 }
	if _, _, err := syscall.Syscall6(cachestat, f.Fd(), uintptr(unsafe.Pointer(&all)),
		uintptr(unsafe.Pointer(&pages)), 0, 0, 0); err != 0 {
		t.Skip("cachestat:", err) // before Linux 6.5
	}
	return pages.dirty + pages.writeback
}

// TestSynced asks the system what has reached the disk when a write, Close and a rewrite return.
func TestSynced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	probe, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if _, err := probe.Write(make([]byte, 1<<16)); err != nil || unsynced(t, probe.Name()) == 0 {
		t.Skip("this file system does not say what it has written:", err)
	}
	if err := probe.Sync(); err != nil || unsynced(t, probe.Name()) > 0 {
		t.Skip("this file system does not say what it has written:", err)
	}
	path := filepath.Join(dir, "db")
	open := func(opts ...Option) *Engine {
		t.Helper()
		e, err := Open(path, opts...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	put := func(e *Engine, key string) {
		t.Helper()
		if _, err := e.Put(t.Context(), key, make([]byte, 1<<16), 0); err != nil {
			t.Fatal(err)
		}
	}
	check := func(path, what string) {
		t.Helper()
		if n := unsynced(t, path); n > 0 {
			t.Errorf("after %s, %d pages have not reached the disk", what, n)
		}
	}
	e := open()
	put(e, "a")
	check(path, "a write")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(Sync(-1))
	put(e, "b") // which reaches the disk with Close
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	check(path, "Close")
	e = open(Sync(time.Millisecond))
	put(e, "c")
	half := path + halfSuffix
	if err := copyTo(half, e.db); err != nil {
		t.Fatal(err)
	}
	check(half, "a rewrite") // before it is renamed, because that syncs it on some file systems
	for deadline := time.Now().Add(time.Minute); unsynced(t, path) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a write is not synced after a while")
		}
	}
}
