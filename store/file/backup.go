package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Restored opens a file that is an older state of itself, such as a copy from a snapshot of a disk:
// the revision becomes higher than any before, and the past is forgotten. Without it, revisions
// that clients know of would be used again for other changes, and their watches would go on as if
// nothing had happened. Files of [Engine.Backup] do not need it, and a file that is opened for
// reading stays as it is.
func Restored() Option { return func(o *options) { o.restored = true } }

// Backup writes a copy of the file, as it is at one revision, to a new file, which is complete and
// on disk when Backup returns. To restore it, open it, or a copy of it, in place of the file: it
// begins like a file that is [Restored], however often that happens.
//
// Reads and writes go on meanwhile, unless the file has to grow for a write: that write may wait
// for the end of the copy, and so do the writes and the reads of the engine that come after it. A
// store reads from its memory and does not wait. Close waits for the end of the copy. The error is
// an [fs.ErrExist] if there is a file of that name.
func (e *Engine) Backup(path string) (revision uint64, err error) {
	if revision, err = e.backup(path); err != nil {
		return 0, fmt.Errorf("file: back up to %s: %w", path, err)
	}
	return revision, nil
}

func (e *Engine) backup(path string) (revision uint64, err error) {
	if err := e.usable(context.Background()); err != nil {
		return 0, err
	}
	if _, err := os.Lstat(path); err == nil {
		return 0, fs.ErrExist
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return 0, err
	}
	err = e.view(func(tx *bolt.Tx) error {
		if revision, err = number(tx, revisionKeyName); err != nil {
			return err
		}
		_, err := tx.WriteTo(part)
		return err
	})
	if err = errors.Join(err, part.Close()); err == nil {
		err = markBackup(part.Name())
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(part.Name()))
	}
	return revision, syncDirectory(path)
}

// markBackup makes a copy of a file a backup, and syncs it.
func markBackup(path string) (err error) {
	defer guard(&err)()
	db, _, err := openOnce(path, &options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(backupKey, []byte{1}) })
}

// isBackup reports whether a file is a backup that has not been opened for writing.
func isBackup(tx *bolt.Tx) bool { return tx.Bucket(metaBucket).Get(backupKey) != nil }

// restoredFrom is how far a restored file begins after its own revision at least if the clock does
// not say more, because it is behind or was ahead before: nothing writes as often between a backup
// and its restoration.
const restoredFrom = 1 << 40

// beginRestored forgets the past of a file with a revision, and returns the new one.
func (e *Engine) beginRestored(revision uint64) (uint64, error) {
	before := revision
	if revision = uint64(max(0, time.Now().UnixMicro())); revision <= before {
		// The time also tells apart what is restored from one backup again and again.
		revision += before + restoredFrom
	}
	return revision, e.update(func(tx *bolt.Tx) error {
		if err := tx.DeleteBucket(eventsBucket); err != nil {
			return err
		}
		_, err := tx.CreateBucket(eventsBucket)
		meta := tx.Bucket(metaBucket)
		return errors.Join(err, meta.Put(revisionKeyName, revisionKey(revision)),
			meta.Put(floorKey, revisionKey(revision)), meta.Delete(backupKey))
	})
}
