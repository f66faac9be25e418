// Package plain tells tests that the build tag askind_plain is set. It turns the shared memory of
// decoded values and strings off, so a test that counts allocations finds more of them.
package plain
