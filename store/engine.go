package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Engine is a key-value store with a history of changes. It does not know objects.
//
// # Revisions
//
// An engine has one revision, a number that grows with every successful write and never goes back,
// not even when the engine is opened again. A write takes effect at the revision that it returns;
// no two writes have the same. The revision of a key is that of the last write to it, and 0 if the
// key does not exist. Revisions are below 1<<63, and that of an engine is above 0, also before the
// first write.
//
// # Guarantees
//
//   - Writes are linearizable: once Put or Delete has returned, every Get, List, Count and Revision
//     that begins later sees it.
//   - A write whose expected revision is not that of the key changes nothing and fails with a
//     [*ConflictError].
//   - A write that returned without error is kept, as durably as the engine promises.
//   - A write that fails with another error may have taken effect or may still do so, unless the
//     engine says otherwise. It wraps [ErrUncertain] if the engine knows that this is so.
//   - An engine that cannot reach its data does not wait for the end of the context: it bounds each
//     operation itself. A read then fails with [ErrUnavailable]; so does a write that was not sent,
//     and one that was is uncertain. A watch may wait and go on, or fail in the same way.
//   - List answers as of one revision. The pages of a list that state that revision fit together.
//   - Watch delivers every change after its start once, in the order of revisions, changes of one
//     revision together.
//
// Keys are not blank, hold no NUL byte and are ordered by their bytes. Values are not empty.
// Neither side changes the bytes of a value once it has been passed or returned, so both may keep
// them.
//
// All methods are safe for any number of goroutines. Methods return the error of the context if it
// is done before they are. After Close they return [ErrClosed].
//
// Package storetest checks all of this for any engine.
type Engine interface {
	// Get returns the value of a key.
	Get(ctx context.Context, key string) (GetResult, error)
	// List returns the keys with a prefix and their values, in order. All keys have the blank
	// prefix. The errors for a revision are [ErrCompacted] and [ErrFuture].
	List(ctx context.Context, prefix string, o RangeOptions) (Page, error)
	// Count returns the number of keys with a prefix, and the revision of that number.
	Count(ctx context.Context, prefix string) (n int64, revision uint64, err error)
	// Put sets the value of a key whose revision is the expected one, 0 for a key that must not
	// exist, and returns the new revision.
	Put(ctx context.Context, key string, value []byte, expected uint64) (revision uint64, err error)
	// Delete removes a key whose revision is the expected one, and returns the revision at which it
	// is gone. Deleting a key that does not exist is a conflict, whatever revision is expected.
	Delete(ctx context.Context, key string, expected uint64) (revision uint64, err error)
	// Watch calls deliver with the changes of the keys with a prefix that come after a revision,
	// until the context is done, the engine is closed or deliver returns an error, which it
	// returns. From 0 it delivers the whole history that is kept.
	//
	// Each call has the changes since the previous one, possibly none, and the revision that the
	// watch has reached; all changes up to it have been delivered. The first call does not wait for
	// a change. Calls do not overlap. The function must not call the engine, which may hold locks.
	//
	// The error is [ErrCompacted] if changes after the revision are no longer kept, also when the
	// watch falls so far behind later, and [ErrFuture] if the revision has not been reached.
	Watch(ctx context.Context, prefix string, from uint64, deliver func(Changes) error) error
	// Revision returns the revision of the engine, which is at least that of every watch at the
	// time of the call. Every watch reaches it soon, whether there are changes for the watch or
	// not.
	Revision(ctx context.Context) (uint64, error)
	// Compact lets the engine discard the history before a revision: later lists at, and watches
	// from, lower revisions fail. Compacting to the same revision or an earlier one changes nothing
	// and is not an error; a future one is an [ErrFuture].
	//
	// A [Store] compacts to the oldest revision that it needs itself. An engine whose history
	// others need too, such as a cluster that several servers share, compacts by its own rules and
	// always returns [errors.ErrUnsupported] here, whatever the context.
	Compact(ctx context.Context, revision uint64) error
	// Close ends all watches and releases what the engine holds. A second call does nothing.
	Close() error
}

// ExpiringEngine is an engine that removes expired values by itself, so that they are removed even
// while no store is open. A [Store] deletes expired objects with any engine.
type ExpiringEngine interface {
	Engine
	// PutUntil is Put for a value that expires at a time. Unless the key is written again, the
	// engine deletes it some time after it expires.
	PutUntil(ctx context.Context, key string, value []byte, expected uint64, until time.Time) (uint64, error)
}

// PutUntil calls PutUntil of an [ExpiringEngine], and Put of any other engine or if the time is
// zero. Engines that wrap others call it.
func PutUntil(ctx context.Context, e Engine, key string, value []byte, expected uint64, until time.Time,
) (uint64, error) {
	if x, ok := e.(ExpiringEngine); ok && !until.IsZero() {
		return x.PutUntil(ctx, key, value, expected, until)
	}
	return e.Put(ctx, key, value, expected)
}

