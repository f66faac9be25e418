// Package fuzz proves what a program relies on without looking. [RoundTrip] tries random objects:
// that every kind of a scheme survives each format, that a deep copy and a conversion share nothing
// with their input, and that nothing which reads an object changes it. [Compatibility] keeps what
// each release has written in golden files: that it is still read, and written again as it was.
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
// fills them, see [Funcs]. The README beside this file lists all that is checked and what to do
// about each finding.
package fuzz
