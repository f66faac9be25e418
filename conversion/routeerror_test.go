package conversion_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/askind/askind/conversion"
)

func TestRouteErrorFields(t *testing.T) {
	t.Parallel()
	g := conversion.NewGraph(edges("s>y y>t s>x x>t"), conversion.GraphOptions[string]{})
	_, err := g.Plan("s", "t")
	err = fmt.Errorf("machine: %w", err)
	ambiguous, ok := errors.AsType[*conversion.AmbiguousRouteError](err)
	if !ok || !errors.Is(err, conversion.ErrAmbiguousRoute) || errors.Is(err, conversion.ErrNoRoute) {
		t.Fatalf("error = %v", err)
	}
	if ambiguous.From != "s" || ambiguous.To != "t" || !slices.Equal(ambiguous.Routes[0], []string{"s", "x", "t"}) ||
		!slices.Equal(ambiguous.Routes[1], []string{"s", "y", "t"}) {
		t.Errorf("error = %+v", ambiguous)
	}
	_, err = g.Plan("x", "s")
	err = fmt.Errorf("machine: %w", err)
	none, ok := errors.AsType[*conversion.NoRouteError](err)
	if !ok || !errors.Is(err, conversion.ErrNoRoute) || errors.Is(err, conversion.ErrAmbiguousRoute) {
		t.Fatalf("error = %v", err)
	}
	if none.From != "x" || none.To != "s" || !slices.Equal(none.Reachable, []string{"t"}) {
		t.Errorf("error = %+v", none)
	}
}
