// Package race reports to tests whether the race detector is enabled. The race detector makes every
// sync.Pool drop elements at random, so a test that counts allocations finds additional ones.
package race
