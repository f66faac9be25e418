package servertest

import (
	"sync"
	"time"
)

// Clock is a clock that stands still until it is set. It is safe for any number of goroutines.
//
// The server takes the times of objects from it, but a program sets those in a status itself:
// meta.SetCondition takes the time of the system for a condition that has none. Code that gets the
// time from a function sets LastTransitionTime to it, and its tests pass Now as that function.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows noon of the first day of 2026, in UTC.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)}
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the clock.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Add moves the clock on.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
