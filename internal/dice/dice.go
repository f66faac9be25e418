// Package dice makes the random choices of objects for benchmarks and tests, the same on every run
// and every machine.
package dice

import "math/rand/v2"

// Dice are the choices of one object. They are for one goroutine.
type Dice struct{ *rand.Rand }

// New returns the dice of an object of a sequence of objects, which is known by a number of its
// own.
func New(object int, sequence uint64) Dice {
	return Dice{rand.New(rand.NewPCG(uint64(object), sequence))}
}

// Of returns one of the choices.
func Of[T any](d Dice, choices ...T) T { return choices[d.IntN(len(choices))] }

// ID returns n letters and digits as they stand at the end of names that a server made.
func (d Dice) ID(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[d.IntN(len(letters))]
	}
	return string(b)
}
