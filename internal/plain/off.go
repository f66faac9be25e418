//go:build !askind_plain

package plain

// Enabled says whether the build tag is set.
const Enabled = false
