package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// CopyReport is the result of [Copy].
type CopyReport struct {
	// Copied is the number of keys written, and Taken of those left unchanged because the
	// destination had them.
	Copied, Taken int
	// Revision is the revision of the source that was copied.
	Revision uint64
}

const (
	copyPage   = 1000 // how many values are read at once
	copyAtOnce = 64   // and written at once, because an engine that syncs writes them together
)

// Copy copies the contents of an engine at one revision to another engine, for example from a file
// to etcd or back. Values are copied byte for byte and get new revisions, so clients list again.
// Keys that the destination already has are left unchanged, so an interrupted copy can be repeated.
// A value that the source cannot read ends the copy with an error. Later changes are not copied:
// stop the servers first.
func Copy(ctx context.Context, to, from Engine) (CopyReport, error) {
	var report CopyReport
	for o := (RangeOptions{Limit: copyPage}); ; {
		page, err := from.List(ctx, "", o)
		if err != nil {
			return report, fmt.Errorf("store: copy: reading: %w", err)
		}
		report.Revision = page.Revision
		for values := range slices.Chunk(page.Items, copyAtOnce) {
			if err := report.copy(ctx, to, values); err != nil {
				return report, err
			}
			o.From = values[len(values)-1].Key + "\x00"
		}
		if o.Revision = page.Revision; !page.More {
			return report, nil
		}
	}
}

// copy writes values and counts them.
func (r *CopyReport) copy(ctx context.Context, to Engine, values []KeyValue) error {
	errs := make([]error, len(values))
	var writes sync.WaitGroup
	for i, kv := range values {
		writes.Go(func() { errs[i] = copyValue(ctx, to, kv) })
	}
	writes.Wait()
	var failed []error
	for i, err := range errs {
		switch {
		case err == nil:
			r.Copied++
		case errors.Is(err, ErrConflict):
			r.Taken++
		default:
			failed = append(failed, fmt.Errorf("store: copy: %q: %w", values[i].Key, err))
		}
	}
	if len(failed) > 0 {
		return failed[0] // the others are likely to say the same
	}
	return nil
}

// copyValue writes a value under a key that is not there.
func copyValue(ctx context.Context, to Engine, kv KeyValue) error {
	_, until, err := unwrap(kv.Value)
	if err == nil {
		_, err = PutUntil(ctx, to, kv.Key, kv.Value, 0, until)
	}
	return err
}
