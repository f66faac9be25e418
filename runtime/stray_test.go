package runtime_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

type unregisteredView struct{ Gadget }

// TestAsUnregistered checks that an as-kind edge to a type whose package has kinds, but not this
// one, is found when the scheme is built, and that groups left out as a whole are not an error.
func TestAsUnregistered(t *testing.T) {
	t.Parallel()
	_, err := runtime.NewScheme(append(all[:len(all):len(all)], func(b *runtime.Builder) {
		runtime.AddAs(b, func(*Gadget, *unregisteredView, *conversion.Scope) error { return nil })
	})...)
	const want = "no kind of the type github.com/askind/askind/runtime_test.unregisteredView is registered; " +
		"pass AddTo of github.com/askind/askind/runtime_test to NewScheme"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "stray_test.go:") {
		t.Errorf("got %v, want %s", err, want)
	}
	s, err := runtime.NewScheme(append(all[:len(all):len(all)], func(b *runtime.Builder) {
		runtime.AddAs(b, func(*Gadget, *metav1.Scale, *conversion.Scope) error { return nil })
	})...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "meta/v1.Scale is registered") {
		t.Errorf("Check: %v", err)
	}
}
