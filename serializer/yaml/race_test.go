//go:build race

package yaml_test

// raceEnabled says that the race detector is on, which makes pools forget.
const raceEnabled = true
