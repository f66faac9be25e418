package storetest_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

// faults are mistakes of engines, and the case that must find each.
var faults = map[string]struct {
	found string                            // by this case
	put   func(e store.Engine) store.Engine // the fault into an engine
}{
	"an event is lost": {"watch/from every past revision", changing(func(c *store.Change) bool {
		return c.Revision%7 != 3
	})},
	"a deletion has no value before": {"watch/writes and deletions", changing(func(c *store.Change) bool {
		if c.Value == nil {
			c.Before = nil
		}
		return true
	})},
	"values are cut in events": {"put/a value of a mebibyte", changing(func(c *store.Change) bool {
		c.Value = c.Value[:min(len(c.Value), 1<<16)]
		return true
	})},
	"the key before is that of another life": {
		"watch/a key that is there again is new",
		changing(func(c *store.Change) bool {
			c.BeforeRevision = max(c.BeforeRevision, 1)
			return true
		}),
	},
	"keys are trimmed":      {"put/keys that differ in case or spaces", keyed(strings.TrimSpace)},
	"keys have no case":     {"put/keys that differ in case or spaces", keyed(strings.ToLower)},
	"keys are cut":          {"put/the longest keys", keyed(cut)},
	"prefixes are patterns": {"list/a prefix of characters that patterns use", listing(asPattern)},
	"values are in memory that is used again": {
		"list/values outlive their keys", func(e store.Engine) store.Engine { return &reusing{Engine: e} },
	},
	"lists are of two states":    {"concurrency/a list shows one revision", listing(inTwoSteps)},
	"lists that are whole go on": {"list/a limit that is just enough", listing(moreWhenFull)},
	"there is no progress": {"watch/progress without changes", func(e store.Engine) store.Engine {
		return &stalling{e}
	}},
	"lists of the past have no prefix":     {"list/a prefix in the past", listing(wholePast)},
	"revisions have a sign":                {"list/the future", listing(signed)},
	"watches of all changes have all keys": {"watch/a prefix, from 0", watching(wholeFromZero)},
	"a key is not below itself":            {"watch/a prefix that is a key", watching(below)},
	"the past has other revisions before":  {"watch/changes of a key, from the past", watching(otherBefore)},
	"watches end with others":              {"watch/the end of one is not that of others", contagious},
	"watches go on after their end":        {"watch/the context ends it", watching(lasting)},
	"the revision is behind": {"watch/the revision is not behind it", func(e store.Engine) store.Engine {
		return &late{Engine: e}
	}},
}

// reusing returns values in memory that the next write uses again.
type reusing struct {
	store.Engine

	mu    sync.Mutex
	value []byte
}

func (e *reusing) Get(ctx context.Context, key string) (store.GetResult, error) {
	out, err := e.Engine.Get(ctx, key)
	out.Value = e.reuse(out.Value)
	return out, err
}

func (e *reusing) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	e.reuse(value)
	return e.Engine.Put(ctx, key, value, expected)
}

func (e *reusing) reuse(value []byte) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if value != nil {
		e.value = append(e.value[:0], value...)
		value = e.value
	}
	return value
}

// asPattern lists as an SQL database does with LIKE.
func asPattern(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error) {
	literal, _, found := strings.Cut(prefix, "_")
	page, err := e.List(ctx, literal, o)
	page.Items = slices.DeleteFunc(page.Items, func(kv store.KeyValue) bool {
		return len(kv.Key) < len(prefix) || !found && !strings.HasPrefix(kv.Key, prefix)
	})
	return page, err
}

// cut returns what a database keeps of a key whose column is too short.
func cut(key string) string { return key[:min(len(key), 255)] }

// inTwoSteps lists the first key in one state and the others in a later one.
func inTwoSteps(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error) {
	first, err := e.List(ctx, prefix, o)
	if err != nil || o.Revision > 0 || len(first.Items) < 3 {
		return first, err
	}
	time.Sleep(time.Millisecond)
	second, err := e.List(ctx, prefix, o)
	first.Items = append(first.Items[:1], second.Items[min(1, len(second.Items)):]...)
	return first, err
}

// moreWhenFull says that there are more keys whenever the limit has been reached.
func moreWhenFull(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error) {
	page, err := e.List(ctx, prefix, o)
	page.More = page.More || o.Limit > 0 && len(page.Items) == o.Limit
	return page, err
}

// changing returns an engine that changes what watches deliver, or drops it.
func changing(change func(*store.Change) bool) func(store.Engine) store.Engine {
	return func(e store.Engine) store.Engine { return &changed{e, change} }
}

type changed struct {
	store.Engine
	change func(*store.Change) bool
}

func (e *changed) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		var list []store.Change
		for _, change := range c.List {
			if e.change(&change) {
				list = append(list, change)
			}
		}
		c.List = list
		return deliver(c)
	})
}

// wholePast ignores the prefix in lists of the past.
func wholePast(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error) {
	if o.Revision > 0 {
		prefix = ""
	}
	return e.List(ctx, prefix, o)
}

// signed takes revisions for numbers with a sign, and all that are not above 0 for the latest.
func signed(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error) {
	if int64(o.Revision) < 0 {
		o.Revision = 0
	}
	return e.List(ctx, prefix, o)
}

