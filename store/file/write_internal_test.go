package file

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/askind/askind/store"
)

// TestGather checks how long the writer waits for callers that are about to write again.
func TestGather(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	for _, tt := range []struct {
		name   string
		active int
		limit  time.Duration
		before int // requests that are waiting when gather is called
		during func(e *Engine)
		want   time.Duration
	}{
		{"a single caller", 1, limit, 0, nil, 0},
		{"callers that are all there", 3, limit, 3, nil, 0},
		{"commits that take no time", 3, gatherFrom / 2, 0, nil, 0},
		{"a caller that does not come", 3, limit, 2, nil, limit},
		{"callers that come", 3, limit, 1, func(e *Engine) {
			e.queue.add(&request{})
			time.Sleep(limit / 4)
			e.queue.add(&request{})
		}, limit / 4},
		{"an engine that is closed", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			close(e.stop)
		}, limit / 4},
		{"a sync that fails", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			e.queue.fail(errors.New("no"))
		}, limit / 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &Engine{stop: make(chan struct{})}
				e.queue.wake = make(chan struct{}, 1)
				for range tt.before {
					e.queue.add(&request{})
				}
				if tt.during != nil {
					go tt.during(e)
				}
				start := time.Now()
				e.gather(tt.active, tt.limit)
				if took := time.Since(start); took != tt.want {
					t.Errorf("gather took %v, want %v", took, tt.want)
				}
				select { // what comes later wakes the writer
				case <-e.queue.wake:
				default:
				}
				e.queue.add(&request{})
				select {
				case <-e.queue.wake:
				default:
					t.Error("a request does not wake the writer")
				}
			})
		})
	}
}

// TestChangesOutliveTheirPages checks that changes which were read from the file do not change when
// its pages are used again.
func TestChangesOutliveTheirPages(t *testing.T) {
	t.Parallel()
	e, err := Open(filepath.Join(t.TempDir(), "db"), Sync(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	value := func(c byte) []byte { return bytes.Repeat([]byte{c}, 3000) }
	put := func(key string, v []byte) (revision uint64) {
		t.Helper()
		page, err := e.Get(t.Context(), key)
		if err == nil {
			revision, err = e.Put(t.Context(), key, v, page.KeyValue.Revision)
		}
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	first := put("a", value('1'))
	put("a", value('2'))
	var changes []store.Change
	if err := e.db.View(func(tx *bbolt.Tx) error {
		changes, err = changesAfter(tx, "", first)
		return err
	}); err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	var last uint64
	for i := range 60 {
		put("a", value('x'))
		last = put(fmt.Sprint("b", i), value('y'))
		if err := e.Compact(t.Context(), last); err != nil {
			t.Fatal(err)
		}
	}
	if c := changes[0]; !bytes.Equal(c.Before, value('1')) || !bytes.Equal(c.Value, value('2')) {
		t.Errorf("the change has become %.10q, then %.10q", c.Before, c.Value)
	}
}
