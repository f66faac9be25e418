package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/store"
)

// outageCases run for engines that have a [Kit].Outage.
var outageCases = []testCase{
	{name: "every call ends and says so", run: func(s *subject) {
		a := s.put("a", "1", 0)
		end := s.kit.Outage(s.T, s.Engine)
		errs := make([]error, len(calls))
		ctx, cancel := context.WithTimeout(s.ctx, s.kit.Patience)
		defer cancel()
		var wg sync.WaitGroup
		for i, c := range calls {
			if c.name == "Watch" { // which may wait
				continue
			}
			wg.Go(func() { errs[i] = c.call(s, ctx) })
		}
		wg.Wait()
		end()
		for i, c := range calls {
			if c.name != "Watch" && !s.unsupported(c.name, errs[i]) && !errors.Is(errs[i], store.ErrUnavailable) {
				s.Errorf("%s: %v, want store.ErrUnavailable", c.name, errs[i])
			}
		}
		s.recover()
		s.wantValue("a", "1", a)
		got, err := s.Get(s.ctx, "b") // which one of the calls puts
		if err != nil {
			s.Fatal(err)
		}
		for i, c := range calls {
			if c.name == "Put" && got.Revision != 0 && !errors.Is(errs[i], store.ErrUncertain) {
				s.Errorf("the write took effect, and its error does not say that it may have: %v", errs[i])
			}
		}
		s.put("c", "1", 0)
	}},
	{name: "a store answers what it may and goes on", run: func(s *subject) {
		_, r := s.openStore(store.Options{})
		key, later := store.Key{Namespace: "n0", Name: "box"}, store.Key{Namespace: "n0", Name: "later"}
		first, err := r.Create(s.ctx, NewBox(key), store.WriteOptions{})
		if err != nil {
			s.Fatal(err)
		}
		w, err := r.Watch(s.ctx, store.WatchOptions{ResourceVersion: first.ResourceVersion()})
		if err != nil {
			s.Fatal(err)
		}
		defer w.Close()
		end := s.kit.Outage(s.T, s.Engine)
		for _, version := range []string{"0", first.ResourceVersion()} {
			if _, err := r.Get(s.ctx, key, store.GetOptions{ResourceVersion: version}); err != nil {
				s.Errorf("a read of version %s, which is in memory: %v", version, err)
			}
		}
		ctx, cancel := context.WithTimeout(s.ctx, s.kit.Patience)
		defer cancel()
		_, err = r.Get(ctx, key, store.GetOptions{})
		end()
		failed, ok := errors.AsType[*metav1.StatusError](err)
		if !ok || failed.Status.Reason != metav1.StatusReasonServiceUnavailable || failed.Status.Details == nil ||
			failed.Status.Details.RetryAfterSeconds == 0 {
			s.Errorf("a consistent read: %v, want ServiceUnavailable with the time of a retry", err)
		}
		s.recover()
		if _, err := r.Create(s.ctx, NewBox(later), store.WriteOptions{}); err != nil {
			s.Fatal(err)
		}
		if err := w.Wait(s.ctx); err != nil {
			s.Fatal(err)
		}
		if events, err := w.Next(nil); err != nil || len(events) != 1 || events[0].Entry.Key() != later {
			s.Errorf("the watch has %v, %v, want the box that was created after the outage", events, err)
		}
	}},
}

// recover waits until the engine answers again.
func (s *subject) recover() {
	s.Helper()
	for deadline := time.Now().Add(s.kit.Patience); ; time.Sleep(10 * time.Millisecond) {
		_, err := s.Revision(s.ctx)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("after the outage: %v", err)
		}
	}
}