// KeyValue is a key with its value and the revision of the last write to it.
type KeyValue struct {
	Key      string
	Value    []byte
	Revision uint64
}

// GetResult is the result of [Engine].Get.
type GetResult struct {
	// KeyValue has the value of the key. If the key does not exist, its Value is nil and its
	// Revision 0.
	KeyValue
	// Now is the revision of the engine at the time of the read.
	Now uint64
}

// RangeOptions select a part of a list. The zero value selects all of the latest revision.
type RangeOptions struct {
	// Revision is the revision to answer at, 0 for the latest.
	Revision uint64
	// From is the first key to return, blank for the first with the prefix.
	From string
	// Limit bounds the number of items, unless it is 0.
	Limit int
}

// Page is the result of [Engine].List.
type Page struct {
	// Items are in the order of their keys.
	Items []KeyValue
	// More reports that the limit cut the list short.
	More bool
	// Revision is the revision of the page: the requested one, or the latest.
	Revision uint64
}

// Changes is the argument of the function passed to [Engine].Watch.
type Changes struct {
	// After is the revision that the watch had reached before: in the first call the one after
	// which it begins, or the oldest that is kept, and later the Revision of the previous call.
	After uint64
	// List is every change after it, in the order of revisions. The slice belongs to the engine and
	// is not valid after the call; the bytes in it may be kept.
	List []Change
	// Revision is the revision that the watch has reached with these changes.
	Revision uint64
}

// Change is one write to one key.
type Change struct {
	// KeyValue is the key, its value, which is nil if the key was deleted, and the revision of the
	// change.
	KeyValue
	// Before is the previous value of the key, nil if it had none, and BeforeRevision its revision.
	Before         []byte
	BeforeRevision uint64
}

// Errors of engines; test for them with errors.Is.
var (
	// ErrCompacted reports a revision that is older than the history that the engine keeps.
	ErrCompacted = errors.New("the revision has been compacted")
	// ErrFuture reports a revision that the engine has not reached.
	ErrFuture = errors.New("the revision is in the future")
	// ErrConflict is the cause of every [ConflictError].
	ErrConflict = errors.New("the key has another revision")
	// ErrTooLarge reports a value that is larger than the engine accepts. Nothing was written.
	ErrTooLarge = errors.New("the value is larger than the engine accepts")
	// ErrUncertain reports that a write may have taken effect, may still do so, or may have failed:
	// the connection to the engine broke during the write, for instance. The caller reads the key
	// to find out.
	ErrUncertain = errors.New("the write may or may not have taken effect")
	// ErrUnavailable reports that the engine cannot reach its data at present, because a database
	// does not answer, say. Unless the error is an [ErrUncertain], too, nothing was written, and
	// the same call can succeed later.
	ErrUnavailable = errors.New("the storage cannot be reached")
	// ErrNoSpace reports that the engine has no space for the write. Nothing was written, and
	// deletions may make space.
	ErrNoSpace = errors.New("the storage has no space left")
	// ErrReadOnly reports that the engine takes no writes, such as a file that was opened for
	// reading. Nothing was written.
	ErrReadOnly = errors.New("the storage is read-only")
	// ErrClosed reports that an engine or a store has been closed.
	ErrClosed = errors.New("closed")
)

// ConflictError reports that a key does not have the revision that a write expects. Find it with
// errors.AsType[*ConflictError].
type ConflictError struct {
	_ struct{} // literals name their fields

	// Key is the key.
	Key string
	// Expected is the revision that was expected, 0 for none.
	Expected uint64
	// Current is the revision that the key had when the write was refused, 0 if it did not exist.
	Current uint64
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("store: %q: %v: %d, not %d", e.Key, ErrConflict, e.Current, e.Expected)
}

// Unwrap returns ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }

// CheckWrite returns an error unless the key and the value are valid. Engines call it before a
// write.
func CheckWrite(key string, value []byte) error {
	if len(value) == 0 {
		return fmt.Errorf("store: the value under %q is empty", key)
	}
	return CheckKey(key)
}

// CheckKey returns an error unless the key is valid.
func CheckKey(key string) error {
	switch {
	case key == "":
		return errors.New("store: the key is blank")
	case len(key) > MaxKey:
		return fmt.Errorf("store: the key %.40q… has %d bytes, %d are allowed", key, len(key), MaxKey)
	}
	for i := range len(key) {
		if key[i] == 0 {
			return fmt.Errorf("store: the key %q has a NUL byte", key)
		}
	}
	return nil
}

// MaxKey is the maximum length of a key in bytes.
const MaxKey = 1 << 10

// PrefixEnd returns the first key after all keys with a prefix, or a blank string if there is no
// such key.
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}
