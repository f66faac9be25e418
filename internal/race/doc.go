// Package race tells tests that the race detector is on. It makes every sync.Pool forget at random,
// so that a test which counts allocations finds some that no program has.
package race
