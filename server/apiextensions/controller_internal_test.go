package apiextensions

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/server/apiextensions/v1"
)

// TestPauses checks that a definition that fails again and again is looked at, and logged, less and
// less often, until it succeeds or is changed.
func TestPauses(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := &controller{
		log: slog.New(slog.NewTextHandler(&log, nil)), known: map[string]*v1.CustomResourceDefinition{},
		dirty: map[string]bool{}, failed: map[string]failure{}, emptied: map[string]bool{},
		terminating: map[string]context.CancelFunc{},
	}
	refused := errors.New("a hook refuses")
	fail := func(want time.Duration) {
		t.Helper()
		before := time.Now()
		c.check(t.Context(), "ks.a.b", refused)
		due, ok := c.nextRetry()
		if wait := due.Sub(before); !ok || wait < want || wait > want+time.Second/2 {
			t.Errorf("the next attempt is after %v, want %v", wait, want)
		}
		c.retry(due.Add(-1))
		early := c.dirty["ks.a.b"]
		if c.retry(due); early || !c.dirty["ks.a.b"] {
			t.Errorf("dirty before the pause has ended: %t, then %t", early, c.dirty["ks.a.b"])
		}
		clear(c.dirty)
	}
	change := func(generation int64) {
		d := new(v1.CustomResourceDefinition)
		d.Name, d.UID, d.Generation = "ks.a.b", "u", generation
		c.take(client.Change[v1.CustomResourceDefinition]{
			Type: client.Modified, Key: client.Key{Name: d.Name}, Object: d,
		}, nil)
		if !c.dirty["ks.a.b"] {
			t.Error("a change is not looked at")
		}
		clear(c.dirty)
	}
	change(1)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		fail(want * time.Second)
		change(1) // the controller itself has written the status
	}
	if n := strings.Count(log.String(), "a hook refuses"); n != 8 {
		t.Errorf("%d warnings:\n%s", n, &log)
	}
	change(2)
	fail(time.Second)
	c.terminating["ks.a.b"] = func() {}
	if _, ok := c.nextRetry(); ok {
		t.Error("it is looked at again while its objects are being deleted")
	}
	delete(c.terminating, "ks.a.b")
	fail(2 * time.Second)
	c.check(t.Context(), "ks.a.b", nil)
	if _, ok := c.nextRetry(); ok {
		t.Error("it is looked at again after it has succeeded")
	}
	fail(time.Second)
}
