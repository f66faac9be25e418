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
//
// # Writes
//
// Put and Delete are transactions that compare the revision of the key. If the connection breaks
// while a write is on its way, nobody knows whether etcd applied it; the error is an
// [*UncertainError] then, and the caller reads the key to find out.
//
// # Compaction
//
// etcd keeps all past revisions until somebody compacts them. [Engine.RunCompactor] does that for a
// whole fleet of replicas: they elect one of them for each period by a compare-and-swap on a key
// beside the prefix. Do not run it beside another compactor of the same cluster, such as etcd's own
// --auto-compaction-mode or a kube-apiserver.
//
// # Requirements
//
// etcd 3.6 or newer is recommended; older versions have faults in progress notifications.
package etcd
