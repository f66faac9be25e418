package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
)

func put(t *testing.T, e *file.Engine, key, value string, expected uint64) (revision uint64) {
	t.Helper()
	revision, err := e.Put(t.Context(), key, []byte(value), expected)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func backup(t *testing.T, e *file.Engine, path string) {
	t.Helper()
	if _, err := e.Backup(path); err != nil {
		t.Fatal(err)
	}
}

// TestRestored checks that a file that goes back to an earlier state says so to clients: no
// revision has two meanings, and watches from before end. A watch went on without the changes that
// were lost as soon as the revision had reached its own again.
func TestRestored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		save func(t *testing.T, e *file.Engine, path, saved string)
		opts []file.Option
	}{
		"a backup": {save: func(t *testing.T, e *file.Engine, _, saved string) { backup(t, e, saved) }},
		"a copy of a file that is not written": {
			save: func(t *testing.T, _ *file.Engine, path, saved string) { copyFile(t, path, saved) },
			opts: []file.Option{file.Restored()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, saved := filepath.Join(dir, "db"), filepath.Join(dir, "saved")
			e := open(t, path)
			kept := put(t, e, "a", "kept", 0)
			tt.save(t, e, path, saved)
			lost := put(t, e, "a", "lost", kept)
			last := lost
			for range 2 { // both times from the same state
				if err := errors.Join(e.Close(), os.Remove(path)); err != nil {
					t.Fatal(err)
				}
				copyFile(t, saved, path)
				e = open(t, path, tt.opts...)
				got, err := e.Get(t.Context(), "a")
				if err != nil || string(got.Value) != "kept" || got.Revision != kept {
					t.Errorf("got %q of revision %d, %v", got.Value, got.Revision, err)
				}
				for _, from := range []uint64{kept, lost, last} {
					err := e.Watch(t.Context(), "", from, func(store.Changes) error { return errors.New("it goes on") })
					if !errors.Is(err, store.ErrCompacted) {
						t.Errorf("watch from %d: %v", from, err)
					}
				}
				now := put(t, e, "b", "new", 0)
				if now <= last {
					t.Errorf("revision %d after %d", now, last)
				}
				last = now
				if err := errors.Join(e.Verify(t.Context()), e.Close()); err != nil {
					t.Fatal(err)
				}
				e = open(t, path) // which does not begin anew
				if now, err := e.Revision(t.Context()); err != nil || now != last {
					t.Errorf("revision %d when it is opened again, want %d; %v", now, last, err)
				}
			}
		})
	}
}

// TestRestoredWithWrongClock checks that the revision of a restored file is higher than any before
// though the clock is behind, as that of a small computer that has just started.
func TestRestoredWithWrongClock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, saved := filepath.Join(dir, "db"), filepath.Join(dir, "saved")
	e := open(t, path)
	kept := put(t, e, "a", "kept", 0)
	backup(t, e, saved)
	lost := kept
	for range 10 {
		lost = put(t, e, "a", "lost", lost)
	}
	data, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // in the year 2000
		for i := range 3 { // the same backup again
			path := filepath.Join(dir, fmt.Sprint("restored", i))
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			e, err := file.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if now, err := e.Revision(t.Context()); err != nil || now <= lost {
				t.Errorf("revision %d after %d, %v", now, lost, err)
			}
			lost = put(t, e, "b", "lost", 0)
			time.Sleep(time.Second)
		}
	})
}

// TestBackupDuringWrites checks that backups that are written while others write are the state at
// one revision.
func TestBackupDuringWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, filepath.Join(dir, "db"), file.Sync(-1))
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	writers.Go(func() {
		value := bytes.Repeat([]byte("x"), 10_000) // so that the file grows
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := e.Put(context.Background(), fmt.Sprintf("k%06d", i), value, 0); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var backups sync.WaitGroup
	for i := range 3 {
		backups.Go(func() {
			path := filepath.Join(dir, fmt.Sprint("backup", i))
			revision, err := e.Backup(path)
			if err != nil {
				t.Error(err)
				return
			}
			saved, err := file.Open(path, file.ReadOnly())
			if err != nil {
				t.Error(err)
				return
			}
			defer saved.Close()
			if info, err := saved.Info(t.Context()); err != nil || info.Revision != revision || !info.Backup {
				t.Errorf("%+v, %v; the backup is of revision %d", info, err, revision)
			}
			if err := saved.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			page, err := saved.List(t.Context(), "", store.RangeOptions{})
			if err != nil {
				t.Error(err)
			}
			for n, kv := range page.Items {
				if want := fmt.Sprintf("k%06d", n); kv.Key != want {
					t.Errorf("key %q, want %q", kv.Key, want)
					break
				}
			}
		})
	}
	backups.Wait()
	stop()
	writers.Wait()
}

// TestBackupMistakes checks that a backup replaces no file, and leaves nothing behind if it fails.
func TestBackupMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	e := open(t, path)
	if _, err := e.Backup(path); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("in its own place: %v", err)
	}
	if _, err := e.Backup(filepath.Join(dir, "none", "db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Backup(filepath.Join(dir, "late")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
