// Package fuzz checks properties of API types that programs rely on. [RoundTrip] checks with random
// objects that every kind of a scheme survives each format, that deep copies and conversions share
// no memory with their input, and that no function that reads an object modifies it.
// [Compatibility] keeps the output of each release in golden files, and checks that it can still be
// read and is written again unchanged.
//
//	func TestRoundTrip(t *testing.T) {
//		fuzz.RoundTrip(t, scheme)
//	}
//
//	func TestCompatibility(t *testing.T) {
//		fuzz.Compatibility(t, scheme, "testdata/compatibility", fuzz.Record(*record))
//	}
//
// Both work on any scheme, generated or registered by hand. Random objects are filled with
// [github.com/google/gofuzz]; types of your own whose values follow rules need a function that
// fills them, see [Funcs]. The README in this directory lists all checks and how to fix each
// finding.
package fuzz
