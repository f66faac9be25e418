package main

import (
	"flag"
	"slices"
	"testing"

	"github.com/askind/askind/fuzz"
	"github.com/askind/askind/runtime"
)

// TestRandomObjects tries random objects of every kind in every format and version. A gate must not
// depend on luck; leave the seed out to search.
func TestRandomObjects(t *testing.T) {
	t.Parallel()
	fuzz.RoundTrip(t, mustScheme(t), fuzz.Seed(1), fuzz.Rounds(5))
}

var record = flag.String("record", "", "write the golden files of a release, or of HEAD")

// TestCompatibility checks that objects which a release has written are read and written again as
// they were: go test -run TestCompatibility -record=HEAD after a change of a type. The kinds that
// are not of this program have their golden files elsewhere.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	others := func(k *runtime.Kind) bool { return !slices.Contains(groups, k.GroupVersionKind().Group) }
	fuzz.Compatibility(t, mustScheme(t), "testdata/compatibility", fuzz.Record(*record), fuzz.Skip(others))
}
