package k8s_test

import (
	"testing"

	"github.com/askind/askind/fuzz"
	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/coordinationv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/k8s/eventsv1"
	"github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// TestRoundTrip tries random objects of all kinds.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo, coordinationv1.AddTo, eventsv1.AddTo, v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	fuzz.RoundTrip(t, scheme, fuzz.Seed(17), fuzz.Rounds(rounds))
}
