package compare

import (
	"context"
	"fmt"
	"io"
	goruntime "runtime"
	"syscall"
	"time"
)

// side is one of the storages that are compared. All sides do the same work: what a row times is
// written once, over this interface.
type side interface {
	// open begins with no objects, or with those that an earlier open on the same directory has
	// left.
	open(ctx context.Context, dir string) error
	// prepare returns an object for create, so that making it is not measured.
	prepare(i, size int) (any, error)
	create(ctx context.Context, object any) error
	// update changes the status of an object under its resourceVersion.
	update(ctx context.Context, i, n int) error
	// get writes an object as JSON. Unless it is to be current, any state will do.
	get(ctx context.Context, i int, current bool, w io.Writer) error
	// list writes objects as JSON, and returns the token of the next page. A whole list may show
	// any state, a page shows the latest one.
	list(ctx context.Context, o listOptions, w io.Writer) (token string, err error)
	// watch begins a watch. The function that it returns writes every event as JSON and calls
	// delivered behind each, until the context is done.
	watch(ctx context.Context) (follow func(w io.Writer, delivered func()) error, err error)
	// cpu returns the processor time that the side has used, in all its processes.
	cpu() (time.Duration, error)
	close() error
}

// listOptions say which list is wanted.
type listOptions struct {
	metadata bool   // only the metadata
	limit    int64  // of objects in a page, 0 for all
	token    string // of the page before; the revision of the list comes with it
}

// sides are made by their names.
var sides = map[string]func() side{
	"memory":     func() side { return &ours{} },
	"file":       func() side { return &ours{file: true} },
	"kubernetes": func() side { return &kubernetes{} },
}

// ownCPU returns the processor time of this process.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// heap returns the bytes of live objects in this process.
func heap() float64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
