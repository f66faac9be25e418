package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// Verify compares the memory of the store with its engine at one revision, and returns up to 100
// differences. The error is nil unless the engine has broken a guarantee. Verify reads all objects.
// [Options].VerifyEvery repeats it.
func (s *Store) Verify(ctx context.Context) error {
	differences, err := s.compare(ctx)
	return errors.Join(differences, err)
}

// verifyOften compares the store with its engine until the context is done. After a difference the
// store loads everything again.
func (s *Store) verifyOften(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.options.VerifyEvery):
		}
		// An engine that cannot be read now is compared the next time.
		if differences, _ := s.compare(ctx); differences != nil {
			s.options.Differs(differences)
			select {
			case s.distrust <- differences:
			case <-ctx.Done():
			}
		}
	}
}

// compare returns the differences between the store and its engine, and why it has not looked for
// all of them.
func (s *Store) compare(ctx context.Context) (differences, err error) {
	st := s.state.Load()
	if st.err != nil {
		return nil, st.err
	}
	var found []error
	differs := func(key, how string) {
		if len(found) < maxReported {
			found = append(found, fmt.Errorf("store: at revision %d, %q %s", st.revision, key, how))
		}
	}
	n := 0
	for o := (RangeOptions{Revision: st.revision, Limit: loadPage}); ; {
		page, err := s.engine.List(ctx, "", o)
		if errors.Is(err, ErrCompacted) && n == 0 {
			if st = s.state.Load(); st.revision > o.Revision {
				o.Revision = st.revision // it was compacted before it was read
				continue
			}
		}
		if err != nil {
			return errors.Join(found...), s.engineError(err)
		}
		for _, kv := range page.Items {
			n++
			o.From = kv.Key + "\x00"
			switch e, ok := st.entries.Get(kv.Key); {
			case !ok:
				differs(kv.Key, "is in the engine alone")
			case e.revision != kv.Revision:
				differs(kv.Key, fmt.Sprintf("has revision %d, in the engine %d", e.revision, kv.Revision))
			case !bytes.Equal(e.value, kv.Value):
				differs(kv.Key, "has another value in the engine")
			}
		}
		if !page.More {
			break
		}
	}
	if n < st.entries.Len() {
		differs("", fmt.Sprintf("there are %d objects that the engine does not have", st.entries.Len()-n))
	}
	return errors.Join(found...), nil
}
