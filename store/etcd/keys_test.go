package etcd_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/askind/askind/store"
)

// TestListInChunks checks that a list shows one revision and honours its limit, whatever parts
// etcd is asked for.
func TestListInChunks(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dial(t, members, "")
	const n = 7
	for i := range n {
		if _, err := e.Put(t.Context(), fmt.Sprint("k/", i), []byte("1"), 0); err != nil {
			t.Fatal(err)
		}
	}
	past := start(t, e)
	if _, err := e.Put(t.Context(), "k/99", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	for chunk := 1; chunk <= n+2; chunk++ {
		e.SetChunk(chunk)
		for limit := range n + 2 {
			page, err := e.List(t.Context(), "k/", store.RangeOptions{Revision: past, Limit: limit})
			want := n
			if limit > 0 {
				want = min(n, limit)
			}
			if err != nil || page.Revision != past || len(page.Items) != want || page.More != (want < n) {
				t.Errorf("in chunks of %d, with limit %d: %d keys at %d, more: %t, %v; want %d at %d", chunk, limit,
					len(page.Items), page.Revision, page.More, err, want, past)
			}
			for i, kv := range page.Items {
				if kv.Key != fmt.Sprint("k/", i) {
					t.Errorf("in chunks of %d, key %d is %q", chunk, i, kv.Key)
				}
			}
		}
	}
	page, err := e.List(t.Context(), "k/", store.RangeOptions{})
	if err != nil || len(page.Items) != n+1 || page.More {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestEmptyValues checks that a value without bytes, which only other programs write, is not taken
// for a key that is gone: the store could not follow the writes after it.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	e := dial(t, members, "/a/")
	if _, err := newClient(t, members).Put(t.Context(), "/a/k", ""); err != nil {
		t.Fatal(err)
	}
	got, err := e.Get(t.Context(), "k")
	if err != nil || len(got.Value) == 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	page, err := e.List(t.Context(), "", store.RangeOptions{})
	if err != nil || len(page.Items) != 1 || len(page.Items[0].Value) == 0 {
		t.Errorf("got %+v, %v", page, err)
	}
	last, err := e.Put(t.Context(), "k", []byte("v"), got.Revision)
	if err != nil {
		t.Fatal(err)
	}
	seen := errors.New("the watch has seen both writes")
	err = e.Watch(t.Context(), "", got.Revision-1, func(c store.Changes) error {
		for _, change := range c.List {
			if len(change.Value) == 0 || change.BeforeRevision > 0 && len(change.Before) == 0 {
				t.Errorf("the watch has %+v", change)
			}
		}
		if c.Revision >= last {
			return seen
		}
		return nil
	})
	if !errors.Is(err, seen) {
		t.Error(err)
	}
}
