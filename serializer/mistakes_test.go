package serializer_test

import (
	"io"
	"strings"
	"testing"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// TestMistakes checks that mistakes of a program are errors that say what is wrong.
func TestMistakes(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	offer := serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")}
	rep, err := f.Negotiate([]string{"application/json"}, offer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"nil items": {func() error {
			return rep.EncodeItems(io.Discard, new(v1.MachineList), nil)
		}, "sequence of the items is nil"},
		"event type": {func() error {
			return events(t, f, "application/json", io.Discard).Send("added", named("a", "1"))
		}, `"added"`},
		"failure without error": {func() error {
			return events(t, f, "application/json", io.Discard).Fail(nil)
		}, "without an error"},
		"failure with a nil error in it": {func() error {
			return events(t, f, "application/json", io.Discard).Fail((*metav1.StatusError)(nil))
		}, "a nil *StatusError"},
		"cached without kind": {func() error {
			_, err := f.Append(nil, serializer.CachedOptions{Object: func() (runtime.Object, error) {
				return nil, nil
			}}.NewCached(), serializer.EncodeOptions{})
			return err
		}, "nil is not an object"},
		"another kind": {func() error {
			_, err := serializer.Decode[v1.Machine](f, []byte(`{"kind":"MachinePool","apiVersion":"fleet.example.com/v1"}`),
				serializer.DecodeOptions{File: "pool.json"})
			return err
		}, "pool.json: the document is a fleet.example.com/v1, Kind=MachinePool, not a fleet.example.com/v1, Kind=Machine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestFailWithoutErrorEnds checks that the stream has ended after Fail(nil).
func TestFailWithoutErrorEnds(t *testing.T) {
	t.Parallel()
	w := events(t, newFleet(t), "application/json", io.Discard)
	first := w.Fail(nil)
	if err := w.Send(metav1.WatchAdded, named("a", "1")); err == nil || err != first {
		t.Errorf("after the end: %v", err)
	}
}
