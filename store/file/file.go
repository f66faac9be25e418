package file

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askind/askind/store"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Option changes how a file is opened.
type Option func(*options)

type options struct {
	sync     time.Duration // 0 for always, below 0 for never
	readOnly bool
	wait     time.Duration
	restored bool
}

// Sync sets when writes are synced to disk: with 0, the default, before they return; with a
// positive duration at that interval; with a negative one whenever the operating system does it. A
// process that is killed never loses writes. If the machine stops, writes that were not synced may
// be lost, and the file may be damaged; use other values than 0 only for data that can be
// recreated.
func Sync(every time.Duration) Option { return func(o *options) { o.sync = every } }

// ReadOnly opens a file for reading, which several processes may do at the same time. Writes fail
// with [store.ErrReadOnly], and the file must exist.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// Wait waits for a file that is in use. By default Open fails at once.
func Wait(limit time.Duration) Option { return func(o *options) { o.wait = limit } }

// format is the version of what is written.
const format = 1

var (
	objectsBucket = []byte("objects")
	eventsBucket  = []byte("events")
	metaBucket    = []byte("meta")

	formatKey       = []byte("format")
	revisionKeyName = []byte("revision")
	floorKey        = []byte("floor")
	backupKey       = []byte("backup") // is there in a backup
)

// Engine keeps everything in a file. See [store.Engine] for its methods. The zero value is not
// usable; use [Open].
type Engine struct {
	db       *bolt.DB
	options  options
	revision atomic.Uint64 // of what has been committed
	queue    queue
	stop     chan struct{} // closed by Close
	failed   chan struct{} // closed when the engine has ended for an error
	failure  error
	done     sync.WaitGroup
	closing  sync.Once

	// Guards what is between a commit and its delivery to the last watch.
	deliver sync.Mutex
	watches []*watch
}

var _ store.Engine = (*Engine)(nil)

// Open opens a file, and creates it if it does not exist. A file that is mostly free space, because
// much was deleted, is rewritten first and becomes smaller.
func Open(path string, opts ...Option) (*Engine, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	e, err := open(path, o)
	if pathError, ok := err.(*fs.PathError); ok && pathError.Path == path {
		err = pathError.Err // the path is below
	}
	if err != nil {
		return nil, fmt.Errorf("file: open %s: %w", path, err)
	}
	return e, nil
}

func open(path string, o options) (*Engine, error) {
	path = resolve(path)
	if err := removeHalf(path, &o); err != nil {
		return nil, err
	}
	db, err := openBolt(path, &o)
	if err != nil {
		return nil, err
	}
	// A file that cannot be replaced, because the disk is full, say, is only larger than necessary.
	if !o.readOnly && wasteful(db) && replace(path, db) == nil {
		if db, err = reopen(path, db, &o); err != nil {
			return nil, err
		}
	}
	e := &Engine{db: db, options: o, stop: make(chan struct{}), failed: make(chan struct{})}
	e.queue.wake = make(chan struct{}, 1)
	revision, err := e.begin()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	e.revision.Store(revision)
	e.done.Go(e.write)
	if o.sync > 0 && !o.readOnly {
		e.done.Go(e.syncOften)
	}
	return e, nil
}

// resolve returns the file that a path leads to, so that a rewrite replaces that and not a link to
// it.
func resolve(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// openBolt opens the database in a file.
func openBolt(path string, o *options) (*bolt.DB, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	for range 10 {
		db, opened, err := openOnce(path, o)
		if err != nil {
			return nil, err
		}
		// While this process was waiting for the lock, another one may have rewritten the file.
		// Then the lock is on a file that has no name any more, and what is written to it is lost.
		named, err := os.Stat(path)
		if err == nil && os.SameFile(opened, named) {
			return db, nil
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: others replace it again and again", ErrInUse)
}

// openOnce opens the database in a file and returns what the operating system says of the file that
// was opened.
func openOnce(path string, o *options) (db *bolt.DB, opened os.FileInfo, err error) {
	defer guard(&err)()
	wait := o.wait
	if wait <= 0 {
		wait = 50 * time.Millisecond // less than that would mean to wait for ever
	}
	// Every transaction writes the list of free pages (NoFreelistSync is not set), which takes time
	// while much of the file is free. Without that list bbolt finds free pages when it opens a
	// file, in a goroutine of its own, where a damaged page would end the process.
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout: wait, FreelistType: bolt.FreelistMapType, ReadOnly: o.readOnly,
		PreLoadFreelist: true, // for Info, if the file is opened for reading only
		NoSync:          o.sync != 0,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			if err != nil {
				return nil, err
			}
			info, err := f.Stat()
			if opened == nil { // bbolt opens the file again for each backup
				opened = info
			}
			if err == nil && o.readOnly && info.Size() == 0 {
				err = errEmpty
			}
			if err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		},
	})
	// Without the lock, what is there is what another process has begun.
	if locked := !o.readOnly && !errors.Is(err, bolterrors.ErrTimeout); locked && err != nil && opened != nil &&
		opened.Size() == 0 {
		removeBeginning(path, opened)
	}
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		err = fmt.Errorf("%w: another process has it open", ErrInUse)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch):
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	case errors.Is(err, bolterrors.ErrChecksum):
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil && opened != nil && opened.Size() > 0 && opened.Size() < smallest():
		err = fmt.Errorf("%w: it ends after %d bytes", ErrDamaged, opened.Size())
	case errors.Is(err, os.ErrPermission) && !o.readOnly:
		err = fmt.Errorf("%w; it must be writable, unless it is opened with file.ReadOnly", err)
	}
	return db, opened, err
}

// smallest returns the size of a new file, which has four pages.
func smallest() int64 { return 4 * int64(os.Getpagesize()) }

