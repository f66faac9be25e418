package server

import (
	"log/slog"
	"sync"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// undecodables logs objects that cannot be decoded: the first for each cause, the tenth, the
// hundredth and so on. One cause, such as a wrong key, may concern all objects.
type undecodables struct {
	mu    sync.Mutex
	found map[string]int // by cause; blank for those beyond maxCauses
}

// Causes are told apart up to a number, by the beginning of their texts.
const (
	maxCauses = 20
	maxCause  = 500
)

// log counts an object and logs it if its turn has come.
func (u *undecodables) log(l *slog.Logger, err *store.UndecodableError) {
	cause := schema.Shorten(err.Err.Error(), maxCause)
	u.mu.Lock()
	if u.found[cause] == 0 && len(u.found) >= maxCauses {
		cause = ""
	}
	u.found[cause]++
	n := u.found[cause]
	u.mu.Unlock()
	power := 1
	for power < n {
		power *= 10
	}
	if power == n {
		attributes := []any{"error", err, "times", n}
		if err.Stack != nil {
			attributes = append(attributes, "stack", string(err.Stack))
		}
		l.Warn("a stored object cannot be decoded, so lists and watches omit it", attributes...)
	}
}
