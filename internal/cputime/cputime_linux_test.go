package cputime_test

import (
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
)

// TestOf checks that a function that waits takes no time, and that one that computes does.
func TestOf(t *testing.T) {
	t.Parallel()
	if got := cputime.Of(func() { time.Sleep(300 * time.Millisecond) }); got > 200*time.Millisecond {
		t.Errorf("waiting takes %v", got)
	}
	if got := cputime.Of(func() {
		for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		}
	}); got == 0 {
		t.Errorf("computing takes %v", got)
	}
}
