//go:build !askind_plain

package plain

// Enabled reports whether the fast paths are off.
const Enabled = false
