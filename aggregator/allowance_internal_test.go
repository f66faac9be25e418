package aggregator

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	discoveryv1alpha1 "github.com/askind/askind/discovery/v1alpha1"
)

// TestAllowance checks that a body ends where the allowance of its period does, and that the next
// period allows as much again.
func TestAllowance(t *testing.T) {
	t.Parallel()
	a := newAllowance(100, time.Hour)
	read := func(n int) error {
		_, err := io.Copy(io.Discard, limitedBody{io.NopCloser(strings.NewReader(strings.Repeat("x", n))), a})
		return err
	}
	if err := errors.Join(read(60), read(40)); err != nil {
		t.Errorf("what is allowed: %v", err)
	}
	if err := read(10); !errors.Is(err, errFlood) {
		t.Errorf("more: %v", err)
	}
	a.at = a.at.Add(-time.Hour / 2)
	if err := read(30); err != nil {
		t.Errorf("after half a period: %v", err)
	}
	a.at = a.at.Add(-100 * time.Hour)
	if err := read(101); !errors.Is(err, errFlood) {
		t.Errorf("what is allowed does not add up: %v", err)
	}
}

// TestGroupSet checks the limits of the Groups of one server, whose size shrinks with deletions.
func TestGroupSet(t *testing.T) {
	t.Parallel()
	const other = maxDescription - 5000 // of a Group that is known
	s := groupSet{groups: map[string]sizedGroup{"other": {nil, other}}, size: other}
	change := func(kind client.ChangeType, name string, size int) bool {
		g := &discoveryv1alpha1.Group{}
		g.Name = name
		g.Annotations = map[string]string{"a": strings.Repeat("x", size)}
		return s.take(client.Change[discoveryv1alpha1.Group]{Type: kind, Key: client.Key{Name: name}, Object: g})
	}
	for i := range 3 {
		if !change(client.Added, "a", 4000) {
			t.Fatalf("%d: one large Group is refused", i)
		}
	}
	if change(client.Added, "b", 4000) {
		t.Error("too much is accepted")
	}
	if !change(client.Deleted, "b", 0) || !change(client.Deleted, "a", 0) || s.size != other || len(s.groups) != 1 {
		t.Errorf("after all are deleted: %d bytes in %d Groups", s.size, len(s.groups))
	}
	s = groupSet{groups: map[string]sizedGroup{}}
	n := 0
	for n <= mostGroups && change(client.Added, fmt.Sprint(n), 0) {
		n++
	}
	if n != mostGroups {
		t.Errorf("%d Groups are accepted, want %d", n, mostGroups)
	}
}

// TestEndedGroupSet checks that what a watch has seen is not published after its end, when the
// server may be known not to answer.
func TestEndedGroupSet(t *testing.T) {
	t.Parallel()
	a, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b := &backend{aggregator: a, now: &knowledge{}, url: &url.URL{}}
	s := groupSet{backend: b, groups: map[string]sizedGroup{}}
	s.publish() // at once
	s.publish() // later
	s.end()
	down := errors.New("down")
	b.learn(nil, down)
	time.Sleep(2 * often)
	if err := b.known().problem(); err != down {
		t.Errorf("the server has the problem %v, want %v", err, down)
	}
}
