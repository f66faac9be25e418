//go:build !linux

package cputime

import "time"

// Of returns the time that a function takes.
func Of(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
