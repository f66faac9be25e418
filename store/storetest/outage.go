package storetest

import (
	"context"
	"errors"
	"slices"
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
		key, lost := store.Key{Namespace: "n0", Name: "box"}, store.Key{Namespace: "n0", Name: "lost"}
		later := store.Key{Namespace: "n0", Name: "later"}
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
		_, read := r.Get(ctx, key, store.GetOptions{})
		_, created := r.Create(ctx, NewBox(lost), store.WriteOptions{})
		end()
		if !isRetry(read, metav1.StatusReasonServiceUnavailable, true) {
			s.Errorf("a consistent read: %v, want ServiceUnavailable with the time of a retry", read)
		}
		uncertain := errors.Is(created, store.ErrUncertain)
		if uncertain && !isRetry(created, metav1.StatusReasonTimeout, false) {
			s.Errorf("a write that may have taken effect: %v, want Timeout without the time of a retry", created)
		}
		if !uncertain && !isRetry(created, metav1.StatusReasonServiceUnavailable, true) {
			s.Errorf("a write that was not sent: %v, want ServiceUnavailable with the time of a retry", created)
		}
		s.recover()
		if _, err := r.Create(s.ctx, NewBox(later), store.WriteOptions{}); err != nil {
			s.Fatal(err)
		}
		var seen []store.Key
		for !slices.Contains(seen, later) {
			if err := w.Wait(s.ctx); err != nil {
				s.Fatal(err)
			}
			events, err := w.Next(nil)
			if err != nil {
				s.Fatal(err)
			}
			for _, e := range events {
				seen = append(seen, e.Entry.Key())
			}
		}
		_, err = r.Get(s.ctx, lost, store.GetOptions{})
		switch exists := err == nil; {
		case exists && !uncertain:
			s.Error("a write took effect, and its error does not say that it may have")
		case exists && !slices.Equal(seen, []store.Key{lost, later}),
			!exists && !slices.Equal(seen, []store.Key{later}):
			s.Errorf("the watch has %v; the write during the outage took effect: %t", seen, exists)
		}
	}},
}

// isRetry reports whether an error has a reason, and says when to try again or does not.
func isRetry(err error, reason metav1.StatusReason, retry bool) bool {
	e, ok := errors.AsType[*metav1.StatusError](err)
	if !ok || e.Status.Reason != reason {
		return false
	}
	return retry == (e.Status.Details != nil && e.Status.Details.RetryAfterSeconds > 0)
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
