package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/askind/askind/store"
)

var concurrencyCases = []testCase{
	{name: "increments are not lost", run: func(s *subject) {
		const writers, each = 8, 25
		s.put("n", "0", 0)
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for done := 0; done < each; {
					got, err := s.Get(s.ctx, "n")
					if err != nil {
						s.Error(err)
						return
					}
					n, err := strconv.Atoi(string(got.Value))
					if err != nil {
						s.Error(err)
						return
					}
					_, err = s.Put(s.ctx, "n", []byte(strconv.Itoa(n+1)), got.Revision)
					switch {
					case err == nil:
						done++
					case !errors.Is(err, store.ErrConflict):
						s.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got, err := s.Get(s.ctx, "n"); err != nil || string(got.Value) != strconv.Itoa(writers*each) {
			s.Errorf("%s, %v", got.Value, err)
		}
	}},
	{name: "of writers that create one key, one does", run: func(s *subject) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		created := 0
		for range 16 {
			wg.Go(func() {
				_, err := s.Put(s.ctx, "a", []byte("1"), 0)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					created++
				} else if !errors.Is(err, store.ErrConflict) {
					s.Error(err)
				}
			})
		}
		wg.Wait()
		if created != 1 {
			s.Errorf("%d writers did", created)
		}
	}},
	{name: "no two writes have one revision", run: func(s *subject) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[uint64]bool{}
		for w := range 8 {
			wg.Go(func() {
				last := uint64(0)
				for i := range 25 {
					r := s.put(fmt.Sprintf("%d/%d", w, i), "1", 0)
					if r <= last {
						s.Errorf("revision %d after %d", r, last)
					}
					last = r
					mu.Lock()
					if seen[r] {
						s.Errorf("revision %d twice", r)
					}
					seen[r] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}},
	{name: "a write is seen by every read after it", run: func(s *subject) {
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				key, last := fmt.Sprint("w", w), uint64(0)
				for i := range 25 {
					last = s.put(key, fmt.Sprint("v", i), last)
					s.wantValue(key, fmt.Sprint("v", i), last)
					if _, page := s.list(key, store.RangeOptions{}); len(page.Items) != 1 ||
						page.Items[0].Revision != last {
						s.Error("a list does not show the write before it")
					}
					if s.revision() < last {
						s.Error("the revision is behind a write before it")
					}
				}
			})
		}
		wg.Wait()
	}},
	{name: "no read is behind an earlier one or a watch", run: readsGrow},
	{name: "a list shows one revision", run: listsAreWhole},
	{name: "watches see the order of revisions", run: func(s *subject) {
		w := s.watch("", s.revision())
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				last := uint64(0)
				for i := range 50 {
					last = s.put(fmt.Sprint("k", n), fmt.Sprint(i), last)
				}
			})
		}
		wg.Wait()
		if got := w.reach(s.revision()); len(got) != 400 {
			s.Errorf("%d changes, want 400", len(got))
		}
		before := map[string]uint64{}
		for _, c := range w.changes {
			if before[c.Key] != c.BeforeRevision {
				s.Fatalf("a change of %s at %d states %d before, want %d", c.Key, c.Revision, c.BeforeRevision,
					before[c.Key])
			}
			before[c.Key] = c.Revision
		}
	}},
	{name: "a list at a revision equals the watch up to it", run: func(s *subject) {
		w := s.watch("", s.revision())
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				for i := range 40 {
					key := fmt.Sprint("k", (n*7+i)%9)
					got, err := s.Get(s.ctx, key)
					if err != nil {
						s.Error(err)
						return
					}
					if got.Value != nil && i%3 == 0 {
						_, err = s.Delete(s.ctx, key, got.Revision)
					} else {
						_, err = s.Put(s.ctx, key, []byte(fmt.Sprint(n, ".", i)), got.Revision)
					}
					if err != nil && !errors.Is(err, store.ErrConflict) {
						s.Error(err)
					}
				}
			})
		}
		wg.Wait()
		w.reach(s.revision())
		state := map[string]string{}
		for _, c := range w.changes {
			if c.Value == nil {
				delete(state, c.Key)
			} else {
				state[c.Key] = fmt.Sprintf("%s=%s@%d", c.Key, c.Value, c.Revision)
			}
			var want []string
			for _, item := range state {
				want = append(want, item)
			}
			slices.Sort(want)
			if got, _ := s.list("", store.RangeOptions{Revision: c.Revision}); !slices.Equal(got, want) {
				s.Fatalf("at %d: %q, want %q", c.Revision, got, want)
			}
		}
	}},
	{name: "histories are linearizable", run: linearizable},
}

