//go:build !race

package cbor_test

// raceEnabled says that the race detector is on, which makes pools forget.
const raceEnabled = false
