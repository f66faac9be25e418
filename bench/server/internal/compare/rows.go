package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// dataset is what is there when a row is measured.
type dataset struct {
	Objects int
	Size    int // of each, in bytes of JSON
}

// row is one measurement, which every side makes by itself.
type row struct {
	name string
	once bool // it is measured once, because it changes what is there or says the same each time
	kept bool // it is about what is kept when the storage is closed, which memory does not keep
	run  func(s *served, d time.Duration) (sample, error)
}

// rows are all measurements, by their names.
var rows = []row{
	{name: "create, 1 writer", run: create(1)},
	{name: "create, 64 writers", run: create(64)},
	{name: "update under a resourceVersion", run: update},
	{name: "get, any state", run: get(false)},
	{name: "get, latest state", run: get(true)},
	{name: "list", run: list(listOptions{})},
	{name: "list as metadata", run: list(listOptions{metadata: true})},
	{name: "first page of 500", run: list(listOptions{limit: 500})},
	{name: "page of 500 at a past revision", run: pastPage},
	{name: "event to each of 1 watchers", run: deliver(1)},
	{name: "event to each of 100 watchers", run: deliver(100)},
	{name: "event to each of 1,000 watchers", run: deliver(1000)},
	{name: "event to each of 10,000 watchers", run: deliver(10_000)},
	{name: "memory of an object", once: true, run: perObject},
	{name: "memory of an idle watch", once: true, run: idleWatches(1000)},
	{name: "start", once: true, kept: true, run: restart},
}

// fillers is how many goroutines create the objects that are there before a row is measured.
const fillers = 64

// fill creates the objects of a dataset.
func (s *served) fill(d dataset) error {
	return parallel(fillers, d.Objects, func(i int) error {
		object, err := s.side.prepare(i, d.Size)
		if err != nil {
			return err
		}
		return s.side.create(s.ctx, object)
	})
}