// readsGrow checks that a client that has seen a revision, by a read or in a watch, sees none below
// it afterwards, while others write.
func readsGrow(s *subject) {
	w := s.watch("", s.revision())
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for n := range 4 {
		writing.Go(func() {
			last := uint64(0)
			for i := range 50 {
				last = s.put(fmt.Sprint("k", n), fmt.Sprint(i), last)
			}
		})
	}
	reads := []func() (uint64, error){
		func() (uint64, error) { got, err := s.Get(s.ctx, "k0"); return got.Now, err },
		func() (uint64, error) { return s.Revision(s.ctx) },
		func() (uint64, error) {
			page, err := s.List(s.ctx, "", store.RangeOptions{})
			return page.Revision, err
		},
		func() (uint64, error) { return s.Revision(s.ctx) },
		func() (uint64, error) { _, revision, err := s.Count(s.ctx, ""); return revision, err },
		func() (uint64, error) { return s.Revision(s.ctx) },
	}
	for range 2 {
		reading.Go(func() {
			seen := uint64(0)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				w.mu.Lock()
				seen = max(seen, w.reached)
				w.mu.Unlock()
				revision, err := reads[i%len(reads)]()
				if err != nil || revision < seen {
					s.Errorf("read %d answers at %d after %d was seen: %v", i%len(reads), revision, seen, err)
					return
				}
				seen = revision
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
}

// listsAreWhole checks that lists among writes show one state. Keys are written in turn, so the
// first ones are one write ahead of the others at most.
func listsAreWhole(s *subject) {
	const keys, states = 8, 100
	var last [keys]uint64
	write := func(round int) {
		for i := range last {
			last[i] = s.put(fmt.Sprint("k", i), strconv.Itoa(round), last[i])
		}
	}
	write(0)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	defer func() { close(stop); wg.Wait() }()
	wg.Go(func() {
		for round := 1; ; round++ {
			select {
			case <-stop:
				return
			default:
				write(round)
			}
		}
	})
	for seen := map[uint64]bool{}; len(seen) < states; {
		_, page := s.list("", store.RangeOptions{})
		var values []int
		latest := uint64(0)
		for _, kv := range page.Items {
			n, err := strconv.Atoi(string(kv.Value))
			if err != nil {
				s.Fatal(err)
			}
			values, latest = append(values, n), max(latest, kv.Revision)
		}
		ahead := slices.IsSortedFunc(values, func(a, b int) int { return b - a })
		if len(values) != keys || !ahead || values[0] > values[keys-1]+1 || !s.isNow(page.Revision, latest) {
			s.Fatalf("a list at %d has the values %d, the last of revision %d", page.Revision, values, latest)
		}
		seen[latest] = true
		runtime.Gosched()
	}
}

// calls are all methods that take a context.
var calls = []struct {
	name string
	call func(s *subject, ctx context.Context) error
}{
	{"Get", func(s *subject, ctx context.Context) error { _, err := s.Get(ctx, "a"); return err }},
	{"List", func(s *subject, ctx context.Context) error {
		_, err := s.List(ctx, "", store.RangeOptions{})
		return err
	}},
	{"Count", func(s *subject, ctx context.Context) error { _, _, err := s.Count(ctx, ""); return err }},
	{"Put", func(s *subject, ctx context.Context) error { _, err := s.Put(ctx, "b", []byte("1"), 0); return err }},
	{"Delete", func(s *subject, ctx context.Context) error { _, err := s.Delete(ctx, "a", 1); return err }},
	{"Revision", func(s *subject, ctx context.Context) error { _, err := s.Revision(ctx); return err }},
	{"Compact", func(s *subject, ctx context.Context) error { return s.Compact(ctx, 1) }},
	{"Watch", func(s *subject, ctx context.Context) error {
		return s.Watch(ctx, "", 0, func(store.Changes) error { return nil })
	}},
}

var endCases = []testCase{
	{name: "a context that is done", run: func(s *subject) {
		s.fill("a")
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		for _, c := range calls {
			if err := c.call(s, ctx); !s.unsupported(c.name, err) && !errors.Is(err, context.Canceled) {
				s.Errorf("%s: %v", c.name, err)
			}
		}
		s.wantKeys("", store.RangeOptions{}, false, "a")
	}},
	{name: "a closed engine", run: func(s *subject) {
		s.fill("a")
		if err := s.Close(); err != nil {
			s.Fatal(err)
		}
		for _, c := range calls {
			if err := c.call(s, s.ctx); !s.unsupported(c.name, err) && !errors.Is(err, store.ErrClosed) {
				s.Errorf("%s: %v", c.name, err)
			}
		}
	}},
	{name: "closing twice", run: func(s *subject) {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			s.Error(err)
		}
	}},
	{name: "closing among writes", run: func(s *subject) {
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					if _, err := s.Put(s.ctx, fmt.Sprintf("%d/%d", w, i), []byte("1"), 0); err != nil {
						if !errors.Is(err, store.ErrClosed) {
							s.Error(err)
						}
						return
					}
				}
			})
		}
		defer func() { s.Close(); wg.Wait() }()
		w := s.watch("", s.revision())
		w.wait(func() bool { return len(w.lines) > 50 }, "50 changes")
		if err := s.Close(); err != nil {
			s.Error(err)
		}
		wg.Wait()
	}},
}

