//go:build race

package protobuf_test

// raceEnabled says whether the race detector is on, which makes pools forget.
const raceEnabled = true
