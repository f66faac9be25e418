package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

// TestCopy copies more than a page into an engine that has some of the keys, twice.
func TestCopy(t *testing.T) {
	t.Parallel()
	from, to := memory.New(), memory.New()
	defer from.Close()
	defer to.Close()
	const n = 10_001
	put := func(e store.Engine, key, value string) {
		t.Helper()
		if _, err := e.Put(t.Context(), key, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		put(from, fmt.Sprint("k", i), fmt.Sprint(i))
	}
	put(to, "k5", "mine")
	for _, want := range []store.CopyReport{{Copied: n - 1, Taken: 1}, {Taken: n}} {
		report, err := store.Copy(t.Context(), to, from)
		if report.Revision = 0; err != nil || report != want {
			t.Errorf("%+v, %v; want %+v", report, err, want)
		}
	}
	for key, want := range map[string]string{"k5": "mine", "k6": "6", "k10000": "10000"} {
		if got, err := to.Get(t.Context(), key); err != nil || string(got.Value) != want {
			t.Errorf("%s holds %q: %v", key, got.Value, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Copy(ctx, to, from); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestCopyOfWhatExpires checks that the destination is told when a value expires, as it is by a
// store, and that nothing is written in place of a value that the source cannot read.
func TestCopyOfWhatExpires(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	sealed := func(id string) store.Engine {
		from, err := encrypt.New(inner, encrypt.Keys{{ID: id, Secret: make([]byte, 32)}})
		if err != nil {
			t.Fatal(err)
		}
		return from
	}
	r := addMachines(t, open(t, sealed("a"), store.Options{}), store.ResourceOptions{})
	if _, err := r.Create(t.Context(), machine("a", "temporary"), store.WriteOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	create(t, r, machine("a", "stays"))
	to := &expiring{Engine: memoryEngine(t)}
	if report, err := store.Copy(t.Context(), to, sealed("a")); err != nil || report.Copied != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	if len(to.until) != 1 || time.Until(to.until[0]) > time.Hour+time.Minute {
		t.Errorf("the destination was told that values expire at %v, want one in an hour", to.until)
	}
	empty := memoryEngine(t)
	report, err := store.Copy(t.Context(), empty, sealed("b"))
	if err == nil || !strings.Contains(err.Error(), "the key is not known") {
		t.Errorf("%+v, error %v; want one that says why a value cannot be read", report, err)
	}
	if n, _, err := empty.Count(t.Context(), ""); n != 0 || err != nil {
		t.Errorf("%d values were written: %v", n, err)
	}
}

// Everything in one engine is written to another one.
func ExampleCopy() {
	ctx := context.Background()
	from, to := memory.New(), memory.New()
	defer from.Close()
	defer to.Close()
	if _, err := from.Put(ctx, "notes.example.com/notes/default/milk", []byte(`{"kind":"Note"}`), 0); err != nil {
		panic(err)
	}
	report, err := store.Copy(ctx, to, from)
	fmt.Println(report.Copied, report.Taken, err)
	// Output: 1 0 <nil>
}