var reopenCases = []testCase{
	{name: "values and revisions", run: func(s *subject) {
		a := s.put("a", "1", 0)
		b := s.put("b", "1", 0)
		a = s.put("a", "2", a)
		s.del("b", b)
		last := s.fill("c", "d", "e", "f")
		s.reopen()
		s.wantValue("a", "2", a)
		s.wantValue("b", "", 0)
		s.wantValue("f", "v-f", last)
		s.wantCount("", 5)
	}},
	{name: "the revision goes on", run: func(s *subject) {
		r := s.del("a", s.put("a", "1", 0))
		s.reopen()
		if now := s.revision(); now < r {
			s.Errorf("the revision went back from %d to %d", r, now)
		}
		if next := s.put("a", "2", 0); next <= r {
			s.Errorf("revision %d after %d", next, r)
		}
	}},
	{name: "conflicts", run: func(s *subject) {
		old := s.put("a", "1", 0)
		r := s.put("a", "2", old)
		s.reopen()
		_, err := s.Put(s.ctx, "a", []byte("3"), old)
		s.wantConflict(err, r)
		s.put("a", "3", r)
	}},
	{name: "watches resume", run: func(s *subject) {
		r := s.fill("a", "b")
		last := s.del("a", mustGet(s, "a"))
		s.reopen()
		s.watch("", r).want(last, "a deleted, was v-a")
	}},
	{name: "watches from 0", run: func(s *subject) {
		r := s.fill("a", "b")
		s.reopen()
		s.watch("", 0).want(r, "a=v-a", "b=v-b")
	}},
	{name: "lists of the past", run: func(s *subject) {
		r := s.fill("a", "b")
		s.del("a", mustGet(s, "a"))
		s.reopen()
		s.wantKeys("", store.RangeOptions{Revision: r}, false, "a", "b")
	}},
	{name: "compaction", run: func(s *subject) {
		early := s.fill("a")
		r := s.fill("b")
		s.compact(r)
		last := s.fill("c")
		s.reopen()
		if err := s.begin("", early).end(); !errors.Is(err, store.ErrCompacted) {
			s.Errorf("error %v", err)
		}
		w := s.watch("", 0)
		w.want(last, "c=v-c")
		if w.began != r {
			s.Errorf("the watch begins after %d, want %d", w.began, r)
		}
	}, compacts: true},
	{name: "an empty engine", run: func(s *subject) {
		s.reopen()
		s.wantKeys("", store.RangeOptions{}, false)
		s.fill("a")
	}},
	{name: "many times", run: func(s *subject) {
		last := uint64(0)
		for i := range 5 {
			last = s.put("n", fmt.Sprint(i), last)
			s.reopen()
			s.wantValue("n", fmt.Sprint(i), last)
		}
		s.watch("", 0).want(last, "n=0", "n=1, was 0", "n=2, was 1", "n=3, was 2", "n=4, was 3")
	}},
}

// mustGet returns the revision of a key.
func mustGet(s *subject, key string) uint64 {
	s.Helper()
	got, err := s.Get(s.ctx, key)
	if err != nil {
		s.Fatal(err)
	}
	return got.Revision
}
