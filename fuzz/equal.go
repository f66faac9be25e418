package fuzz

import (
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askind/askind/runtime"
)

// everything lets a comparison look at unexported fields too, but not into the scheme and the kind
// that an embedded object knows: those are the same or not, and functions in them would never be
// equal.
var everything = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b *runtime.Scheme) bool { return a == b }),
	cmp.Comparer(func(a, b runtime.Spec) bool { return a == b }),
}

// equal compares two objects. Empty slices and maps are equal to none, as they are on the way
// through protobuf.
func equal(a, b runtime.Object) bool {
	return reflect.DeepEqual(a, b) || cmp.Equal(a, b, everything, cmpopts.EquateEmpty())
}

// diff shows where two objects differ.
func diff(a, b runtime.Object) string { return cmp.Diff(a, b, everything) }

// contrast shows two encoded objects from a little before the place where they part. The labels say
// which is which.
func contrast(label string, text []byte, otherLabel string, other []byte) string {
	const around, most = 60, 240
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	show := func(b []byte) string {
		return fmt.Sprintf("%q", b[max(0, at-around):min(len(b), at+most)])
	}
	return fmt.Sprintf("from byte %d\n%s: %s\n%s: %s", max(0, at-around), label, show(text), otherLabel, show(other))
}
