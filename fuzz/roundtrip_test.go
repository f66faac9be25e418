package fuzz_test

import (
	"testing"

	"github.com/askind/askind/fuzz"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
)

func TestRoundTripOfMeta(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddDescriptionTo)
	if err != nil {
		t.Fatal(err)
	}
	fuzz.RoundTrip(t, s, fuzz.Seed(1), fuzz.Rounds(20)) // a gate must not depend on luck; leave the seed out to search
}

// TestRoundTripOfTables checks that formats that cannot be read are left out.
func TestRoundTripOfTables(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	formats := fuzz.Formats(json.Format(), csv.Format(), text.Format(), html.Format())
	fuzz.RoundTrip(t, s, fuzz.Seed(1), fuzz.Rounds(2), formats)
}
