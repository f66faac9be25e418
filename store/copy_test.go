package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/askind/askind/store"
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
