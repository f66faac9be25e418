// Package server measures package store: writes, reads, lists and watches, the memory of objects
// and watches, and the start from a file.
//
//	go test -bench . -benchtime 1s -run '^$'
//
// It is a module of its own, so that what it compares with is not a dependency of ours.
package server
