package fuzz

import (
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askind/askind/runtime"
)

// everything makes comparisons include unexported fields, but not the scheme and the kind in an
// embedded object: these are compared by identity, because functions in them are never equal.
var everything = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b *runtime.Scheme) bool { return a == b }),
	cmp.Comparer(func(a, b runtime.Spec) bool { return a == b }),
}

// equal compares two objects. Empty and nil slices and maps are equal, because protobuf does not
// distinguish them.
func equal(a, b runtime.Object) bool {
	return reflect.DeepEqual(a, b) || cmp.Equal(a, b, everything, cmpopts.EquateEmpty())
}

// diff shows where two objects differ.
func diff(a, b runtime.Object) string { return cmp.Diff(a, b, everything) }

// contrast shows two encoded objects from shortly before the first difference, each with its label.
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
