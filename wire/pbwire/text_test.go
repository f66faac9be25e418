package pbwire_test

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/wire/pbwire"
)

// texts reads a message of strings in field 4, each of them an item if items is set.
func texts(data []byte, o pbwire.Options, items bool) []string {
	r := pbwire.NewReader(data, o)
	var got []string
	for r.Next() {
		if items {
			r.Item()
		}
		got = append(got, r.String())
	}
	return got
}

// apart returns how far behind a string another one lies.
func apart(a, b string) int {
	return int(uintptr(unsafe.Pointer(unsafe.StringData(b))) - uintptr(unsafe.Pointer(unsafe.StringData(a))))
}

// together reports whether a string lies directly behind another one.
func together(a, b string) bool { return apart(a, b) == len(a) }

// TestItem checks that the strings of two items do not lie in one block of memory, and those of one
// item do.
func TestItem(t *testing.T) {
	if plain.Enabled {
		t.Skip("strings do not share memory")
	}
	t.Parallel()
	data := []byte(strings.Repeat("\x22\x14abcdefghijklmnopqrst", 3)) // a length that no block has alone
	if got := texts(data, pbwire.Options{}, false); !together(got[0], got[1]) || !together(got[1], got[2]) {
		t.Error("the strings of one message lie apart")
	}
	if got := texts(data, pbwire.Options{}, true); together(got[0], got[1]) || together(got[1], got[2]) {
		t.Error("the strings of two items lie together")
	}
	if got := texts(data, pbwire.Options{Apart: true}, false); together(got[0], got[1]) ||
		together(got[1], got[2]) {
		t.Error("strings lie together in spite of the option")
	}
}

// TestItemKeepsNoNeighbour reads items whose strings must not keep those of the next one, and what
// the first of them takes.
func TestItemKeepsNoNeighbour(t *testing.T) {
	t.Parallel()
	w := pbwire.NewWriter(nil)
	for _, text := range []string{strings.Repeat("x", 100), "a", strings.Repeat("y", 120)} {
		mark := w.Mark()
		w.String(1, text)
		w.Message(2, mark)
	}
	w.String(1, "before")
	data := w.Bytes()
	r := pbwire.NewReader(data, pbwire.Options{})
	var got []string
	for r.Next() {
		if r.Field() == 1 {
			got = append(got, r.String())
			continue
		}
		r.Item()
		saved := r.Message()
		for r.Next() {
			got = append(got, r.String())
		}
		r.EndMessage(saved)
	}
	if r.Err() != nil || len(got) != 4 || got[2] != "a" {
		t.Fatalf("got %q, %v", got, r.Err())
	}
	for i := range got[1:] {
		if together(got[i], got[i+1]) {
			t.Errorf("%.8s and %.8s lie in one block", got[i], got[i+1])
		}
	}
}

// TestStringsStandApartFromTheInput changes the input after reading.
func TestStringsStandApartFromTheInput(t *testing.T) {
	t.Parallel()
	var want []string
	w := pbwire.NewWriter(nil)
	for _, n := range []int{0, 1, 31, 32, 33, 127, 128, 129, 500, 1020, 1024, 1025, 5000, 0, 7, 3} {
		want = append(want, strings.Repeat(string(rune('a'+n%26)), n))
	}
	for i := len(want) - 1; i >= 0; i-- {
		w.Bool(1, true) // something that is not a string
		w.String(4, want[i])
	}
	for _, o := range []pbwire.Options{{}, {Apart: true}} {
		data := bytes.Clone(w.Bytes())
		r := pbwire.NewReader(data, o)
		var got []string
		for r.Next() {
			if r.Field() == 1 {
				r.Bool()
				continue
			}
			got = append(got, r.String())
		}
		clear(data)
		if len(got) != len(want) {
			t.Fatalf("%d strings, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("string %d of %d bytes is read as %q", i, len(want[i]), got[i])
			}
		}
	}
}

// TestStringsAllocate checks that short strings share, and that blank ones cost nothing.
func TestStringsAllocate(t *testing.T) {
	if plain.Enabled {
		t.Skip("strings do not share memory")
	}
	w := pbwire.NewWriter(nil)
	for range 50 {
		w.String(4, "eighteen characters")
		w.String(4, "")
	}
	var r pbwire.Reader
	n := testing.AllocsPerRun(100, func() {
		r.Reset(w.Bytes(), pbwire.Options{})
		for r.Next() {
			_ = r.String()
		}
	})
	if n != 1 { // 950 bytes, and 200 between them
		t.Errorf("%v allocations, want 1", n)
	}
}

// TestLongStringsAreApart checks that strings that are not short have memory of their own, so that
// one that is retained keeps no others.
func TestLongStringsAreApart(t *testing.T) {
	t.Parallel()
	data := []byte(strings.Repeat("\x22\x81\x01"+strings.Repeat("x", 129), 3))
	got := texts(data, pbwire.Options{}, false)
	if len(got) != 3 || apart(got[0], got[1]) == 132 || apart(got[1], got[2]) == 132 {
		t.Errorf("%d strings lie together", len(got))
	}
}
