package store

import (
	"context"
	"errors"
	"fmt"
)

// CopyReport is the result of [Copy].
type CopyReport struct {
	// Copied is the number of keys written, and Taken of those left unchanged because the
	// destination had them.
	Copied, Taken int
	// Revision is the revision of the source that was copied.
	Revision uint64
}

// Copy copies the contents of an engine at one revision to another engine, for example from a file
// to etcd or back. Values are copied byte for byte and get new revisions, so clients list again.
// Keys that the destination already has are left unchanged, so an interrupted copy can be repeated.
// A value that the source cannot read ends the copy with an error. Later changes are not copied:
// stop the servers first.
func Copy(ctx context.Context, to, from Engine) (CopyReport, error) {
	var report CopyReport
	for o := (RangeOptions{Limit: loadPage}); ; {
		page, err := from.List(ctx, "", o)
		if err != nil {
			return report, fmt.Errorf("store: copy: reading: %w", err)
		}
		report.Revision = page.Revision
		for _, kv := range page.Items {
			_, until, err := unwrap(kv.Value)
			if err != nil {
				return report, fmt.Errorf("store: copy: reading %q: %w", kv.Key, err)
			}
			switch _, err := PutUntil(ctx, to, kv.Key, kv.Value, 0, until); {
			case errors.Is(err, ErrConflict):
				report.Taken++
			case err != nil:
				return report, fmt.Errorf("store: copy: writing %q: %w", kv.Key, err)
			default:
				report.Copied++
			}
			o.From = kv.Key + "\x00"
		}
		if o.Revision = page.Revision; !page.More {
			return report, nil
		}
	}
}
