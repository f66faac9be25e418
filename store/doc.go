// Package store keeps objects of versioned kinds: it stores them, lists them as they are or were,
// and lets any number of clients watch what changes. Servers are built on it, and programs that
// need no server use it alone.
//
//	db := memory.New()                                     // or file.Open("garage.db")
//	st, err := store.Open(ctx, db, store.Options{})
//	…
//	cars, err := st.Add(store.ResourceOptions{Factory: f, Kind: v1.GroupVersion.WithKind("Car")})
//	…
//	e, err := cars.Create(ctx, &v1.Car{…}, store.WriteOptions{})
//
// # The model
//
// An [Engine] keeps bytes under keys. It orders all writes by one number, the revision. Engines are
// in packages of their own: memory keeps nothing on disk, file keeps everything in one file, and
// encrypt is an engine around another one. An engine of your own passes the tests of package
// storetest.
//
// A [Store] holds what its engine has in memory, encoded. It follows the changes of the engine,
// whoever made them, so several stores, in several processes, can share an engine that allows it.
//
// A [Resource] is the objects of one kind. Resources are added and removed while the store is in
// use. Objects are stored in one version of the kind, and read and written in any; what was stored
// in another version, or under other types or defaults, is brought up to date when it is read.
//
// An [Entry] is one object at one revision. It is what the other operations return, and never
// changes. It holds the object encoded. [Entry.Object] decodes it; [Entry.Append] and
// [Entry.Cached] answer clients without decoding where the stored bytes can be copied, or where
// another client has asked for the same form.
//
// # Revisions
//
// The resourceVersion of an object is the revision at which it was written, in decimal; that of a
// list is the revision that it shows. They are the revisions of the store as a whole, so those of
// different resources can be compared. No answer mixes two revisions: [List] and [Watch] begin with
// one immutable state, which a reader takes without a lock.
//
// The past is kept for some time, within [Options].History and [Options].HistoryBytes. As long as a
// revision is kept, lists can be made of it, pages of a list fit together, and watches can begin
// after it. What is older is answered with Expired, 410, and the client lists again.
//
// # Watches
//
// A [Watch] is a position in the history. Its owner asks it for the events behind that position:
//
//	w, err := cars.Watch(ctx, store.WatchOptions{Initial: true})
//	…
//	for e := range w.Initial().Entries() { … }   // what was there
//	for {
//		events, err := w.Next(nil)           // what came after
//		…
//		if len(events) == 0 {
//			err = w.Wait(ctx)
//		}
//	}
//
// Nothing is lost or comes twice between what was there and what came after, because both begin
// with the same state. A watch has neither a goroutine nor a queue. A slow one delays nobody; when
// its position has left the history, its next call returns Expired.
//
// # Errors
//
// Errors that are meant for clients are of the type [*metav1.StatusError]: NotFound, AlreadyExists,
// Conflict, Expired, RequestEntityTooLarge for an object that the engine does not take, Timeout for
// a revision that is not reached in time, and BadRequest for parameters. [ErrClosed] and
// [ErrRemoved] say that the store has been closed or the resource removed, and
// [*UndecodableError] that an object is stored in a form that cannot be read. Such objects do not
// keep others from being listed and watched.
//
// # Related packages
//
// Package serializer decodes, encodes and negotiates; package httpapi answers requests with what
// this package returns.
package store
