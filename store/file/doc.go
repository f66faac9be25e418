// Package file is an engine of package store that keeps everything in one file, without a server.
//
//	db, err := file.Open("garage.db")
//	…
//	defer db.Close()
//	st, err := store.Open(ctx, db, store.Options{})
//
// The file is one of [go.etcd.io/bbolt]. A write returns when it is on disk. Writes that arrive
// while others are being synced share the next sync, so many writers together are much faster than
// one: after a sync that served several, the engine waits up to an eighth of its duration for the
// same writers to write again. The changes of the recent past are kept until they are compacted,
// which a Store does, so that clients go on with their watches when a program has been restarted.
//
// # What can go wrong
//
//   - The file is open in another process: Open fails with [ErrInUse]. The lock ends with the
//     process that holds it, however that ends.
//   - The process is killed: every write that has returned is there when the file is opened again,
//     and no part of any other.
//   - The machine stops: the same, if writes are synced, which is the default; see [Sync].
//   - A write or sync fails, because the disk is full, say: the write returns the error, the engine
//     ends, and so does a store that is open on it. Nothing is tried again, since after a failed
//     sync it is unknown what is on disk. What had returned before is there when the file is opened
//     again. A new file that does not fit on the disk stays empty, and is created by the next Open.
//   - The file has been damaged: Open, or the read that finds the damage, fails with [ErrDamaged].
//     Every value has a checksum; [Engine.Verify] checks the whole file.
//   - The file has been changed on purpose: the pages of bbolt have no checksums, and some that lead
//     to each other in a circle end the process. Open only files that no one else can write.
//   - The file is replaced by an older state of itself: clients would not notice, so open it with
//     [Restored]. [Engine.Backup] writes copies that need no option, while the engine is in use.
//   - The file was written by a newer version of this package: Open fails with [ErrFormat] and
//     leaves the file as it is.
//
// # The format
//
// Bucket "objects" has, under each key, its revision in 8 bytes, big-endian, a CRC-32C of the key
// and all that follows, in 4 bytes, and the value. Bucket "events" has, under each revision in 8
// bytes, what the write of that revision replaced: a CRC-32C, the length of the key in 2 bytes, the
// key, the revision before in 8 bytes, 0 for none, and the value before. Bucket "meta" has the
// format, the revision, the oldest revision from which changes are kept and, in a backup, a mark.
//
// The command store/file/inspect prints, verifies, compacts, exports, imports and restores files.
package file
