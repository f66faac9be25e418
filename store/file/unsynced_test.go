package file_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
)

// disk is a file as a machine that stops may leave it: what was there at a sync, and the pages that
// were written since, some of which have reached the disk. The first two pages say where everything
// is; one of them is written when the others have been synced.
type disk struct {
	synced, written []byte
	size            int
	random          *rand.Rand
}

// changed returns the numbers of the pages that were written since the sync.
func (d *disk) changed() (pages, roots []int) {
	for at := 0; at < len(d.written); at += d.size {
		page := d.written[at:min(at+d.size, len(d.written))]
		if at < len(d.synced) && bytes.Equal(page, d.synced[at:min(at+d.size, len(d.synced))]) {
			continue
		}
		if n := at / d.size; n < 2 {
			roots = append(roots, n)
		} else {
			pages = append(pages, n)
		}
	}
	return pages, roots
}

// write copies a page to the disk, or the first part of it.
func (d *disk) write(to []byte, page int, torn bool) {
	at := page * d.size
	n := min(d.size, len(d.written)-at)
	if torn {
		n = d.random.IntN(n)
	}
	copy(to[at:], d.written[at:at+n])
}

// dropped returns the file after a stop before the first sync of a write: some pages are missing,
// in any order, and one is torn.
func (d *disk) dropped() []byte {
	out := make([]byte, len(d.written))
	copy(out, d.synced)
	pages, _ := d.changed()
	d.random.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	kept := pages[:d.random.IntN(len(pages)+1)]
	for i, page := range kept {
		d.write(out, page, i == len(kept)-1)
	}
	return out
}

// torn returns the file after a stop before the second sync: the page that makes the write take
// effect is missing or torn.
func (d *disk) torn() []byte {
	out := make([]byte, len(d.written))
	copy(out, d.synced)
	pages, roots := d.changed()
	for _, page := range pages {
		d.write(out, page, false)
	}
	for _, page := range roots {
		d.write(out, page, true)
	}
	return out
}

// A machine that stops while a write is on its way to the disk leaves a file with all writes before
// it, whatever part of the write has arrived.
func TestUnsyncedWritesAreDropped(t *testing.T) {
	t.Parallel()
	writes, stops := 20, 4
	if *long {
		writes, stops = 100, 20 // each stop copies and opens the whole file, which grows with the writes
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	e := open(t, path)
	d := disk{size: os.Getpagesize(), random: rand.New(rand.NewPCG(1, 9))}
	first, err := e.Put(t.Context(), "first", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	state, revisions := map[string]string{"first": "1"}, map[string]uint64{"first": first}
	for i := range writes {
		if d.synced, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		before := maps.Clone(state)
		key := fmt.Sprint("k", d.random.IntN(8))
		if revisions[key] != 0 && d.random.IntN(4) == 0 {
			_, err = e.Delete(t.Context(), key, revisions[key])
			delete(revisions, key)
			delete(state, key)
		} else {
			value := bytes.Repeat(fmt.Append(nil, i, " "), 1+d.random.IntN(5000))
			revisions[key], err = e.Put(t.Context(), key, value, revisions[key])
			state[key] = string(value)
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.written, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if pages, roots := d.changed(); len(pages) == 0 || len(roots) != 1 {
			t.Fatalf("write %d changed %d pages and %d of the first two", i, len(pages), len(roots))
		}
		for range stops {
			wantFile(t, filepath.Join(dir, "dropped"), d.dropped(), before, before)
			wantFile(t, filepath.Join(dir, "torn"), d.torn(), before, state)
		}
		wantFile(t, filepath.Join(dir, "whole"), d.written, state, state)
	}
}

// wantFile opens a file and checks that all of it is one of two states.
func wantFile(t *testing.T, path string, content []byte, a, b map[string]string) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := file.Open(path, file.Sync(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	page, err := e.List(t.Context(), "", store.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, kv := range page.Items {
		got[kv.Key] = string(kv.Value)
	}
	if !maps.Equal(got, a) && !maps.Equal(got, b) {
		t.Errorf("%s has %d keys, which are neither those before the write nor those after it", path, len(got))
	}
}
