package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/askind/askind/store"
	bolt "go.etcd.io/bbolt"
)

// Info describes the contents of a file.
type Info struct {
	// Format is the version of the format.
	Format uint64
	// Revision is the latest revision, and Floor the oldest one after which changes are kept.
	Revision, Floor uint64
	// Objects and Events are counts, and ObjectBytes and EventBytes the bytes of their keys and
	// records.
	Objects, Events         int64
	ObjectBytes, EventBytes int64
	// Size is the size of the file, and Free its unused part.
	Size, Free int64
	// Backup reports that [Engine.Backup] wrote the file, and that it has not been restored.
	Backup bool
}

// Info describes the contents of the file. It reads all of it.
func (e *Engine) Info(ctx context.Context) (info Info, err error) {
	if err := e.usable(ctx); err != nil {
		return info, err
	}
	err = e.view(func(tx *bolt.Tx) error {
		var errs [3]error
		info.Format, errs[0] = number(tx, formatKey)
		info.Revision, errs[1] = number(tx, revisionKeyName)
		info.Floor, errs[2] = number(tx, floorKey)
		info.Objects, info.ObjectBytes = measure(tx.Bucket(objectsBucket))
		info.Events, info.EventBytes = measure(tx.Bucket(eventsBucket))
		info.Size, info.Backup = tx.Size(), isBackup(tx)
		stats := e.db.Stats()
		info.Free = int64(stats.FreePageN+stats.PendingPageN) * int64(e.db.Info().PageSize)
		return errors.Join(errs[:]...)
	})
	return info, err
}

// measure returns how many records a bucket has, and their size.
func measure(b *bolt.Bucket) (n, bytes int64) {
	c := b.Cursor()
	for key, record := c.First(); key != nil; key, record = c.Next() {
		n++
		bytes += int64(len(key) + len(record))
	}
	return n, bytes
}

// maxProblems is how many problems [Engine.Verify] reports.
const maxProblems = 100

// Verify reads the whole file and returns its faults: unreadable pages, wrong checksums, impossible
// revisions, and events that do not lead to the current state. The error is an [ErrDamaged] and
// holds the first 100 problems.
func (e *Engine) Verify(ctx context.Context) error {
	if err := e.usable(ctx); err != nil {
		return err
	}
	var problems []error
	add := func(err error) {
		if err != nil && len(problems) < maxProblems {
			problems = append(problems, err)
		}
	}
	add(e.view(func(tx *bolt.Tx) error {
		now, err := checkMeta(tx)
		if err != nil {
			return err
		}
		add(verifyObjects(tx, now, add))
		add(verifyEvents(tx, now, add))
		return nil
	}))
	return errors.Join(problems...)
}

// verifyObjects checks every object.
func verifyObjects(tx *bolt.Tx, now uint64, add func(error)) error {
	seen := map[uint64][]byte{}
	return tx.Bucket(objectsBucket).ForEach(func(key, record []byte) error {
		revision, _, err := parseObject(key, record)
		switch {
		case err != nil:
			add(err)
		case revision > now || revision == 0:
			add(fmt.Errorf("%w: %q has revision %d, the file %d", ErrDamaged, key, revision, now))
		case seen[revision] != nil:
			add(fmt.Errorf("%w: %q and %q both have revision %d", ErrDamaged, seen[revision], key, revision))
		default:
			seen[revision] = key // valid as long as the transaction
		}
		return nil
	})
}

// verifyEvents checks that the events lead to the present state.
func verifyEvents(tx *bolt.Tx, now uint64, add func(error)) error {
	floor, err := number(tx, floorKey)
	if err != nil {
		return err
	}
	c := tx.Bucket(eventsBucket).Cursor() // the forgotten ones, which the sweep removes
	for key, record := c.First(); key != nil && bytes.Compare(key, revisionKey(floor)) <= 0; key, record = c.Next() {
		_, err := parseUndo(key, record)
		add(err)
	}
	changes, err := changesAfter(tx, "", floor)
	if err != nil {
		return err
	}
	last := map[string]store.Change{}
	for _, c := range changes {
		if before, ok := last[c.Key]; ok {
			was := before.Revision
			if before.Value == nil {
				was = 0
			}
			if was != c.BeforeRevision {
				add(fmt.Errorf("%w: the event %d of %q does not follow the one before", ErrDamaged, c.Revision, c.Key))
			}
		}
		if c.Revision > now {
			add(fmt.Errorf("%w: the event %d is in the future", ErrDamaged, c.Revision))
		}
		last[c.Key] = c
	}
	for key, c := range last {
		record := tx.Bucket(objectsBucket).Get([]byte(key))
		if record == nil {
			continue // it was deleted
		}
		if revision, _, err := parseObject([]byte(key), record); err == nil && revision != c.Revision {
			add(fmt.Errorf("%w: %q has revision %d, its last event %d", ErrDamaged, key, revision, c.Revision))
		}
	}
	return nil
}
