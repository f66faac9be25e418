//go:build askind_plain

package chunk

// plain reports whether each string has memory of its own.
const plain = true

// stringOf returns a copy of b.
func stringOf(b []byte) string { return string(b) }
