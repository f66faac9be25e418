//go:build (amd64 || arm64) && !askind_plain

package prefetch

const available = true

// lines requests the cache lines of the addresses from one up to but not including another. Unlike
// a load, this does not fail for any address, and the processor does not wait for it.
func lines(from, to uintptr)
