// Package etcd is the engine of package store for programs that run as several replicas: it keeps
// the objects in etcd, and every replica reads and writes the same keys.
//
//	engine, err := etcd.Dial(etcd.Config{Endpoints: []string{"https://10.0.0.1:2379"}, Prefix: "/garage/"})
//	if err != nil { … }
//	defer engine.Close()
//	srv, err := server.New(scheme, engine)
//
// # Keys and revisions
//
// An object is one key: the prefix of the engine followed by the key that package store gives it.
// Several servers share one etcd cluster by different prefixes. The revision of the engine is the
// revision of etcd, which counts the writes of all clients of the cluster; so revisions grow also
// while nothing below the prefix changes.
//
// # Consistency
//
// Get, Count, Revision and lists of the latest revision are linearizable reads: they cost one round
// trip to a majority of etcd's members. Package store calls Revision only where a client asks for a
// consistent answer, and reads everything else from its memory. [Engine.Revision] asks etcd for
// progress notifications until every watch has reached the revision that it returned, so a store
// behind this engine answers a consistent read one round trip later (KEP-2340).
//
// A lost connection, a change of leader or a restart of a member ends neither a watch nor the
// engine: the client resumes each watch behind the last revision that it delivered. A watch ends
// with store.ErrCompacted if etcd has compacted what it needs, and package store then loads again.
// If the revision of etcd goes back, as it does when etcd is restored from a backup, the next read
// of the latest state or the next write notices it, and package store loads again, too.
// A store with VerifyEvery among its options compares its memory with etcd now and then (KEP-4988).
//
// Each request is bounded by [Config].RequestTimeout. While etcd does not answer, reads fail with
// store.ErrUnavailable after that time, and so do writes that were not sent; package store goes on
// to serve what is in its memory, and connects again within about a second when etcd is back. A
// member that is cut off from the others is passed over as soon as it has no leader.
//
// # Writes
//
// Put and Delete are transactions that compare the revision of the key. If the connection breaks
// while a write is on its way, or etcd runs out of space, it is unknown whether etcd applied the
// write; the error is an [*UncertainError] then, and the caller reads the key to find out.
//
// # Expiry
//
// The time at which an object with a TTL expires is part of the stored value, and the first store
// on the prefix whose clock has reached it deletes the object, if it has not been written since. So
// the clocks of replicas should agree as closely as the TTL matters. A lease of etcd, which lasts
// one to two minutes longer, and begins anew when the leader changes, removes what expires while no
// server runs.
//
// # Compaction
//
// etcd keeps all past revisions until something compacts the cluster, which concerns all prefixes
// and clients. So stores do not compact this engine: the engines of a cluster elect one of them,
// which compacts once in a [Compaction].Period, and never what was written within the longest
// [Compaction].History of any of them. Their keys begin with "askind.compaction/", which a role of
// the user must allow to read and write, and which the prefix of an engine must not begin with.
//
// An engine that is elected knows which revisions are old enough from what it saw itself, so the
// first compaction comes a History after the start. When an elected engine is closed, another one
// is elected in its next period; when it fails, after the History and two periods, but not before a
// minute.
//
// A store that is opened reads no more than [Config].Past revisions of what etcd has kept. Clients
// that come with an older resource version after a restart of the server list again.
//
// Set [Compaction].External for a cluster that is compacted by etcd itself, started with
// --auto-compaction-mode and --auto-compaction-retention, or by a kube-apiserver. Choose a
// retention longer than the History of [store.Options].
//
// # Requirements
//
// Members must run etcd 3.6 or newer, or at least 3.5.13 or 3.4.31. Older ones send a progress
// notification before the changes that it covers (etcd issue 15220). [Dial] refuses them. [New]
// does not check the version; a watch that meets such a notification ends with store.ErrCompacted,
// so package store loads everything again and loses nothing.
package etcd
