//go:build race

package unstructured_test

// raceEnabled says that pools lose what they hold at random.
const raceEnabled = true
