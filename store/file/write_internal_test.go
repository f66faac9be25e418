package file

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestGather checks how long the writer waits for callers that are about to write again.
func TestGather(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	for _, tt := range []struct {
		name   string
		active int
		limit  time.Duration
		before int // requests that are waiting when gather is called
		during func(e *Engine)
		want   time.Duration
	}{
		{"a single caller", 1, limit, 0, nil, 0},
		{"callers that are all there", 3, limit, 3, nil, 0},
		{"commits that take no time", 3, gatherFrom / 2, 0, nil, 0},
		{"a caller that does not come", 3, limit, 2, nil, limit},
		{"callers that come", 3, limit, 1, func(e *Engine) {
			e.queue.add(&request{})
			time.Sleep(limit / 4)
			e.queue.add(&request{})
		}, limit / 4},
		{"an engine that is closed", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			close(e.stop)
		}, limit / 4},
		{"a sync that fails", 3, limit, 0, func(e *Engine) {
			time.Sleep(limit / 4)
			e.queue.fail(errors.New("no"))
		}, limit / 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &Engine{stop: make(chan struct{})}
				e.queue.wake = make(chan struct{}, 1)
				for range tt.before {
					e.queue.add(&request{})
				}
				if tt.during != nil {
					go tt.during(e)
				}
				start := time.Now()
				e.gather(tt.active, tt.limit)
				if took := time.Since(start); took != tt.want {
					t.Errorf("gather took %v, want %v", took, tt.want)
				}
				select { // what comes later wakes the writer
				case <-e.queue.wake:
				default:
				}
				e.queue.add(&request{})
				select {
				case <-e.queue.wake:
				default:
					t.Error("a request does not wake the writer")
				}
			})
		})
	}
}
