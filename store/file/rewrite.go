package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// halfSuffix is the end of the name of a file that is being rewritten.
const halfSuffix = ".rewrite"

// rewriteFrom is the size from which Open rewrites a file that is mostly free.
const rewriteFrom = 4 << 20

// wasteful reports whether more than half of a file of this package is free.
func wasteful(db *bolt.DB) bool {
	if checkOwn(db) != nil {
		return false
	}
	var size int64
	if err := db.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil }); err != nil {
		return false
	}
	free := int64(db.Stats().FreePageN+db.Stats().PendingPageN) * int64(db.Info().PageSize)
	return size > rewriteFrom && free > size/2
}

// removeHalf removes what an interrupted rewrite has left.
func removeHalf(path string, o *options) error {
	if o.readOnly {
		return nil
	}
	// A process that is rewriting has the file itself locked, so it must be possible to open that.
	if _, err := os.Stat(path + halfSuffix); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	db, err := openBolt(path, o)
	if err != nil {
		return err
	}
	err = os.Remove(path + halfSuffix)
	if errors.Is(err, os.ErrNotExist) { // it was finished meanwhile
		err = nil
	}
	return errors.Join(err, db.Close())
}

// replace writes a file again without its free space and puts the new one in its place. After an
// error, such as that of a full disk, the file is as it was.
func replace(path string, db *bolt.DB) error {
	half := path + halfSuffix
	info, err := os.Stat(path)
	if err == nil {
		err = copyTo(half, db)
	}
	if err == nil {
		err = keepOwner(half, info) // an administrator may compact the file of a service
	}
	if err == nil {
		err = os.Chmod(half, info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(half, path)
	}
	if err != nil {
		_ = os.Remove(half)
	}
	return err
}

// reopen closes a file that has been replaced and opens the new one.
func reopen(path string, db *bolt.DB, o *options) (*bolt.DB, error) {
	if err := errors.Join(syncDirectory(path), db.Close()); err != nil {
		return nil, err
	}
	return openBolt(path, o)
}

// copyTo writes what a database has to a new file.
func copyTo(path string, db *bolt.DB) (err error) {
	defer guard(&err)()
	to, err := bolt.Open(path, 0o600, &bolt.Options{
		FreelistType: bolt.FreelistMapType,
		NoSync:       true,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := bolt.Compact(to, db, groupBytes); err != nil {
		return err
	}
	return to.Sync()
}

// syncDirectory brings the name of a file to disk.
func syncDirectory(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Compact rewrites a file without its free space, and keeps its owner, group and mode. The file
// must not be open. After an error, for example of a full disk, it is unchanged.
func Compact(path string) error {
	if err := compact(resolve(path)); err != nil {
		return fmt.Errorf("file: compact %s: %w", path, err)
	}
	return nil
}

func compact(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errEmpty
	}
	var o options
	if err := removeHalf(path, &o); err != nil {
		return err
	}
	db, err := openBolt(path, &o)
	if err != nil {
		return err
	}
	if err = checkOwn(db); err == nil {
		err = replace(path, db)
	}
	if err == nil {
		err = syncDirectory(path)
	}
	return errors.Join(err, db.Close())
}
