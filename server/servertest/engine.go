package servertest

import (
	"context"
	"sync"

	"github.com/askind/askind/store"
)

// Operation is an operation of an engine that can be made to fail.
type Operation string

// The operations.
const (
	Get      Operation = "get"
	List     Operation = "list"
	Count    Operation = "count"
	Put      Operation = "put"
	Delete   Operation = "delete"
	Revision Operation = "revision"
	Compact  Operation = "compact"
)

// Engine is an engine whose operations fail when a test wants it. It is safe for any number of
// goroutines.
type Engine struct {
	store.Engine

	mu     sync.Mutex
	faults map[Operation]*fault
	calls  map[Operation]int
}

// fault is an error for some calls to come.
type fault struct {
	err  error
	left int
}

// NewEngine returns an engine around another.
func NewEngine(e store.Engine) *Engine {
	return &Engine{Engine: e, faults: map[Operation]*fault{}, calls: map[Operation]int{}}
}

// Fail makes the next n calls of an operation fail with an error, before they have done anything. A
// negative n means all calls to come, and 0 none.
func (e *Engine) Fail(op Operation, err error, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults[op] = &fault{err, n}
}

// Calls returns how often an operation has been called.
func (e *Engine) Calls(op Operation) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls[op]
}

// enter counts a call, and returns the error that it has to fail with.
func (e *Engine) enter(op Operation) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls[op]++
	f := e.faults[op]
	if f == nil || f.left == 0 {
		return nil
	}
	f.left--
	return f.err
}

// Get implements [store.Engine].
func (e *Engine) Get(ctx context.Context, key string) (store.GetResult, error) {
	if err := e.enter(Get); err != nil {
		return store.GetResult{}, err
	}
	return e.Engine.Get(ctx, key)
}

// List implements [store.Engine].
func (e *Engine) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if err := e.enter(List); err != nil {
		return store.Page{}, err
	}
	return e.Engine.List(ctx, prefix, o)
}

// Count implements [store.Engine].
func (e *Engine) Count(ctx context.Context, prefix string) (n int64, revision uint64, err error) {
	if err := e.enter(Count); err != nil {
		return 0, 0, err
	}
	return e.Engine.Count(ctx, prefix)
}

// Put implements [store.Engine].
func (e *Engine) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	if err := e.enter(Put); err != nil {
		return 0, err
	}
	return e.Engine.Put(ctx, key, value, expected)
}

// Delete implements [store.Engine].
func (e *Engine) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if err := e.enter(Delete); err != nil {
		return 0, err
	}
	return e.Engine.Delete(ctx, key, expected)
}

// Revision implements [store.Engine].
func (e *Engine) Revision(ctx context.Context) (uint64, error) {
	if err := e.enter(Revision); err != nil {
		return 0, err
	}
	return e.Engine.Revision(ctx)
}

// Compact implements [store.Engine].
func (e *Engine) Compact(ctx context.Context, revision uint64) error {
	if err := e.enter(Compact); err != nil {
		return err
	}
	return e.Engine.Compact(ctx, revision)
}
