//go:build askind_plain

package chunk

// plain reports that strings share no memory.
const plain = true

// stringOf returns a copy of b.
func stringOf(b []byte) string { return string(b) }
