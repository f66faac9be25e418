// Package server measures package store: alone with benchmarks, and beside the storage of
// k8s.io/apiserver with its cacher and an etcd.
//
//	go run ./cmd/compare -quick              # a minute
//	go run ./cmd/compare                     # everything, with a million objects
//	go test -bench . -benchtime 1s -run '^$' # ours alone, for profiles
//
// It is a module of its own, so that what it compares with is not a dependency of ours.
package server
