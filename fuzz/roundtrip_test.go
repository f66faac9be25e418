package fuzz_test

import (
	"testing"

	"github.com/askind/askind/fuzz"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func TestRoundTripOfMeta(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddDescriptionTo)
	if err != nil {
		t.Fatal(err)
	}
	fuzz.RoundTrip(t, s, fuzz.Seed(1), fuzz.Rounds(20)) // a gate must not depend on luck; leave the seed out to search
}
