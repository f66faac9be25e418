package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// halfSuffix is what the name of a file ends with that is being written anew.
const halfSuffix = ".rewrite"

// rewriteFrom is the size below which no file is written anew when it is opened.
const rewriteFrom = 4 << 20

// wasteful reports whether more than half of a file is free.
func wasteful(db *bolt.DB) bool {
	var size int64
	if err := db.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil }); err != nil {
		return false
	}
	free := int64(db.Stats().FreePageN+db.Stats().PendingPageN) * int64(db.Info().PageSize)
	return size > rewriteFrom && free > size/2
}

// removeHalf removes what a rewrite has left that did not come to its end.
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
	return errors.Join(os.Remove(path+halfSuffix), db.Close())
}

// rewrite writes a file anew without what is free in it, puts the new one in its place, and opens
// that. The old one stays as it is until the new one is on disk.
func rewrite(path string, db *bolt.DB, o *options) (*bolt.DB, error) {
	half := path + halfSuffix
	err := copyTo(half, db)
	if err == nil {
		err = os.Rename(half, path)
	}
	if err != nil { // a full disk, perhaps: the file is as good as before, and only larger
		_ = os.Remove(half)
		return db, nil
	}
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

// Compact rewrites a file without its free space. The file must not be open.
func Compact(path string) error {
	db, err := openBolt(path, &options{})
	if err != nil {
		return fmt.Errorf("file: compact %s: %w", path, err)
	}
	if db, err = rewrite(path, db, &options{}); err == nil {
		err = db.Close()
	}
	return err
}