type watcher func(ctx context.Context, e store.Engine, prefix string, from uint64,
	deliver func(store.Changes) error) error

// watching returns an engine that watches in another way.
func watching(watch watcher) func(store.Engine) store.Engine {
	return func(e store.Engine) store.Engine { return &watched{e, watch} }
}

type watched struct {
	store.Engine
	watch watcher
}

func (e *watched) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.watch(ctx, e.Engine, prefix, from, deliver)
}

// wholeFromZero ignores the prefix in watches of the whole history.
func wholeFromZero(ctx context.Context, e store.Engine, prefix string, from uint64,
	deliver func(store.Changes) error,
) error {
	if from == 0 {
		prefix = ""
	}
	return e.Watch(ctx, prefix, from, deliver)
}

// below leaves out the key that equals the prefix.
func below(ctx context.Context, e store.Engine, prefix string, from uint64, deliver func(store.Changes) error) error {
	other := changed{e, func(c *store.Change) bool { return c.Key != prefix }}
	return other.Watch(ctx, prefix, from, deliver)
}

// otherBefore states in the first call revisions before changes that are one too low.
func otherBefore(ctx context.Context, e store.Engine, prefix string, from uint64,
	deliver func(store.Changes) error,
) error {
	first := true
	return e.Watch(ctx, prefix, from, func(c store.Changes) error {
		for i := range c.List {
			if first && c.List[i].Before != nil {
				c.List[i].BeforeRevision--
			}
		}
		first = false
		return deliver(c)
	})
}

// contagious returns an engine in which a watch that fails takes a change from another one.
func contagious(e store.Engine) store.Engine {
	var failed atomic.Bool
	return &watched{e, func(ctx context.Context, e store.Engine, prefix string, from uint64,
		deliver func(store.Changes) error,
	) error {
		return e.Watch(ctx, prefix, from, func(c store.Changes) error {
			if failed.Swap(false) {
				c.List = nil
			}
			err := deliver(c)
			failed.CompareAndSwap(false, err != nil)
			return err
		})
	}}
}

// lasting returns from a watch whose context is done, and goes on with it.
func lasting(ctx context.Context, e store.Engine, prefix string, from uint64, deliver func(store.Changes) error) error {
	ended := make(chan error, 1)
	go func() { ended <- e.Watch(context.WithoutCancel(ctx), prefix, from, deliver) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keyed returns an engine that takes one key for another.
func keyed(key func(string) string) func(store.Engine) store.Engine {
	return func(e store.Engine) store.Engine { return &aliased{e, key} }
}

type aliased struct {
	store.Engine
	key func(string) string
}

func (e *aliased) Get(ctx context.Context, key string) (store.GetResult, error) {
	return e.Engine.Get(ctx, e.key(key))
}

func (e *aliased) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	return e.Engine.Put(ctx, e.key(key), value, expected)
}

type lister func(ctx context.Context, e store.Engine, prefix string, o store.RangeOptions) (store.Page, error)

// listing returns an engine that lists in another way.
func listing(list lister) func(store.Engine) store.Engine {
	return func(e store.Engine) store.Engine { return &listed{e, list} }
}

type listed struct {
	store.Engine
	list lister
}

func (e *listed) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	return e.list(ctx, e.Engine, prefix, o)
}

// stalling is an engine whose watches do not say that nothing concerned them.
type stalling struct{ store.Engine }

func (e *stalling) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	after := uint64(0)
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		if after > 0 && len(c.List) == 0 {
			return nil
		}
		if after > 0 {
			c.After = after
		}
		after = c.Revision
		return deliver(c)
	})
}

// late is an engine whose revision is that of what all watches have been told.
type late struct {
	store.Engine
	mu   sync.Mutex
	told uint64
}

func (e *late) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		err := deliver(c)
		e.mu.Lock()
		e.told = c.Revision
		e.mu.Unlock()
		return err
	})
}

func (e *late) Revision(ctx context.Context) (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.told > 0 {
		return e.told, nil
	}
	return e.Engine.Revision(ctx)
}

// faultVariable names the fault of the engine that TestFaulty tests.
const faultVariable = "STORETEST_FAULT"

// TestFaulty is what TestFaults runs.
func TestFaulty(t *testing.T) {
	fault, ok := faults[os.Getenv(faultVariable)]
	if !ok {
		t.Skip("TestFaults runs it")
	}
	storetest.Kit{
		Open:     func(testing.TB) store.Engine { return fault.put(memory.New()) },
		Patience: 3 * time.Second, // for what does not happen
	}.Run(t)
}

// TestFaults has each fault found by its case.
func TestFaults(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := strings.ReplaceAll(fault.found, " ", "_")
			var parts []string
			for part := range strings.SplitSeq("TestFaulty/"+found, "/") {
				parts = append(parts, "^"+part+"$")
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run", strings.Join(parts, "/"))
			cmd.Env = append(os.Environ(), faultVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestFaulty/"+found+" ") {
				t.Errorf("the case does not find it: %v\n%s", err, out)
			}
		})
	}
}
