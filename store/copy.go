package store

import (
	"context"
	"errors"
	"fmt"
)

// CopyReport says what [Copy] has done.
type CopyReport struct {
	// Copied keys were written, and Taken ones left as they are, because the destination had them.
	Copied, Taken int
	// Revision is the one of the source that was copied.
	Revision uint64
}

// Copy writes everything that an engine has at one revision to another one, such as from a file to
// etcd or back. The values stay the same byte for byte, and get new revisions, so clients list
// again. What the destination has under a key of the source stays there; to copy again after an
// interruption does the rest. A value that the source cannot read ends the copy with an error.
// Changes that are made meanwhile are not copied: stop the servers first.
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
