//go:build askind_plain

package plain

// Enabled reports whether the build tag is set.
const Enabled = true
