//go:build !race

package unstructured_test

const raceEnabled = false