// parallel calls a function with the numbers below n, on some goroutines.
func parallel(goroutines, n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[g] = do(i); errs[g] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// show returns an object and a list of metadata, to be compared with those of other sides.
func (s *served) show() ([]json.RawMessage, error) {
	var object, objects, metadata bytes.Buffer
	err := s.side.get(s.ctx, 0, true, &object)
	if err == nil {
		_, err = s.side.list(s.ctx, listOptions{limit: 3}, &objects)
	}
	if err == nil {
		_, err = s.side.list(s.ctx, listOptions{limit: 3, metadata: true}, &metadata)
	}
	return []json.RawMessage{object.Bytes(), objects.Bytes(), metadata.Bytes()}, err
}

// timed measures one operation.
func (s *served) timed(do func() error) (sample, error) {
	heap() // begin with little garbage
	cpu, err := s.side.cpu()
	if err != nil {
		return sample{}, err
	}
	start := time.Now()
	if err := do(); err != nil {
		return sample{}, err
	}
	passed := time.Since(start)
	after, err := s.side.cpu()
	return sample{CPU: float64(after - cpu), Time: float64(passed)}, err
}

// repeated measures an operation that is repeated for some time.
func (s *served) repeated(d time.Duration, do func(i int) error) (sample, error) {
	n := 0
	out, err := s.timed(func() error {
		for start := time.Now(); n == 0 || time.Since(start) < d; n++ {
			if err := do(n); err != nil {
				return err
			}
		}
		return nil
	})
	return sample{CPU: out.CPU / float64(n), Time: out.Time / float64(n)}, err
}

// createBatch is how many objects are made before the clock runs.
const createBatch = 2000

// create creates objects of the size of the dataset.
func create(writers int) func(*served, time.Duration) (sample, error) {
	return func(s *served, d time.Duration) (sample, error) {
		var sum sample
		n := 0
		for start := time.Now(); n == 0 || time.Since(start) < d; {
			objects := make([]any, createBatch*min(writers, 8)/8)
			for i := range objects {
				var err error
				if objects[i], err = s.side.prepare(s.data.Objects+s.more+i, s.data.Size); err != nil {
					return sum, err
				}
			}
			s.more += len(objects)
			one, err := s.timed(func() error {
				return parallel(writers, len(objects), func(i int) error { return s.side.create(s.ctx, objects[i]) })
			})
			if err != nil {
				return sum, err
			}
			sum.CPU, sum.Time = sum.CPU+one.CPU, sum.Time+one.Time
			n += len(objects)
		}
		return sample{CPU: sum.CPU / float64(n), Time: sum.Time / float64(n)}, nil
	}
}

func update(s *served, d time.Duration) (sample, error) {
	s.more++ // so that no two samples write the same
	return s.repeated(d, func(i int) error { return s.side.update(s.ctx, i%s.data.Objects, s.more<<32+i) })
}

func get(current bool) func(*served, time.Duration) (sample, error) {
	return func(s *served, d time.Duration) (sample, error) {
		return s.repeated(d, func(i int) error { return s.side.get(s.ctx, i%s.data.Objects, current, io.Discard) })
	}
}

func list(o listOptions) func(*served, time.Duration) (sample, error) {
	return func(s *served, d time.Duration) (sample, error) {
		return s.repeated(d, func(int) error {
			_, err := s.side.list(s.ctx, o, io.Discard)
			return err
		})
	}
}

// pastPage reads the second page of a list after objects have changed.
func pastPage(s *served, d time.Duration) (sample, error) {
	token, err := s.side.list(s.ctx, listOptions{limit: 500}, io.Discard)
	if err != nil {
		return sample{}, err
	}
	s.more++
	for i := range 100 {
		if err := s.side.update(s.ctx, i%s.data.Objects, s.more<<32+i); err != nil {
			return sample{}, err
		}
	}
	return s.repeated(d, func(int) error {
		_, err := s.side.list(s.ctx, listOptions{limit: 500, token: token}, io.Discard)
		return err
	})
}

// deliver changes one object after the other, each time when all watchers have written the event.
// The processor time is that of each delivery, the write included; the time is that from the write
// to the last delivery.
func deliver(watchers int) func(*served, time.Duration) (sample, error) {
	return func(s *served, d time.Duration) (sample, error) {
		var delivered atomic.Int64
		all := make(chan struct{}, 1)
		stop, err := s.follow(watchers, func() {
			if delivered.Add(1)%int64(watchers) == 0 {
				all <- struct{}{}
			}
		})
		if err != nil {
			return sample{}, err
		}
		defer stop()
		s.more++
		change := func(i int) error {
			if err := s.side.update(s.ctx, i%s.data.Objects, s.more<<32+i); err != nil {
				return err
			}
			select {
			case <-all:
				return nil
			case <-time.After(time.Minute):
				return fmt.Errorf("%d events were delivered after a minute", delivered.Load())
			}
		}
		if err := change(1 << 20); err != nil { // before the clock runs
			return sample{}, err
		}
		var times []float64
		out, err := s.repeated(d, func(i int) error {
			start := time.Now()
			err := change(i)
			times = append(times, float64(time.Since(start)))
			return err
		})
		if err != nil {
			return sample{}, err
		}
		return sample{CPU: out.CPU / float64(watchers), Time: median(times)}, nil
	}
}

// follow begins watches, and calls delivered for each event of each.
func (s *served) follow(watchers int, delivered func()) (stop func(), err error) {
	ctx, cancel := context.WithCancel(s.ctx)
	var running sync.WaitGroup
	for range watchers {
		follow, err := s.side.watch(ctx)
		if err != nil {
			cancel()
			running.Wait()
			return nil, err
		}
		running.Go(func() { _ = follow(io.Discard, delivered) }) // a watch that breaks off is missed below
	}
	return func() {
		cancel()
		running.Wait()
	}, nil
}

// perObject is what the process keeps for each object, its history and caches included. The etcd of
// the other side is not counted.
func perObject(s *served, _ time.Duration) (sample, error) {
	return sample{Bytes: (heap() - s.empty) / float64(s.data.Objects)}, nil
}

// idleWatches is what the process keeps for each watch that waits, its goroutine included.
func idleWatches(n int) func(*served, time.Duration) (sample, error) {
	return func(s *served, _ time.Duration) (sample, error) {
		before := heap()
		stop, err := s.follow(n, func() {})
		if err != nil {
			return sample{}, err
		}
		defer stop()
		time.Sleep(100 * time.Millisecond) // until all wait
		return sample{Bytes: (heap() - before) / float64(n)}, nil
	}
}

// restart closes the storage and opens it again with what it has, until it can answer.
func restart(s *served, _ time.Duration) (sample, error) {
	if err := s.side.close(); err != nil {
		return sample{}, err
	}
	return s.timed(func() error {
		if err := s.side.open(s.ctx, s.dir); err != nil {
			return err
		}
		return s.side.get(s.ctx, 0, false, io.Discard)
	})
}

// median returns the middle of some numbers, which it sorts.
func median(of []float64) float64 {
	slices.Sort(of)
	n := len(of)
	if n%2 == 1 {
		return of[n/2]
	}
	return (of[n/2-1] + of[n/2]) / 2
}