// removeBeginning makes a file empty again in which a database could not be created, because the
// disk is full, say. Nobody could open the beginning of one.
func removeBeginning(path string, opened os.FileInfo) {
	if info, err := os.Stat(path); err == nil && os.SameFile(opened, info) && info.Size() < smallest() {
		_ = os.Truncate(path, 0)
	}
}

// guard makes errors of the panics and faults that a damaged file causes, until the function that
// it returns is called.
func guard(err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			*err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}
}

// begin reads or writes the meta data, and returns the revision.
func (e *Engine) begin() (revision uint64, err error) {
	restored := e.options.restored
	err = e.view(func(tx *bolt.Tx) error {
		if tx.Bucket(metaBucket) == nil {
			if first, _ := tx.Cursor().First(); first != nil {
				return errForeign
			}
			return nil
		}
		restored = restored || isBackup(tx)
		revision, err = checkMeta(tx)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case revision > 0 && restored && !e.options.readOnly:
		return e.beginRestored(revision)
	case revision > 0:
		return revision, nil
	case e.options.readOnly:
		return 0, errEmpty
	}
	// so that revisions of another file of that name are not taken for ones of this
	revision = uint64(time.Now().UnixMicro())
	return revision, e.update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{objectsBucket, eventsBucket, metaBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(metaBucket)
		return errors.Join(meta.Put(formatKey, revisionKey(format)), meta.Put(revisionKeyName, revisionKey(revision)),
			meta.Put(floorKey, revisionKey(revision)))
	})
}

// errEmpty is the error for a file without anything in it.
var errEmpty = fmt.Errorf("%w: it is empty", ErrFormat)

// errForeign is the error for a database that this package has not written.
var errForeign = fmt.Errorf("%w: it is a database of another program", ErrFormat)

// checkOwn returns an error unless this package has written a database and knows its format.
func checkOwn(db *bolt.DB) (err error) {
	defer guard(&err)()
	return db.View(func(tx *bolt.Tx) error {
		if tx.Bucket(metaBucket) == nil {
			return errForeign
		}
		_, err := checkMeta(tx)
		return err
	})
}

// checkMeta returns the revision of a file whose format is known.
func checkMeta(tx *bolt.Tx) (uint64, error) {
	found, err := number(tx, formatKey)
	switch {
	case err != nil:
		return 0, err
	case found > format:
		return 0, fmt.Errorf("%w: it has format %d, and this program knows those up to %d; use a newer one", ErrFormat,
			found, format)
	case found < 1:
		return 0, fmt.Errorf("%w: it has format %d", ErrFormat, found)
	case tx.Bucket(objectsBucket) == nil || tx.Bucket(eventsBucket) == nil:
		return 0, fmt.Errorf("%w: a part of it is missing", ErrDamaged)
	}
	revision, err := number(tx, revisionKeyName)
	if err != nil {
		return 0, err
	}
	floor, err := number(tx, floorKey)
	switch {
	case err != nil:
	case revision == 0:
		err = fmt.Errorf("%w: it has no revision", ErrDamaged)
	case revision > maxRevision:
		err = fmt.Errorf("%w: it has the revision %d", ErrDamaged, revision)
	case floor > revision:
		err = fmt.Errorf("%w: changes are kept after %d, the revision is %d", ErrDamaged, floor, revision)
	}
	return revision, err
}

// maxRevision is more than any file reaches: revisions begin with the microseconds since 1970.
const maxRevision = math.MaxInt64 / 2

// number returns a number of the meta data.
func number(tx *bolt.Tx, key []byte) (uint64, error) {
	b := tx.Bucket(metaBucket).Get(key)
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: %s is missing", ErrDamaged, key)
	}
	return binary.BigEndian.Uint64(b), nil
}

// view reads.
func (e *Engine) view(read func(tx *bolt.Tx) error) (err error) {
	defer guard(&err)()
	err = e.db.View(read)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return store.ErrClosed
	}
	return err
}

// read reads what has been committed and its revision.
func (e *Engine) read(read func(tx *bolt.Tx, now uint64) error) error {
	var now uint64
	err := e.view(func(tx *bolt.Tx) (err error) {
		if now, err = number(tx, revisionKeyName); err != nil {
			return err
		}
		return read(tx, now)
	})
	if now > e.revision.Load() {
		// Revision must not return less than what this read has seen, so the writer, which is
		// between commit and delivery, is waited for.
		e.deliver.Lock()
		//lint:ignore SA2001 nothing is to be done meanwhile
		e.deliver.Unlock()
	}
	return err
}

// usable returns an error if the context is done or the engine has ended.
func (e *Engine) usable(ctx context.Context) error {
	select {
	case <-e.failed:
		return e.failure
	case <-e.stop:
		return store.ErrClosed
	default:
		return ctx.Err()
	}
}

// fail ends the engine for an error. Only the goroutine that writes calls it.
func (e *Engine) fail(err error) {
	e.failure = fmt.Errorf(
		"file: %w: a write failed, and it is not known what is on disk; open the file again to read it: %w",
		store.ErrClosed, err,
	)
	close(e.failed)
}

// Close implements [store.Engine]. All writes are on disk when it returns, regardless of [Sync].
func (e *Engine) Close() error {
	var err error
	e.closing.Do(func() {
		close(e.stop)
		e.done.Wait()
		if e.options.sync != 0 && !e.options.readOnly {
			err = e.db.Sync()
		}
		err = errors.Join(err, e.db.Close())
	})
	return err
}

// syncOften syncs writes at the interval of the option.
func (e *Engine) syncOften() {
	ticker := time.NewTicker(e.options.sync)
	defer ticker.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-e.failed:
			return
		case <-ticker.C:
			if err := e.db.Sync(); err != nil {
				e.queue.fail(err)
				return
			}
		}
	}
}
