package file_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/storetest"
)

// paths are where the engines of tests have their files.
var paths sync.Map

func open(t testing.TB, path string, opts ...file.Option) *file.Engine {
	t.Helper()
	e, err := file.Open(path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	paths.Store(e, path)
	t.Cleanup(func() { e.Close() })
	return e
}

func TestEngine(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]file.Option{
		"synced":                file.Sync(0),
		"synced every so often": file.Sync(time.Millisecond), "never synced": file.Sync(-1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Kit{
				Open: func(t testing.TB) store.Engine { return open(t, filepath.Join(t.TempDir(), "db"), opt) },
				Reopen: func(t testing.TB, e store.Engine) store.Engine {
					if err := e.Close(); err != nil {
						t.Fatal(err)
					}
					path, _ := paths.Load(e)
					return open(t, path.(string), opt)
				},
			}.Run(t)
		})
	}
}

// TestUnchanged checks that the file is not written where nothing changes: when it is opened, by a
// write that conflicts with what is stored, and when what was there before is forgotten again.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e := open(t, path)
	at, err := e.Put(t.Context(), "k", []byte("v"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Compact(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e = open(t, path)
	if _, err := e.Put(t.Context(), "k", []byte("w"), at+1); err == nil {
		t.Error("a write without conflict")
	}
	if err := e.Compact(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the file has been written")
	}
}

// TestTooLarge checks that a value that is too large fails alone. What bbolt refuses ended the
// engine.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	e := open(t, filepath.Join(t.TempDir(), "db"))
	if strconv.IntSize == 64 { // nothing of the value is read, so it takes no memory
		if _, err := e.Put(t.Context(), "k", make([]byte, 1<<30+1), 0); !errors.Is(err, store.ErrTooLarge) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := e.Put(t.Context(), "k", []byte("1"), 0); err != nil {
		t.Error(err)
	}
}
