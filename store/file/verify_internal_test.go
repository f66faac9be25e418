package file

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"go.etcd.io/bbolt"
)

// TestVerifyFinds checks that Verify finds records that are whole but contradict each other.
func TestVerifyFinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault func(objects, events, meta *bbolt.Bucket, first, now uint64) error
		want  string
	}{
		{"nothing", func(*bbolt.Bucket, *bbolt.Bucket, *bbolt.Bucket, uint64, uint64) error { return nil }, ""},
		{"an object of the future", func(objects, _, _ *bbolt.Bucket, _, now uint64) error {
			return objects.Put([]byte("new"), appendObject(nil, "new", now+1, []byte("v")))
		}, `"new" has revision`},
		{"an object without a revision", func(objects, _, _ *bbolt.Bucket, _, _ uint64) error {
			return objects.Put([]byte("new"), appendObject(nil, "new", 0, []byte("v")))
		}, `"new" has revision 0`},
		{"two objects of one write", func(objects, _, _ *bbolt.Bucket, first, _ uint64) error {
			return objects.Put([]byte("new"), appendObject(nil, "new", first+1, []byte("v")))
		}, `"b" and "new" both have revision`},
		{"an object that is older than its last event", func(objects, _, _ *bbolt.Bucket, first, _ uint64) error {
			return objects.Put([]byte("a"), appendObject(nil, "a", first, []byte("v")))
		}, `"a" has revision`},
		{"an object that has been deleted", func(objects, _, _ *bbolt.Bucket, first, _ uint64) error {
			return objects.Put([]byte("c"), appendObject(nil, "c", first+3, []byte("v")))
		}, `"c" has revision`},
		{"an event of the future", func(_, events, _ *bbolt.Bucket, _, now uint64) error {
			return events.Put(revisionKey(now+1), appendUndo(nil, now+1, "new", nil, 0))
		}, "is in the future"},
		{"an event that is missing", func(_, events, _ *bbolt.Bucket, first, _ uint64) error {
			return events.Delete(revisionKey(first + 2))
		}, `of "a" does not follow the one before`},
		{"an event that replaces what had been deleted", func(_, events, _ *bbolt.Bucket, first, _ uint64) error {
			return events.Put(revisionKey(first+6), appendUndo(nil, first+6, "c", []byte("v"), first+3))
		}, `of "c" does not follow the one before`},
		{"a history that begins in the future", func(_, _, meta *bbolt.Bucket, _, now uint64) error {
			return meta.Put(floorKey, revisionKey(now+1))
		}, "changes are kept after"},
		{"a forgotten event that cannot be read", func(_, events, _ *bbolt.Bucket, _, _ uint64) error {
			return events.Put([]byte{0}, []byte("v"))
		}, "the event 00 cannot be read"},
		{"no revision", func(_, _, meta *bbolt.Bucket, _, _ uint64) error {
			return meta.Delete(revisionKeyName)
		}, "revision is missing"},
		{"a part that is missing", func(objects, _, _ *bbolt.Bucket, _, _ uint64) error {
			return objects.Tx().DeleteBucket(objectsBucket)
		}, "a part of it is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, first := history(t)
			if err := e.db.Update(func(tx *bbolt.Tx) error {
				now := e.revision.Load()
				return tt.fault(tx.Bucket(objectsBucket), tx.Bucket(eventsBucket), tx.Bucket(metaBucket), first, now)
			}); err != nil {
				t.Fatal(err)
			}
			err := e.Verify(t.Context())
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// history returns an engine with the object a, written three times from the first revision on, the
// object b, written after the first of these, and the object c, which has been deleted twice.
func history(t *testing.T) (e *Engine, first uint64) {
	t.Helper()
	e, err := Open(filepath.Join(t.TempDir(), "db"), Sync(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	last := map[string]uint64{}
	for i, key := range []string{"a", "b", "a", "c", "a", "-c", "c", "-c"} {
		var err error
		if name, gone := strings.CutPrefix(key, "-"); gone {
			_, err = e.Delete(t.Context(), name, last[name])
			last[name] = 0
		} else {
			last[key], err = e.Put(t.Context(), key, fmt.Append(nil, i), last[key])
		}
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = last[key]
		}
	}
	return e, first
}

// TestVerifyIsBounded checks that Verify reports a bounded number of problems.
func TestVerifyIsBounded(t *testing.T) {
	t.Parallel()
	e, _ := history(t)
	if err := e.db.Update(func(tx *bbolt.Tx) error {
		for i := range 2 * maxProblems {
			key := fmt.Sprint("new", i)
			if err := tx.Bucket(objectsBucket).Put([]byte(key), appendObject(nil, key, 0, []byte("v"))); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	all, ok := e.Verify(t.Context()).(interface{ Unwrap() []error })
	if !ok || len(all.Unwrap()) != maxProblems {
		t.Errorf("%v, want %d problems", all, maxProblems)
	}
}

// TestContradictions opens files whose parts are whole but contradict each other, and writes to
// those that open. None may be used with a revision that has no successor, and no store may wait
// for a past that cannot be read.
func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                          string
		fault                         func(objects, events, meta *bbolt.Bucket) error
		damaged, damagedWrite, noPast bool
	}{
		{name: "nothing", fault: func(_, _, _ *bbolt.Bucket) error { return nil }},
		{name: "the last revision of all", fault: func(_, _, meta *bbolt.Bucket) error {
			return meta.Put(revisionKeyName, revisionKey(math.MaxUint64))
		}, damaged: true},
		{name: "a revision that is no int64", fault: func(_, _, meta *bbolt.Bucket) error {
			return meta.Put(revisionKeyName, revisionKey(1<<63))
		}, damaged: true},
		{name: "a history of the future", fault: func(_, _, meta *bbolt.Bucket) error {
			return meta.Put(floorKey, revisionKey(math.MaxInt64))
		}, damaged: true},
		{name: "a short event", fault: func(_, events, _ *bbolt.Bucket) error {
			return events.Put([]byte{0}, []byte("v"))
		}},
		{name: "a bucket of events", fault: func(_, events, _ *bbolt.Bucket) error {
			_, err := events.CreateBucket(revisionKey(1))
			return err
		}, damagedWrite: true},
		{name: "a long event", fault: func(_, events, _ *bbolt.Bucket) error {
			return events.Put([]byte(strings.Repeat("a", 20)), []byte("v"))
		}, noPast: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, _ := history(t)
			if err := e.db.Update(func(tx *bbolt.Tx) error {
				return tt.fault(tx.Bucket(objectsBucket), tx.Bucket(eventsBucket), tx.Bucket(metaBucket))
			}); err != nil {
				t.Fatal(err)
			}
			path := e.db.Path()
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			e, err := Open(path)
			if errors.Is(err, ErrDamaged) != tt.damaged || !tt.damaged && err != nil {
				t.Fatalf("open: %v", err)
			}
			if err != nil {
				return
			}
			defer e.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := e.Put(ctx, "d", []byte("v"), 0); errors.Is(err, ErrDamaged) != tt.damagedWrite ||
				!tt.damagedWrite && err != nil {
				t.Errorf("write: %v", err)
			}
			st, err := store.Open(ctx, e, store.Options{})
			if bad := tt.damagedWrite || tt.noPast; errors.Is(err, ErrDamaged) != bad || !bad && err != nil {
				t.Errorf("store: %v", err)
			}
			if err == nil {
				st.Close()
			}
		})
	}
}

// TestInfoWhileClosing: the program ended if a file was closed while Info counted.
func TestInfoWhileClosing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	for range 20 {
		e, err := Open(path, Sync(-1))
		if err != nil {
			t.Fatal(err)
		}
		var counting sync.WaitGroup
		for range 4 {
			counting.Go(func() {
				for err := error(nil); err == nil; {
					_, err = e.Info(t.Context())
				}
			})
		}
		time.Sleep(time.Millisecond)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		counting.Wait()
	}
}

// TestBackupOfDamage backs up a file whose list of free pages has one that is in use. The first
// write to the copy, which marks it, ended the program.
func TestBackupOfDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	e, err := Open(path)
	if err == nil {
		err = e.Close()
	}
	data, errRead := os.ReadFile(path)
	if err := errors.Join(err, errRead); err != nil {
		t.Fatal(err)
	}
	// A page has a header of 16 bytes, with the number of its entries at 10. Behind it the first
	// two pages have the numbers of the root page at 16, of the list of free pages at 32, and of
	// the transaction at 48. The later of them counts.
	page := func(id uint64) []byte { return data[int(id)*os.Getpagesize():] }
	number := func(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }
	meta := page(0)[16:]
	if other := page(1)[16:]; number(other[48:]) > number(meta[48:]) {
		meta = other
	}
	free := page(number(meta[32:]))
	n := binary.NativeEndian.Uint16(free[10:])
	binary.NativeEndian.PutUint16(free[10:], n+1)
	binary.NativeEndian.PutUint64(free[16+8*int(n):], number(meta[16:]))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Backup(filepath.Join(dir, "saved")); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "saved*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}
