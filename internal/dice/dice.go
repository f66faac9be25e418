// Package dice makes the random choices of objects for benchmarks and tests. They are the same on
// every run and every machine.
package dice

import "math/rand/v2"

// Dice makes the choices for one object. It is not safe for concurrent use.
type Dice struct{ *rand.Rand }

// New returns the dice for one object in a sequence of objects, which is identified by a number.
func New(object int, sequence uint64) Dice {
	return Dice{rand.New(rand.NewPCG(uint64(object), sequence))}
}

// Of returns a random element of choices.
func Of[T any](d Dice, choices ...T) T { return choices[d.IntN(len(choices))] }

// ID returns n random letters and digits, like the suffix of a generated name.
func (d Dice) ID(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[d.IntN(len(letters))]
	}
	return string(b)
}
