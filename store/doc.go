// Package store stores objects of versioned kinds, lists their present and past states, and lets
// any number of clients watch changes. Servers are built on it; it can also be used without one.
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
// An [Engine] stores bytes by key and orders all writes by one number, the revision. Engines are in
// packages of their own: memory keeps nothing on disk, file keeps everything in one file, etcd uses
// a cluster of etcd, and encrypt wraps another engine. Package storetest tests an engine of your
// own.
//
// A [Store] holds the contents of its engine in memory, encoded. It follows all changes of the
// engine, including those made by other processes, so several stores can share an engine that
// allows it.
//
// A [Resource] is the objects of one kind. Resources are added and removed while the store is in
// use. Objects are stored in one version of the kind, and read and written in any; what was stored
// in another version, or under other types or defaults, is brought up to date when it is read.
// A resource sets defaults but checks neither values nor names. Before a write, servers call
// [runtime.Scheme.Validate] and meta/validation.ObjectMeta, and so can you.
//
// An [Entry] is one object at one revision. Reads and writes return entries, which are immutable.
// An entry holds the object encoded. [Entry.Object] decodes it; [Entry.Append] and [Entry.Cached]
// answer clients without decoding where the stored bytes can be copied, or where another client has
// asked for the same form.
//
// # Revisions
//
// The resourceVersion of an object is the revision at which it was written, in decimal; that of a
// list is the revision that it shows. They are the revisions of the store as a whole, so those of
// different resources can be compared. No answer mixes two revisions: [List] and [Watch] begin with
// one immutable state, which a reader takes without a lock.
//
// The past is kept within [Options].History and [Options].HistoryBytes. While a revision is kept,
// it can be listed, all pages of a list show the same state, and watches can begin after it. A
// request for an older revision fails with Expired, 410, and the client lists again.
//
// # Watches
//
// A [Watch] is a position in the history. Its owner asks it for the events after that position:
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
// No event is lost or repeated between the initial objects and the changes, because both begin with
// the same state. A watch has neither a goroutine nor a queue. A slow reader delays no other; when
// its position is no longer in the history, its next call returns Expired.
//
// # Changing schemes
//
// A resource reads and writes its objects with the factory that it was added with. When the scheme
// of a program grows, [Resource.Rebind] lets the resource follow, so that the scheme of before can
// be freed. [Store.Replace] is for another definition of the kind itself.
//
// # Errors
//
// Errors that are meant for clients are of the type [*metav1.StatusError]: NotFound, AlreadyExists,
// Conflict, Expired, BadRequest for parameters, RequestEntityTooLarge for an object that the engine
// refuses for its size, MethodNotAllowed for writes to an engine that takes none ([ErrReadOnly]),
// ServiceUnavailable if the engine cannot be reached ([ErrUnavailable]) or, with code 507, has no
// space left ([ErrNoSpace]), and Timeout. Timeout means that a revision was not reached in time, or
// that the engine does not know whether a write took effect ([ErrUncertain]).
//
// [ErrClosed], [ErrRemoved] and [ErrReplaced] report that the store has been closed or the resource
// removed or replaced, and [*UndecodableError] that the stored form of an object cannot be read.
// Such an object does not prevent others from being listed and watched.
//
// # Related packages
//
// Package serializer decodes, encodes and negotiates; package httpapi answers requests with what
// this package returns.
package store
