// Package plain reports to tests whether the build tag askind_plain is set. The tag disables the
// shared memory of decoded values and strings, so a test that counts allocations finds more of
// them.
package plain
