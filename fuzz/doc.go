// Package fuzz proves on random objects what a program relies on without looking: that every kind of its scheme survives each format, that a deep
// copy and a conversion share nothing with their input, and that nothing which reads an object changes it.
//
//	func TestRoundTrip(t *testing.T) {
//		fuzz.RoundTrip(t, scheme)
//	}
//
// [RoundTrip] fills objects with [github.com/google/gofuzz] and works on any scheme, generated or registered by hand. Types of your own whose
// values follow rules need a function that fills them, see [Funcs].
package fuzz
